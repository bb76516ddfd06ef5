// The items that something is done with, page after page: what a request finds, or the rows that somebody chose. No page is kept.
import { call } from "../db/call";
import { keyOf, keyText } from "../db/key";
import { pagesOf } from "../db/pages";
import { type TableInfo, indexesOf } from "../db/tables";
import type { Item } from "../db/value";
import { type Request, questionOf, requestOf, searchOf } from "../browse/question";
import { plural } from "../format";
import { type Facets, facetsOf, nameOf } from "../lens/facets";
import type { Seen } from "../lens/look";
import { chosenOf } from "./chosen";

export interface Piece {
  items: Item[];
  seen: readonly Seen[]; // what each item is; empty if the table has no design
  looked: number; // items that were looked at for it
}

export interface Source {
  table: TableInfo;
  words: string; // what it is, for people: "3 chosen items"
  request: Request | undefined; // none: chosen rows
  only: string; // the entity that is wanted; empty: any
  total: number | undefined; // how many there are at most, if that is known
  facets: Facets | undefined;
}

/** Returns what the URL of a view means. Fails if a value of it is none of its type. */
export function sourceOf(table: TableInfo, query: URLSearchParams): Source {
  const facets = facetsOf(table);
  const only = query.get("only") ?? "";
  if (only && !facets) throw new Error(`What is a ${only} is not known here: this server serves no design of ${table.TableName}. Choose the items by a filter instead`);
  if (query.get("of") === "chosen") {
    const { size } = chosenOf(table.TableName);
    return { table, words: `the ${plural(size, "chosen item")}`, request: undefined, only: "", total: size, facets };
  }
  const question = questionOf(query);
  const { operation, body } = requestOf(question, table);
  const { Limit: _, ...rest } = body;
  const isWhole = searchOf({ ...question, limit: 0, columns: [], isConsistent: false }) === "";
  const words = isWhole ? `all items of ${table.TableName}` : `what the ${operation} finds`;
  return { table, words: only ? `${words}, ${only} alone` : words, request: { operation, body: rest }, only, total: isWhole ? table.ItemCount : undefined, facets };
}

const keysOfRequest = 100; // the most that BatchGetItem takes

interface Found {
  Responses?: Record<string, Item[]>;
  UnprocessedKeys?: Record<string, { Keys: Item[] }>;
}

/** Reads items by their keys; those that are not there are left out. The order is that of the keys. */
export async function readWhole(table: TableInfo, keys: readonly Item[], signal: AbortSignal): Promise<Item[]> {
  const found = new Map<string, Item>();
  for (let at = 0; at < keys.length; at += keysOfRequest) {
    let left: readonly Item[] = keys.slice(at, at + keysOfRequest);
    while (left.length > 0) {
      const answer = await call<Found>("BatchGetItem", { RequestItems: { [table.TableName]: { Keys: left, ConsistentRead: true } } }, { signal });
      for (const item of answer.Responses?.[table.TableName] ?? []) found.set(keyText(table, item), item);
      left = answer.UnprocessedKeys?.[table.TableName]?.Keys ?? [];
    }
  }
  return keys.map((key) => found.get(keyText(table, key))).filter((item) => item !== undefined);
}

async function* chosenPieces(table: TableInfo, signal: AbortSignal): AsyncGenerator<Item[]> {
  const keys = [...chosenOf(table.TableName).values()];
  for (let at = 0; at < keys.length; at += keysOfRequest) yield readWhole(table, keys.slice(at, at + keysOfRequest), signal);
}

/** Reads what a request finds. Entries of an index may have a part of their items only: then the items are read by their keys. */
async function* foundPieces(table: TableInfo, request: Request, signal: AbortSignal): AsyncGenerator<{ items: Item[]; looked: number }> {
  const index = indexesOf(table).find((one) => one.IndexName === request.body["IndexName"]);
  const isPartial = index !== undefined && index.Projection.ProjectionType !== "ALL";
  for await (const { items, scanned } of pagesOf(request, signal)) yield { items: isPartial ? await readWhole(table, items.map((item) => keyOf(table, item)), signal) : items, looked: scanned };
}

export async function* piecesOf(source: Source, signal: AbortSignal): AsyncGenerator<Piece> {
  const { table, request, facets, only } = source;
  if (!request) {
    for await (const items of chosenPieces(table, signal)) yield { items, seen: (await facets?.see(items)) ?? [], looked: items.length };
    return;
  }
  for await (const { items, looked } of foundPieces(table, request, signal)) {
    const seen = (await facets?.see(items)) ?? [];
    const kept = (_: unknown, at: number): boolean => only === "" || nameOf(seen[at]!) === only;
    yield { items: items.filter(kept), seen: seen.filter(kept), looked };
  }
}
