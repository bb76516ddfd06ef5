// The history of an item as the server answers it (docs/CONSOLE.md), put together page after page.
import type { Item } from "../db/value";
import { ask } from "../session";

/** An item as its sender may see it: in a governed table what is sensitive is masked, unless it was asked for. */
export interface Seen {
  item: Item;
  entity?: string;
  masked?: string[];
}

export interface PastChange {
  number: string;
  at: string;
  kind: "insert" | "modify" | "remove";
  by: "client" | "time-to-live" | "database";
  before: Seen | null;
}

interface HistoryAnswer {
  item?: Seen | null; // on the first page
  changes: PastChange[];
  reached: string;
  earliest: string;
  next: string | null;
}

interface AsOfAnswer {
  item: Seen | null;
  until: string | null;
  next: string | null;
}

/** A change, and the item as it left it; null: there was none any more. */
export interface Version {
  number: string;
  at: number; // milliseconds since 1970
  kind: PastChange["kind"];
  by: PastChange["by"];
  seen: Seen | null;
  before: Seen | null;
}

/** What is known of a history so far. */
export interface Past {
  now: Seen | null;
  versions: readonly Version[]; // newest first
  reached: number; // everything since then is known
  earliest: number;
  next: string | undefined; // where to go on; undefined: the start is reached
}

export interface Question {
  table: string;
  key: Item;
  sensitive: "masked" | "shown";
}

const address = ({ table, sensitive }: Question, part = ""): string => `/console/history/${encodeURIComponent(table)}${part}${sensitive === "shown" ? "?sensitive=shown" : ""}`;
const pageSize = 50;

/** Reads the first page, or the one after what is known. It may have no version: then the server has read as much of the log as it does at once. */
export async function readOn(question: Question, known?: Past): Promise<Past> {
  const answer = await ask<HistoryAnswer>(address(question), { key: question.key, limit: pageSize, ...(known?.next ? { before: known.next } : {}) });
  const now = known ? known.now : (answer.item ?? null);
  const versions = [...(known?.versions ?? [])];
  for (const { before, at, ...change } of answer.changes) {
    const last = versions.at(-1);
    versions.push({ ...change, at: Date.parse(at), seen: last ? last.before : now, before });
  }
  return { now, versions, reached: Date.parse(answer.reached), earliest: Date.parse(answer.earliest), next: answer.next ?? undefined };
}

export interface Then {
  seen: Seen | null;
  until: number | undefined; // undefined: it is the same now
}

/** Returns the item as it was at a time. `stop` ends a search that takes several requests. */
export async function asOf(question: Question, at: number, stop: AbortSignal): Promise<Then> {
  for (let after: string | null = null; ; ) {
    const answer: AsOfAnswer = await ask<AsOfAnswer>(address(question, "/as-of"), { key: question.key, at: new Date(at).toISOString(), ...(after ? { after } : {}) });
    stop.throwIfAborted();
    if (!answer.next) return { seen: answer.item, until: answer.until === null ? undefined : Date.parse(answer.until) };
    after = answer.next;
  }
}
