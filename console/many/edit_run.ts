// An edit of many items: the dry run, the edit, and its undo. Every write has its condition: an item that is not as the dry run saw it is listed and
// left alone. What undoes the writes lies on the disk, and not in the memory of the page.
import { itemUrl, keyOf, keyText } from "../db/key";
import { pathText } from "../db/placeholders";
import type { TableInfo } from "../db/tables";
import { type Item, preview } from "../db/value";
import type { Change } from "../items/changes";
import { Collision, type WriteRequest, createRequest, deleteRequest, updateRequest, write } from "../items/requests";
import { writes } from "../items/undo";
import { type Facets, mask, withMask } from "../lens/facets";
import type { Seen } from "../lens/look";
import { choose } from "./chosen";
import { type Edit, changesBy, hashOf, textOfChanges } from "./edit";
import type { Job } from "./job";
import { type Source, piecesOf } from "./source";
import { Spool, linesOf } from "./spool";
import { inParallel, patiently } from "./writing";

export interface Sample {
  name: string;
  url: string;
  changes: readonly Change[];
  request: WriteRequest;
}

export interface Plan {
  edit: Edit;
  count: number; // items that would be written
  seen: ReadonlyMap<number, number>; // of each: its key, and what would be changed, as hashes
  samples: readonly Sample[];
}

const samplesMost = 50;
const writesAtOnce = 8;

export const nameOfItem = (table: TableInfo, item: Item): string => Object.values(keyOf(table, item)).map((value) => preview(value)).join(" · ");

export const requestOf = (table: TableInfo, item: Item, edit: Edit, changes: readonly Change[]): WriteRequest =>
  edit.way === "delete" ? deleteRequest(table, item) : updateRequest(table, keyOf(table, item), changes);

/** Returns an example with masks for what is sensitive. */
function sampleOf({ table, facets }: Source, item: Item, seen: Seen | undefined, edit: Edit, changes: readonly Change[]): Sample {
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const masked = changes.filter(({ path }) => !keys.includes(path[0]!)).map((change) => (facets?.isSensitive(seen, change.path[0]!) && change.before ? { ...change, before: { S: mask } } : change));
  return { name: nameOfItem(table, item), url: itemUrl(table, item), changes: masked, request: requestOf(table, shownItem(facets, seen, item), edit, masked) };
}
const shownItem = (facets: Facets | undefined, seen: Seen | undefined, item: Item): Item => (facets ? withMask(facets, seen, item) : item);

export async function tryEdit(source: Source, edit: Edit, job: Job<Plan>): Promise<Plan> {
  const { table } = source;
  const seen = new Map<number, number>();
  const samples: Sample[] = [];
  const verb = edit.way === "delete" ? "would be deleted" : "would be changed";
  let done = 0;
  for await (const piece of piecesOf(source, job.signal)) {
    for (const [at, item] of piece.items.entries()) {
      try {
        const changes = changesBy(edit, item);
        job.count(changes.length > 0 ? verb : "are so already");
        if (changes.length === 0) continue;
        seen.set(hashOf(keyText(table, item)), hashOf(textOfChanges(changes)));
        if (samples.length < samplesMost) samples.push(sampleOf(source, item, piece.seen[at], edit, changes));
      } catch (why) {
        job.count("cannot be");
        job.list({ kind: "Not possible", where: nameOfItem(table, item), url: itemUrl(table, item), reason: (why as Error).message });
      }
    }
    job.note({ done: (done += piece.items.length) });
  }
  return { edit, count: seen.size, seen, samples };
}

/** What undoes a write: the changes that it made to the item of a key, or the item that it deleted. */
type Inverse = { key: Item; changes: readonly Change[] } | { item: Item };

export interface Applied {
  way: Edit["way"];
  count: number;
  undo: Blob | undefined; // an Inverse on each line
}

class Applying {
  private readonly source: Source;
  private readonly plan: Plan;
  private readonly job: Job<Applied>;
  private readonly spool: Spool;
  count = 0;
  private looked = 0;

  constructor(source: Source, plan: Plan, job: Job<Applied>, spool: Spool) {
    this.source = source;
    this.plan = plan;
    this.job = job;
    this.spool = spool;
  }

