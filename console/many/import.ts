// Items of a file into a table, batch after batch. What the database refuses is listed with its line and the reason.
import { keyOf, keyText } from "../db/key";
import type { TableInfo } from "../db/tables";
import type { Item } from "../db/value";
import { Collision, createRequest, write } from "../items/requests";
import { writes } from "../items/undo";
import type { Job } from "./job";
import { type Shape, entriesOf } from "./records";
import { readWhole } from "./source";
import { Lanes, inParallel, patiently, writeBatch } from "./writing";

export type Existing = "replace" | "keep"; // what becomes of items that are there with the same key

interface Line {
  line: number;
  item: Item;
}

const batchSize = 25; // the most that BatchWriteItem takes
const batchesAtOnce = 4;
const askedAtOnce = 100;

/** Puts lines into batches. Items with the same key are written one after the other: the last one stays. */
class Importer {
  private readonly table: TableInfo;
  private readonly existing: Existing;
  private readonly job: Job<true>;
  private batch: Line[] = [];
  private readonly lanes = new Lanes(batchesAtOnce);
  private readonly going = new Set<string>(); // the keys of what is on its way, and in the batch

  constructor(table: TableInfo, existing: Existing, job: Job<true>) {
    this.table = table;
    this.existing = existing;
    this.job = job;
  }

  async add(line: Line): Promise<void> {
    const key = keyText(this.table, line.item);
    if (this.going.has(key)) await this.end();
    this.going.add(key);
    this.batch.push(line);
    if (this.batch.length === batchSize) await this.send();
  }

  async end(): Promise<void> {
    await this.send();
    await this.lanes.end();
  }

  private async send(): Promise<void> {
    const lines = this.batch;
    this.batch = [];
    if (lines.length === 0 || this.job.signal.aborted) return;
    await this.lanes.start(async () => {
      await (this.existing === "replace" ? this.put(lines) : this.create(lines));
      for (const { item } of lines) this.going.delete(keyText(this.table, item));
    });
  }

  private async put(lines: readonly Line[]): Promise<void> {
    try {
      await writeBatch(this.table.TableName, lines.map(({ item }) => ({ PutRequest: { Item: item } })), this.job.signal);
      this.job.count("written", lines.length);
    } catch {
      // One item can be the reason for the whole batch: each is sent alone, so that the reason is its own.
      await this.each(lines, (item) => write({ operation: "PutItem", body: { TableName: this.table.TableName, Item: item } }));
    }
  }

  private create(lines: readonly Line[]): Promise<void> {
    return this.each(lines, (item) => write(createRequest(this.table, item)));
  }

  private async each(lines: readonly Line[], send: (item: Item) => Promise<unknown>): Promise<void> {
    const { job } = this;
    await inParallel(lines, 2, async ({ line, item }) => {
      try {
        await patiently(() => send(item), job.signal);
        job.count("written");
      } catch (why) {
        if (job.signal.aborted) return;
        if (why instanceof Collision) {
          job.count("left as they are");
          job.list({ kind: "Already there", where: `line ${line}`, reason: "An item with this key is in the table, and stays as it is" });
        } else {
          job.count("failed");
          job.list({ kind: "Refused", where: `line ${line}`, reason: (why as Error).message });
        }
      }
    }, job.signal);
  }
}

function noteWrong(job: Job<true>, line: number, problem: string): void {
  job.count("failed");
  job.list({ kind: "Wrong", where: `line ${line}`, reason: problem });
}

export async function importItems(file: File, shape: Shape, table: TableInfo, existing: Existing, job: Job<true>): Promise<true> {
  const importer = new Importer(table, existing, job);
  try {
    for await (const { entries, read } of entriesOf(file, shape, table, job.signal)) {
      for (const { line, item, problem } of entries) {
        if (item) await importer.add({ line, item });
        else noteWrong(job, line, problem ?? "it is no item");
        job.note({ done: read });
        job.signal.throwIfAborted();
      }
      job.note({ done: read });
    }
  } finally {
    await importer.end();
    writes.value++;
  }
  return true;
}

/** Reads the whole file and says what an import would do, without writing anything. */
export async function tryImport(file: File, shape: Shape, table: TableInfo, existing: Existing, job: Job<true>): Promise<true> {
  let asked: Item[] = [];
  const ask = async (): Promise<void> => {
    const keys = new Map(asked.map((item) => [keyText(table, item), keyOf(table, item)]));
    const found = await readWhole(table, [...keys.values()], job.signal);
    job.count("new", asked.length - found.length);
    if (found.length > 0) job.count(existing === "replace" ? "would replace an item" : "would be left as they are", found.length);
    asked = [];
  };
  for await (const { entries, read } of entriesOf(file, shape, table, job.signal)) {
    for (const { line, item, problem } of entries) {
      if (!item) noteWrong(job, line, problem ?? "it is no item");
      else if (asked.push(item) === askedAtOnce) await ask();
      job.note({ done: read });
    }
  }
  await ask();
  return true;
}
