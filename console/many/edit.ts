// What somebody wants of many items: attributes set and removed, or the items deleted; and what that means for one of them.
import { partsOf, pathText } from "../db/placeholders";
import type { TableInfo } from "../db/tables";
import { type Item, type Value, itemSize, typeNames, typeOf } from "../db/value";
import { type Change, changesOf } from "../items/changes";
import { sizeMost } from "../items/draft";

export interface Edit {
  way: "change" | "delete";
  set: readonly (readonly [path: string, value: Value])[];
  remove: readonly string[]; // paths
}

/** Returns the names of a path, as filters write it. Fails with words for the person. */
function namesOf(path: string): string[] {
  return partsOf(path).map((part) => {
    if (typeof part === "number") throw new Error(`${path}: a place in a list cannot be set in many items; set the whole list`);
    return part;
  });
}

/** Returns why an edit makes no sense for a table; undefined if it does. */
export function problemOfEdit(table: TableInfo, { way, set, remove }: Edit): string | undefined {
  if (way === "delete") return undefined;
  if (set.length + remove.length === 0) return "Name an attribute to set or to remove";
  const keys = table.KeySchema.map((key) => key.AttributeName);
  try {
    const paths = [...set.map(([path]) => path), ...remove].map(namesOf);
    const key = paths.map(([name]) => name!).find((name) => keys.includes(name));
    if (key) return `${key} is in the key of the table: items keep their keys`;
    const texts = paths.map((path) => pathText(path));
    const twice = texts.find((text, at) => texts.indexOf(text) !== at);
    if (twice) return `${twice} is there twice`;
    const inside = paths.find((path) => paths.some((other) => other.length < path.length && other.every((name, at) => path[at] === name)));
    if (inside) return `${pathText(inside)} is a part of another one: name one of them`;
  } catch (why) {
    return (why as Error).message;
  }
  for (const { AttributeName: name, AttributeType: type } of table.AttributeDefinitions) {
    const value = set.find(([path]) => path === name)?.[1];
    if (value && typeOf(value) !== type) return `${name} is in the key of an index, which wants a ${typeNames[type]}`;
  }
  return undefined;
}

const own = (map: Item, name: string): Value | undefined => (Object.hasOwn(map, name) ? map[name] : undefined);

/** Returns a map with a value put at a path, or taken away. Fails if there is no map on the way. */
function put(map: Item, [name, ...more]: readonly string[], value: Value | undefined, path: string): Item {
  const entries = new Map(Object.entries(map));
  if (more.length > 0) {
    const inner = own(map, name!);
    if (!value && !(inner && "M" in inner)) return map; // there is nothing to take away
    if (!inner || !("M" in inner)) throw new Error(`${path}: ${name} is ${inner ? `a ${typeNames[typeOf(inner)]}` : "not there"}, and no map`);
    entries.set(name!, { M: put(inner.M, more, value, path) });
  } else if (value) entries.set(name!, value);
  else entries.delete(name!);
  return Object.fromEntries(entries);
}

/** Returns what an edit changes in an item: nothing, if it is so already. Fails if it cannot be done with this one. */
export function changesBy({ way, set, remove }: Edit, item: Item): Change[] {
  if (way === "delete") return changesOf(item, {});
  let after = item;
  for (const [path, value] of set) after = put(after, namesOf(path), value, path);
  for (const path of remove) after = put(after, namesOf(path), undefined, path);
  if (itemSize(after) > sizeMost) throw new Error("The item would be larger than 400 KB");
  return changesOf(item, after);
}

/** Returns a number that is another one for another text, but for one in 2^53. */
export function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

/** Returns the same text for the same changes, whatever order sets and maps come in. */
export function textOfChanges(changes: readonly Change[]): string {
  const sorted = [...changes].sort((a, b) => (pathText(a.path) < pathText(b.path) ? -1 : 1));
  return JSON.stringify(sorted, (name, value: unknown) => {
    if (Array.isArray(value)) return ["SS", "NS", "BS"].includes(name) ? [...value].sort() : value;
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });
}
