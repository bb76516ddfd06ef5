// What the server counts, asked for again and again while somebody looks; charts are made from the differences.
import { signal } from "@preact/signals";
import { ask } from "../session";

interface Requests {
  name: string;
  count: number;
  seconds: number;
  errors: number;
  buckets: number[]; // cumulative, by the bounds of the sample; the last one counts all
}

export interface Sample {
  at: number; // milliseconds since 1970
  resident: number;
  bounds: number[]; // seconds
  requests: Requests[];
  values: Record<string, number>;
}

const samplesMost = 1800; // an hour
export const everyMs = 2000;

/** They stay while the page is open, so that whoever comes back finds them. */
export const samples = signal<readonly Sample[]>([]);
export const error = signal<Error | undefined>(undefined);

async function look(): Promise<void> {
  try {
    const sample = await ask<Sample>("/console/metrics");
    const before = samples.peek();
    // After a restart the counts begin anew.
    const isNew = before.length > 0 && sum(sample) < sum(before.at(-1)!);
    samples.value = isNew ? [sample] : [...before.slice(-samplesMost + 1), sample];
    error.value = undefined;
  } catch (why) {
    error.value = why as Error;
  }
}

const sum = ({ requests }: Sample): number => requests.reduce((all, one) => all + one.count, 0);

/** Asks until the function it returns is called. */
export function watch(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isOver = false;
  const next = async (): Promise<void> => {
    if (document.visibilityState === "visible") await look();
    if (!isOver) timer = setTimeout(() => void next(), everyMs);
  };
  void next();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Numbers over time, one for each sample; null: nothing is known. */
export interface Line {
  name: string;
  values: (number | null)[];
}

export interface Series {
  times: number[]; // seconds since 1970
  lines: Line[];
}

type Samples = readonly Sample[];
// A pause, in which nobody looked, is a gap and not a slow slope.
const isGap = (before: Sample, after: Sample): boolean => after.at - before.at > 4 * everyMs || after.at <= before.at;
const timesOf = (all: Samples): number[] => all.slice(1).map((sample) => sample.at / 1000);

/** The growth per second between two samples. */
const rates = (all: Samples, count: (sample: Sample) => number): (number | null)[] =>
  all.slice(1).map((after, at) => (isGap(all[at]!, after) ? null : Math.max(0, (count(after) - count(all[at]!)) / ((after.at - all[at]!.at) / 1000))));

const requestsOf = (sample: Sample, name: string): Requests | undefined => sample.requests.find((one) => one.name === name);
const operationsMost = 6;

/** Requests per second by operation: the busiest by name, the others together. */
export function throughput(all: Samples): Series {
  const last = all.at(-1)?.requests ?? [];
  const busiest = [...last].sort((a, b) => b.count - a.count).slice(0, operationsMost).map(({ name }) => name);
  const lines = busiest.map((name) => ({ name, values: rates(all, (sample) => requestsOf(sample, name)?.count ?? 0) }));
  if (last.length > operationsMost) lines.push({ name: "others", values: rates(all, ({ requests }) => requests.filter(({ name }) => !busiest.includes(name)).reduce((sum, one) => sum + one.count, 0)) });
  return { times: timesOf(all), lines };
}

/** Returns how many requests took at most as long as each bound, between two samples. */
function between(before: Sample, after: Sample, name: string): number[] {
  const chosen = (sample: Sample): Requests[] => sample.requests.filter((one) => !name || one.name === name);
  const total = (sample: Sample, at: number): number => chosen(sample).reduce((all, one) => all + (one.buckets[at] ?? 0), 0);
  return [...after.bounds, Infinity].map((_, at) => total(after, at) - total(before, at));
}

/** The time that this part of the requests took at most, in milliseconds: within a bucket, times are taken to be even. */
export function percentile(counts: number[], bounds: number[], part: number): number | null {
  const all = counts.at(-1) ?? 0;
  if (all <= 0) return null;
  const wanted = all * part;
  const at = counts.findIndex((count) => count >= wanted);
  const top = bounds[at];
  if (top === undefined) return (bounds.at(-1) ?? 0) * 1000;
  const below = at === 0 ? 0 : counts[at - 1]!;
  const bottom = at === 0 ? 0 : bounds[at - 1]!;
  return (bottom + (top - bottom) * ((wanted - below) / Math.max(1, counts[at]! - below))) * 1000;
}

const parts = [["half", 0.5], ["95 %", 0.95], ["99 %", 0.99]] as const;

export function latency(all: Samples, name: string): Series {
  const counts = all.slice(1).map((after, at) => (isGap(all[at]!, after) ? [] : between(all[at]!, after, name)));
  return { times: timesOf(all), lines: parts.map(([label, part]) => ({ name: label, values: counts.map((one, at) => percentile(one, all[at + 1]!.bounds, part)) })) };
}

const value = (name: string) => (sample: Sample): number => sample.values[name] ?? 0;

export function failures(all: Samples): Series {
  return {
    times: timesOf(all),
    lines: [
      { name: "errors", values: rates(all, ({ requests }) => requests.reduce((sum, one) => sum + one.errors, 0)) },
      { name: "throttled", values: rates(all, value("tavola_throttle_events_total")) },
      { name: "access refused", values: rates(all, value("tavola_access_refused_total")) },
    ],
  };
}

export function capacity(all: Samples): Series {
  return { times: timesOf(all), lines: [{ name: "read units", values: rates(all, value("tavola_read_units_total")) }, { name: "write units", values: rates(all, value("tavola_write_units_total")) }] };
}

const gauge = (all: Samples, name: string, read: (sample: Sample) => number): Line => ({ name, values: all.slice(1).map(read) });

export function memory(all: Samples): Series {
  const lines = [gauge(all, "process", ({ resident }) => resident), gauge(all, "cache of data files", value("rocksdb_cache_bytes")), gauge(all, "not yet in a file", value("rocksdb_memtable_bytes")), gauge(all, "requests under way", value("tavola_http_request_memory_bytes"))];
  return { times: timesOf(all), lines: lines.filter((line) => line.values.some((one) => one !== 0)) };
}

export function storage(all: Samples): Series {
  const lines = [gauge(all, "data files", value("rocksdb_files_bytes")), gauge(all, "left to compact", value("rocksdb_pending_compaction_bytes"))];
  return { times: timesOf(all), lines: lines.filter((line) => line.values.some((one) => one !== 0)) };
}

export const connections = (all: Samples): Series => ({ times: timesOf(all), lines: [gauge(all, "open", value("tavola_http_connections_open"))] });
export const names = (all: Samples): string[] => (all.at(-1)?.requests ?? []).map(({ name }) => name).sort();
