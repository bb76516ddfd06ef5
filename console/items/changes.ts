// What differs between two items, attribute by attribute and into maps; lists and sets are one value each.
import { canonical } from "../db/number";
import type { Item, Value } from "../db/value";

export interface Change {
  path: readonly string[]; // the name of an attribute, and those of members of maps in it
  before: Value | undefined;
  after: Value | undefined;
}

const sorted = (texts: readonly string[]): string => [...texts].sort().join("\n");

/** Returns whether the database takes two values for the same: 1.0 is 1, and sets have no order. */
export function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (!a || !b) return a === b;
  if ("N" in a && "N" in b) return canonical(a.N) === canonical(b.N);
  if ("NS" in a && "NS" in b) return sorted(a.NS.map(canonical)) === sorted(b.NS.map(canonical));
  if ("SS" in a && "SS" in b) return a.SS.length === b.SS.length && a.SS.every((one) => b.SS.includes(one));
  if ("BS" in a && "BS" in b) return sorted(a.BS) === sorted(b.BS);
  if ("L" in a && "L" in b) return a.L.length === b.L.length && a.L.every((one, at) => isSame(one, b.L[at]));
  if ("M" in a && "M" in b) return changesOf(a.M, b.M).length === 0;
  return JSON.stringify(a) === JSON.stringify(b);
}

const own = (item: Item, name: string): Value | undefined => (Object.hasOwn(item, name) ? item[name] : undefined);

export function changesOf(before: Item, after: Item, path: readonly string[] = []): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): Change[] => {
    const [old, now] = [own(before, name), own(after, name)];
    if (old && now && "M" in old && "M" in now) return changesOf(old.M, now.M, [...path, name]);
    return isSame(old, now) ? [] : [{ path: [...path, name], before: old, after: now }];
  });
}

/** Returns the item with changes made to it. A change below a map that is not there makes none. */
export function withChanges(item: Item, changes: readonly Change[]): Item {
  return changes.reduce((all, { path, after }) => put(all, path, after), item);
}

function put(item: Item, [name, ...more]: readonly string[], value: Value | undefined): Item {
  const entries = new Map(Object.entries(item));
  if (name === undefined) return item;
  const inner = entries.get(name);
  if (more.length > 0) {
    if (inner && "M" in inner) entries.set(name, { M: put(inner.M, more, value) });
  } else if (value) entries.set(name, value);
  else entries.delete(name);
  return Object.fromEntries(entries);
}

const begins = (path: readonly string[], start: readonly string[]): boolean => start.every((name, at) => path[at] === name);
/** Whether two changes are about the same value, or one about a part of the other's. */
export const doMeet = (a: Change, b: Change): boolean => begins(a.path, b.path) || begins(b.path, a.path);
