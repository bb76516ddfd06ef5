// The requests that the server answers, as they come. The last thousands are in memory; what a filter lets through is found once, when it arrives.
import { signal } from "@preact/signals";

export interface Row {
  id: number;
  at: number; // milliseconds since 1970
  ms: number;
  operation: string; // under /v1 "GET /v1/music/songsOf"
  tables?: string[];
  index?: string;
  patterns?: string[]; // empty: no pattern explains it; none: the table has no design, or it reads nothing
  scan?: boolean;
  scanned?: number;
  returned?: number;
  read?: number; // capacity units
  write?: number;
  status: number;
  error?: string;
  why?: string;
  key?: string;
  sent: number;
  received: number;
  from?: "console" | "tool";
}

interface Page {
  requests: Row[];
  last: number;
  missed: number;
}

export interface Filter {
  table: string;
  operation: string;
  pattern: string; // noPattern: requests that no pattern explains
  status: string; // "refused", "scan", or empty
  text: string;
  hasOwn: boolean; // with those of consoles
}

export const noPattern = "-";
export const noFilter: Filter = { table: "", operation: "", pattern: "", status: "", text: "", hasOwn: false };

export const isRefused = (row: Row): boolean => row.status >= 400;
const textOf = (row: Row): string => [row.operation, ...(row.tables ?? []), row.index, ...(row.patterns ?? []), row.error, row.why, row.key, row.status].join(" ").toLowerCase();

/** Returns whether a filter lets a row through. */
export function accepts(filter: Filter): (row: Row) => boolean {
  const words = filter.text.toLowerCase().split(" ").filter(Boolean);
  return (row) =>
    (filter.hasOwn || row.from !== "console") && (!filter.table || (row.tables?.includes(filter.table) ?? false)) && (!filter.operation || row.operation === filter.operation) &&
    (!filter.pattern || (filter.pattern === noPattern ? row.patterns?.length === 0 : (row.patterns?.includes(filter.pattern) ?? false))) &&
    (filter.status !== "refused" || isRefused(row)) && (filter.status !== "scan" || row.scan === true) &&
    (words.length === 0 || words.every((word) => textOf(row).includes(word)));
}

export const rowsMost = 10_000;
const namesMost = 500;

/** What somebody can choose from: everything that was seen since the view was opened. */
export interface Seen {
  tables: Set<string>;
  operations: Set<string>;
  patterns: Set<string>;
}

export class Feed {
  readonly version = signal(0);
  readonly isLive = signal(false); // the server sends
  readonly error = signal<Error | undefined>(undefined);
  readonly seen: Seen = { tables: new Set(), operations: new Set(), patterns: new Set() };
  rate = 0; // requests per second, those that are not shown included
  total = 0; // that came since the view was opened, those of consoles left out
  missed = 0; // that came too fast to be shown
  private all: Row[] = []; // the oldest first
  private rows: Row[] = []; // those that the filter lets through
  private accept: (row: Row) => boolean;
  private source: EventSource | undefined;
  private last = "";
  private recent: { at: number; count: number }[] = [];
  private retry: ReturnType<typeof setTimeout> | undefined;
  private ticks: ReturnType<typeof setInterval> | undefined;

  constructor(filter: Filter) {
    this.accept = accepts(filter);
  }

  /** Those that the filter lets through, the oldest first. */
  get shown(): readonly Row[] {
    return this.rows;
  }

  find(id: number): Row | undefined {
    return this.all.findLast((row) => row.id === id);
  }

  filter(filter: Filter): void {
    this.accept = accepts(filter);
    this.rows = this.all.filter(this.accept);
    this.version.value++;
  }

  clear(): void {
    this.all = [];
    this.rows = [];
    this.total = 0;
    this.missed = 0;
    this.version.value++;
  }

  /** The server records as long as somebody listens. */
  start(): void {
    this.stop();
    const source = new EventSource(`/console/requests/events${this.last ? `?after=${this.last}` : ""}`);
    this.source = source;
    this.ticks = setInterval(() => this.rate > 0 && (this.measure(0), this.version.value++), 1000);
    source.onopen = () => ((this.isLive.value = true), (this.error.value = undefined));
    source.onmessage = (event: MessageEvent<string>) => this.take(JSON.parse(event.data) as Page);
    // The server answers each batch and closes; the browser asks again by itself, unless it was refused.
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      this.isLive.value = false;
      this.error.value = new Error("The server does not send its requests. It may have been stopped, or your session has ended.");
      this.retry = setTimeout(() => this.start(), 3000);
    };
  }

  stop(): void {
    clearTimeout(this.retry);
    clearInterval(this.ticks);
    this.source?.close();
    this.source = undefined;
    this.isLive.value = false;
  }

  private take(page: Page): void {
    const isFirst = this.last === "";
    this.last = String(page.last);
    if (!isFirst) this.missed += page.missed;
    this.measure(page.requests.length + (isFirst ? 0 : page.missed));
    for (const row of page.requests) this.note(row);
    this.total += page.requests.filter((row) => row.from !== "console").length + (isFirst ? 0 : page.missed);
    this.all.push(...page.requests);
    this.rows.push(...page.requests.filter(this.accept));
    // Cut at once what would be cut one by one: arrays move when their beginning goes.
    if (this.all.length > 1.2 * rowsMost) {
      this.all = this.all.slice(-rowsMost);
      const oldest = this.all[0]!.id;
      this.rows = this.rows.filter((row) => row.id >= oldest);
    }
    this.version.value++;
  }

  private note({ tables = [], patterns = [], operation }: Row): void {
    const { seen } = this;
    for (const name of tables) if (seen.tables.size < namesMost) seen.tables.add(name);
    for (const name of patterns) if (seen.patterns.size < namesMost) seen.patterns.add(name);
    if (seen.operations.size < namesMost) seen.operations.add(operation);
  }

  private measure(count: number): void {
    const now = performance.now();
    this.recent.push({ at: now, count });
    while (this.recent[0]!.at < now - 1000) this.recent.shift();
    this.rate = this.recent.reduce((all, one) => all + one.count, 0);
  }
}
