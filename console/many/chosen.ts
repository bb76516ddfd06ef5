// The rows that somebody chose, by the keys of their items: they stay chosen on another view, and when the page is loaded again.
import { signal } from "@preact/signals";
import type { Item } from "../db/value";

export type Keys = ReadonlyMap<string, Item>;
const where = "chosen";
export const chosenMost = 1000;
const none: Keys = new Map();

function stored(): ReadonlyMap<string, Keys> {
  try {
    const all = JSON.parse(sessionStorage.getItem(where) ?? "{}") as Record<string, Item[]>;
    return new Map(Object.entries(all).map(([table, keys]) => [table, new Map(keys.map((key) => [JSON.stringify(key), key]))]));
  } catch {
    return new Map();
  }
}

const chosen = signal<ReadonlyMap<string, Keys>>(stored());

export const chosenOf = (table: string): Keys => chosen.value.get(table) ?? none;

export function choose(table: string, keys: Keys): void {
  const all = new Map(chosen.peek());
  keys.size > 0 ? all.set(table, keys) : all.delete(table);
  chosen.value = all;
  sessionStorage.setItem(where, JSON.stringify(Object.fromEntries([...all].map(([name, of]) => [name, [...of.values()]]))));
}