  async all(): Promise<void> {
    for await (const { items } of piecesOf(this.source, this.job.signal)) await inParallel(items, writesAtOnce, (item) => this.one(item), this.job.signal);
    const gone = this.plan.count - this.looked;
    if (gone > 0 && !this.job.signal.aborted) this.job.count("are not there any more", gone);
  }

  /** Returns what is to be done with an item; undefined if it is not as the dry run saw it. */
  private expected(item: Item): Change[] | undefined {
    const known = this.plan.seen.get(hashOf(keyText(this.source.table, item)));
    try {
      const changes = changesBy(this.plan.edit, item);
      if (known === undefined) return changes.length > 0 ? undefined : [];
      return known === hashOf(textOfChanges(changes)) ? changes : undefined;
    } catch {
      return known === undefined ? [] : undefined; // the dry run has listed it
    }
  }

  private async one(item: Item): Promise<void> {
    const { job, plan, source: { table } } = this;
    const list = (kind: string, reason: string): void => job.list({ kind, reason, where: nameOfItem(table, item), url: itemUrl(table, item) });
    if (this.plan.seen.has(hashOf(keyText(table, item)))) this.looked++;
    try {
      const changes = this.expected(item);
      if (changes?.length === 0) return;
      if (!changes) {
        job.count("changed by somebody else, left alone");
        return list("Changed by somebody else", "It is not as the dry run saw it");
      }
      await patiently(() => write(requestOf(table, item, plan.edit, changes)), job.signal);
      await this.spool.write(`${JSON.stringify(plan.edit.way === "delete" ? { item } : { key: keyOf(table, item), changes })}\n`);
      job.count(plan.edit.way === "delete" ? "deleted" : "changed");
      job.note({ done: ++this.count });
    } catch (why) {
      if (why instanceof Collision) {
        job.count("changed by somebody else, left alone");
        list("Changed by somebody else", why.theirs ? "Somebody changed it while the edit ran" : "Somebody deleted it while the edit ran");
      } else if (!job.signal.aborted) {
        job.count("failed");
        list("Refused", (why as Error).message);
      }
    }
  }
}

/** Writes what a dry run has shown. What was written until a stop, or a failure, can be undone, too. */
export async function applyEdit(source: Source, plan: Plan, job: Job<Applied>): Promise<Applied> {
  const spool = await Spool.make();
  const applying = new Applying(source, plan, job, spool);
  job.note({ total: plan.count });
  try {
    await applying.all();
  } finally {
    writes.value++;
    if (!source.request && plan.edit.way === "delete") choose(source.table.TableName, new Map()); // they are not there any more
    job.result.value = { way: plan.edit.way, count: applying.count, undo: applying.count > 0 ? await spool.finish("application/x-ndjson") : void (await spool.drop()) };
  }
  return job.result.value!;
}

const inverseRequest = (table: TableInfo, inverse: Inverse): WriteRequest =>
  "item" in inverse ? createRequest(table, inverse.item) : updateRequest(table, inverse.key, inverse.changes.map(({ path, before, after }) => ({ path, before: after, after: before })));

/** Takes back what an edit has written, where nobody has changed it since. */
export async function undoEdit(table: TableInfo, undo: Blob, job: Job<true>): Promise<true> {
  let done = 0;
  const one = async (inverse: Inverse): Promise<void> => {
    const key = "item" in inverse ? keyOf(table, inverse.item) : inverse.key;
    try {
      await patiently(() => write(inverseRequest(table, inverse)), job.signal);
      job.count("undone");
    } catch (why) {
      if (job.signal.aborted) return;
      const isTheirs = why instanceof Collision;
      job.count(isTheirs ? "changed since, left alone" : "failed");
      const what = "changes" in inverse ? inverse.changes.map(({ path }) => pathText(path)).join(", ") : "an item with this key";
      job.list({ kind: isTheirs ? "Changed by somebody else" : "Refused", where: nameOfItem(table, key), url: itemUrl(table, key), reason: isTheirs ? `Somebody has written ${what} since` : (why as Error).message });
    }
    job.note({ done: ++done });
  };
  try {
    let batch: Inverse[] = [];
    for await (const line of linesOf(undo)) {
      if (batch.push(JSON.parse(line) as Inverse) < 200) continue;
      await inParallel(batch, writesAtOnce, one, job.signal);
      job.signal.throwIfAborted();
      batch = [];
    }
    await inParallel(batch, writesAtOnce, one, job.signal);
  } finally {
    writes.value++;
  }
  return true;
}
