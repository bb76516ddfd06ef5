// The writes of this page that can be undone: each by its inverse, on the condition that nobody has changed the item since.
import { signal } from "@preact/signals";
import { say, sayError } from "web/ui/toast";
import type { TableInfo } from "../db/tables";
import type { Item } from "../db/value";
import { Collision, requestBetween, write } from "./requests";

interface Done {
  name: string; // "Changed album#1"
  table: TableInfo;
  before: Item | undefined; // before the write
  after: Item | undefined; // after it
}

const keptMost = 50;
export const done = signal<readonly Done[]>([]);
/** Grows with each write of this page, so that views ask again. */
export const writes = signal(0);

/** Notes a write, and offers to undo it. */
export function noteDone(one: Done): void {
  done.value = [...done.peek().slice(1 - keptMost), one];
  writes.value++;
  say(one.name, { action: { name: "Undo", run: () => void undo(one) } });
}

export async function undo(one: Done | undefined = done.peek().at(-1)): Promise<void> {
  if (!one || !done.peek().includes(one)) return;
  try {
    const request = requestBetween(one.table, one.after, one.before);
    if (request) await write(request);
    done.value = done.peek().filter((other) => other !== one);
    writes.value++;
    say(`Undone: ${one.name}`);
  } catch (why) {
    sayError(why instanceof Collision ? new Error(`Not undone: ${why.message.replace("since it was read", "after this page wrote it")}`) : why);
  }
}
