// The key of an item, and the URL of the view that shows it.
import type { TableInfo } from "./tables";
import type { Item } from "./value";

export function keyOf(table: TableInfo, item: Item): Item {
  return Object.fromEntries(table.KeySchema.flatMap(({ AttributeName }) => (item[AttributeName] ? [[AttributeName, item[AttributeName]]] : [])));
}

/** Returns whether an item has its whole key; what a projection returns may have not. */
export const isWholeKey = (table: TableInfo, item: Item): boolean => table.KeySchema.every((key) => Object.hasOwn(item, key.AttributeName));

/** Returns the key as text: the same for the same key. */
export const keyText = (table: TableInfo, item: Item): string => JSON.stringify(keyOf(table, item));
export const itemUrl = (table: TableInfo, item: Item): string => `/t/${encodeURIComponent(table.TableName)}/item?key=${encodeURIComponent(keyText(table, item))}`;
/** The URL of the history of an item. Without an item it asks for a key. */
export const historyUrl = (table: TableInfo, item?: Item): string => `/t/${encodeURIComponent(table.TableName)}/history${item ? `?key=${encodeURIComponent(keyText(table, item))}` : ""}`;

/** Reads a key of a URL. Whether it is one of the table, the database says. */
export function keyIn(query: URLSearchParams, name: string): Item | undefined {
  try {
    const key: unknown = JSON.parse(query.get(name) ?? "null");
    return typeof key === "object" && key !== null ? (key as Item) : undefined;
  } catch {
    return undefined;
  }
}
