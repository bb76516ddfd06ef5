// Requests that read, page after page: a Query, a Scan, or a PartiQL statement.
import { call } from "./call";
import type { Item } from "./value";

export interface ReadRequest {
  operation: "Query" | "Scan" | "ExecuteStatement";
  body: Record<string, unknown>;
  doesWrite?: boolean; // of a statement: a read-only page does not send it
}

/** Where a page begins: the last key of the page before, or the token of a statement. */
export type Cursor = Item | string;

export interface Page {
  items: Item[];
  count: number; // of the items, which are not there if the request only counts
  scanned: number;
  units: number;
  next: Cursor | undefined; // undefined: it was the last page
}

interface Answer {
  Items?: Item[];
  Count?: number;
  ScannedCount?: number;
  LastEvaluatedKey?: Item;
  NextToken?: string;
  ConsumedCapacity?: { CapacityUnits: number };
}

interface PageOptions {
  start?: Cursor | undefined;
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

export async function readPage({ operation, body, doesWrite }: ReadRequest, { start, limit, signal }: PageOptions): Promise<Page> {
  const isStatement = operation === "ExecuteStatement";
  const whole = { ...body, ReturnConsumedCapacity: "TOTAL", ...(limit ? { Limit: limit } : {}), ...(start ? { [isStatement ? "NextToken" : "ExclusiveStartKey"]: start } : {}) };
  const answer = await call<Answer>(operation, whole, { doesRead: !doesWrite, ...(signal ? { signal } : {}) });
  const items = answer.Items ?? [];
  const count = answer.Count ?? items.length;
  return { items, count, scanned: answer.ScannedCount ?? count, units: answer.ConsumedCapacity?.CapacityUnits ?? 0, next: isStatement ? answer.NextToken : answer.LastEvaluatedKey };
}

/** Reads all pages, each when it is asked for. Without a limit of the request, the database decides how much a page has: 1 MB. */
export async function* pagesOf(request: ReadRequest, signal: AbortSignal): AsyncGenerator<Page> {
  for (let start: Cursor | undefined; ; ) {
    const page = await readPage(request, { start, signal });
    yield page;
    start = page.next;
    if (start === undefined) return;
  }
}
