// Follows a stream: all its shards, put in one order, in bounded memory. A paused tail asks for nothing; what happens meanwhile comes when it goes on,
// because the database keeps records for a day.
import { signal } from "@preact/signals";
import { DbError } from "../db/call";
import { type Change, type Place, isOpen, iteratorAt, readRecords, shardsOf } from "./api";

const waitMilliseconds = 700;
const keptMost = 1000;
const keptBytesMost = 8 * 1024 * 1024;
const manyRecords = 100; // after so many the next ones are asked for at once
const roundsBetweenShards = 60; // a stream elsewhere can get new shards

interface Reader {
  shard: string;
  iterator: string | undefined; // undefined: the shard has ended
  last: string | undefined; // the number of the last record
}

const compare = (a: Change, b: Change): number => a.at - b.at || a.sequence.length - b.sequence.length || (a.sequence < b.sequence ? -1 : a.sequence > b.sequence ? 1 : 0);

export class Tail {
  /** The newest changes, oldest first. */
  readonly changes = signal<readonly Change[]>([]);
  readonly count = signal(0); // all that came, also those that are not kept any more
  readonly isPaused = signal(false);
  readonly hasEnded = signal(false); // the stream was switched off, and everything was read
  readonly isReady = signal(false); // from now on nothing is missed
  readonly error = signal<Error | undefined>(undefined);
  private readonly stream: string;
  private readonly from: "now" | "oldest";
  /** Called with changes before they are shown. */
  private readonly arrive: (changes: readonly Change[]) => Promise<void>;
  private readonly readers = new Map<string, Reader>();
  private arrived: Change[] = []; // read, and not shown yet
  private readonly began = Math.floor(Date.now() / 1000) * 1000; // records say the second
  private timer: ReturnType<typeof setTimeout> | undefined;
  private rounds = 0;
  private isRunning = false;
  private isStopped = false;

  constructor(stream: string, from: "now" | "oldest", arrive: (changes: readonly Change[]) => Promise<void>) {
    this.stream = stream;
    this.from = from;
    this.arrive = arrive;
    this.run();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  pause(): void {
    this.isPaused.value = true;
    clearTimeout(this.timer);
  }

  goOn(): void {
    this.isPaused.value = false;
    this.error.value = undefined;
    this.run();
  }

  /** Forgets what is shown. */
  clear(): void {
    this.changes.value = [];
    this.count.value = 0;
  }

  private run(): void {
    clearTimeout(this.timer);
    if (this.isRunning) return;
    this.isRunning = true;
    this.round()
      .then(
        (found) => {
          if (!this.isStopped && !this.isPaused.peek() && !this.hasEnded.peek()) this.timer = setTimeout(() => this.run(), found >= manyRecords ? 0 : waitMilliseconds);
        },
        (why: Error) => this.isStopped || (this.error.value = why),
      )
      .finally(() => (this.isRunning = false));
  }

  /** Reads each shard once; returns how many records there were. */
  private async round(): Promise<number> {
    if (this.rounds % roundsBetweenShards === 0) await this.findShards();
    this.rounds++;
    const open = [...this.readers.values()].filter(({ iterator }) => iterator !== undefined);
    const read = await Promise.allSettled(open.map((reader) => this.read(reader)));
    const found = read.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    if (this.isStopped) return 0;
    this.arrived.push(...found);
    await this.arrive(this.arrived);
    this.keep(this.arrived);
    this.arrived = [];
    for (const one of read) if (one.status === "rejected") throw one.reason;
    this.isReady.value = true;
    if (open.some(({ iterator }) => iterator === undefined)) await this.findShards();
    this.hasEnded.value = [...this.readers.values()].every(({ iterator }) => iterator === undefined);
    return found.length;
  }

  /** Of shards that appear later, everything is read. */
  private async findShards(): Promise<void> {
    const isFirst = this.readers.size === 0;
    const isLater = !isFirst || this.from === "oldest";
    const shards = (await shardsOf(this.stream)).filter((shard) => !this.readers.has(shard.ShardId) && (isLater || isOpen(shard)));
    const place: Place = { ShardIteratorType: isLater ? "TRIM_HORIZON" : "LATEST" };
    const iterators = await Promise.all(shards.map(({ ShardId }) => iteratorAt(this.stream, ShardId, place)));
    for (const [at, { ShardId }] of shards.entries()) this.readers.set(ShardId, { shard: ShardId, iterator: iterators[at], last: undefined });
  }

  private async read(reader: Reader): Promise<Change[]> {
    try {
      const { changes, next } = await readRecords(reader.iterator!);
      reader.iterator = next;
      reader.last = changes.at(-1)?.sequence ?? reader.last;
      return changes;
    } catch (why) {
      if (!(why instanceof DbError) || !["ExpiredIteratorException", "TrimmedDataAccessException"].includes(why.kind)) throw why;
      return this.readAgain(reader, why.kind === "TrimmedDataAccessException");
    }
  }

  /** An iterator is good for fifteen minutes: after a longer pause the shard is read from the last record on, if it is still there. */
  private async readAgain(reader: Reader, isTrimmed: boolean): Promise<Change[]> {
    const place: Place = reader.last !== undefined && !isTrimmed ? { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: reader.last } : { ShardIteratorType: "TRIM_HORIZON" };
    reader.iterator = await iteratorAt(this.stream, reader.shard, place);
    const isComplete = this.from === "oldest" || reader.last !== undefined;
    const changes = await this.read(reader);
    return isComplete ? changes : changes.filter(({ at }) => at >= this.began);
  }

  private keep(found: readonly Change[]): void {
    if (found.length === 0) return;
    const all = [...this.changes.peek(), ...found].sort(compare).slice(-keptMost);
    let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
    let first = 0;
    for (; bytes > keptBytesMost && first < all.length - 1; first++) bytes -= all[first]!.bytes;
    this.changes.value = all.slice(first);
    this.count.value += found.length;
  }
}
