// Writes of many items: what is throttled is sent again with growing pauses, and several are on their way at a time.
import { call, DbError } from "../db/call";
import type { Item } from "../db/value";

const passing = /Throttl|ThroughputExceeded|RequestLimitExceeded|TransactionConflict|TransactionInProgress|InternalServer|ServiceUnavailable/;
const triesMost = 10;
const pauseMost = 5000;

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => (clearTimeout(timer), reject(signal.reason as Error));
    const timer = setTimeout(() => (signal.removeEventListener("abort", stop), resolve()), milliseconds);
    signal.aborted ? stop() : signal.addEventListener("abort", stop, { once: true });
  });

export const isPassing = (why: unknown): boolean => why instanceof DbError && (passing.test(why.kind) || why.status >= 500);

/** Sends something, again and again while the server only has too much to do. */
export async function patiently<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await send();
    } catch (why) {
      if (!isPassing(why) || tried === triesMost) throw why;
      await pause(Math.min(50 * 2 ** tried, pauseMost), signal);
    }
  }
}

interface BatchAnswer {
  UnprocessedItems?: Record<string, unknown[]>;
}

export type BatchedWrite = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

/** Puts or deletes items in one request; what the server has left is sent again. */
export async function writeBatch(table: string, requests: readonly BatchedWrite[], signal: AbortSignal): Promise<void> {
  let left: readonly unknown[] = requests;
  for (let tried = 1; left.length > 0; tried++) {
    const answer = await patiently(() => call<BatchAnswer>("BatchWriteItem", { RequestItems: { [table]: left } }), signal);
    left = answer.UnprocessedItems?.[table] ?? [];
    if (left.length > 0 && tried === triesMost) throw new Error("The server did not take all items, again and again. It may have too little throughput");
    if (left.length > 0) await pause(Math.min(50 * 2 ** tried, pauseMost), signal);
  }
}

/** Works on each of `all`, so many at a time. Begins nothing more when `signal` is aborted, or after a failure. */
export async function inParallel<T>(all: readonly T[], width: number, work: (one: T) => Promise<void>, signal: AbortSignal): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length && !signal.aborted) await work(all[next++]!).catch((why: unknown) => ((next = all.length), Promise.reject(why)));
  };
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, worker));
}

/** At most so many pieces of work at a time; `start` waits until there is room. */
export class Lanes {
  private readonly width: number;
  private readonly going = new Set<Promise<void>>();

  constructor(width: number) {
    this.width = width;
  }

  async start(work: () => Promise<void>): Promise<void> {
    while (this.going.size >= this.width) await Promise.race(this.going);
    const one: Promise<void> = work().finally(() => this.going.delete(one));
    one.catch(() => undefined); // whoever waits for it hears of it
    this.going.add(one);
  }

  async end(): Promise<void> {
    await Promise.all(this.going);
  }
}
