// Deletes every item of a table and leaves the table: its indexes, stream and settings stay as they are.
import { pagesOf } from "../db/pages";
import type { TableInfo } from "../db/tables";
import type { Job } from "../many/job";
import { inParallel, writeBatch } from "../many/writing";
import { writes } from "../items/undo";

const batchSize = 25; // the most that BatchWriteItem takes
const batchesAtOnce = 4;

export async function purge(table: TableInfo, job: Job<true>): Promise<true> {
  const names = Object.fromEntries(table.KeySchema.map(({ AttributeName }, at) => [`#k${at}`, AttributeName]));
  const body = { TableName: table.TableName, ProjectionExpression: Object.keys(names).join(), ExpressionAttributeNames: names, ConsistentRead: true, Limit: 1000 };
  let done = 0;
  try {
    for await (const { items } of pagesOf({ operation: "Scan", body }, job.signal)) {
      const batches = Array.from({ length: Math.ceil(items.length / batchSize) }, (_, at) => items.slice(at * batchSize, (at + 1) * batchSize));
      const work = async (keys: typeof items): Promise<void> => {
        await writeBatch(table.TableName, keys.map((Key) => ({ DeleteRequest: { Key } })), job.signal);
        job.count("deleted", keys.length);
        job.note({ done: (done += keys.length) });
      };
      await inParallel(batches, batchesAtOnce, work, job.signal);
    }
  } finally {
    writes.value++;
  }
  return true;
}
