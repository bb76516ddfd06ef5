// Deletes every item of a table and leaves the table: its indexes, stream and settings stay as they are.
import { call } from "../db/call";
import { type TableInfo } from "../db/tables";
import type { Item } from "../db/value";

const batchSize = 25; // the most that BatchWriteItem takes
const batchesAtOnce = 4;

interface Batch {
  UnprocessedItems?: Record<string, unknown[]>;
}

async function deleteBatch(table: string, keys: Item[]): Promise<void> {
  let left: unknown[] = keys.map((Key) => ({ DeleteRequest: { Key } }));
  for (let wait = 50; left.length > 0; wait = Math.min(wait * 2, 2000)) {
    const answer = await call<Batch>("BatchWriteItem", { RequestItems: { [table]: left } });
    left = answer.UnprocessedItems?.[table] ?? [];
    if (left.length > 0) await new Promise((resume) => setTimeout(resume, wait));
  }
}

interface ScanPage {
  Items: Item[];
  LastEvaluatedKey?: Item;
}

/** Reports how many items are gone after each page; ends early when `signal` is aborted. Returns how many were deleted. */
export async function purge(table: TableInfo, report: (deleted: number) => void, signal: AbortSignal): Promise<number> {
  const names = Object.fromEntries(table.KeySchema.map(({ AttributeName }, at) => [`#k${at}`, AttributeName]));
  const request = { TableName: table.TableName, ProjectionExpression: Object.keys(names).join(), ExpressionAttributeNames: names, ConsistentRead: true, Limit: 1000 };
  let deleted = 0;
  for (let last: Item | undefined; ; ) {
    const page = await call<ScanPage>("Scan", { ...request, ...(last ? { ExclusiveStartKey: last } : {}) }, { signal });
    const batches = Array.from({ length: Math.ceil(page.Items.length / batchSize) }, (_, at) => page.Items.slice(at * batchSize, (at + 1) * batchSize));
    const work = async (): Promise<void> => {
      for (let keys = batches.shift(); keys && !signal.aborted; keys = batches.shift()) {
        await deleteBatch(table.TableName, keys);
        deleted += keys.length;
      }
    };
    await Promise.all(Array.from({ length: batchesAtOnce }, work));
    report(deleted);
    last = page.LastEvaluatedKey;
    if (!last || signal.aborted) return deleted;
  }
}
