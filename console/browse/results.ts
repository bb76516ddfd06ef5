// The items that a request found, page after page. A table may have millions of them, so items far from those on the screen are forgotten; their
// pages remember where they begin and are read again when somebody scrolls back. The memory of the page stays the same.
import { type Signal, signal } from "@preact/signals";
import { type Cursor, type Page as Answer, type ReadRequest, readPage } from "../db/pages";
import { type Item, type Type, itemSize, typeOf } from "../db/value";
import { type Facets, nameOf } from "../lens/facets";
import type { Seen } from "../lens/look";

interface Page {
  start: Cursor | undefined;
  limit: number | undefined;
  first: number; // the position of its first item among all
  count: number;
  items: Item[] | undefined; // undefined: forgotten
  seen: readonly Seen[]; // what each of `items` is; empty if the table has no design
  kinds: Uint16Array; // the same in short, which is never forgotten: positions in Facets.names
}

export interface Progress {
  found: number;
  scanned: number;
  units: number;
  bytes: number;
  milliseconds: number;
  requests: number;
  isRunning: boolean;
  isComplete: boolean;
  error: Error | undefined;
}

/** What a table of items shows: all that was found, or some of it. */
export interface Rows {
  readonly version: Signal<number>;
  readonly count: number;
  readonly isComplete: boolean;
  readonly facets: Facets | undefined;
  readonly only: string | undefined; // the name of what all of them are; undefined: anything
  item(position: number): Item | undefined;
  seen(position: number): Seen | undefined;
  isLarge(name: string): boolean;
  show(from: number, to: number): void;
  read(wanted: number): Promise<void>;
}

const keptMost = 3000; // items in memory, beside those of the pages on the screen
const limitOfAll = 1000; // at least, when everything is wanted

export class Results implements Rows {
  /** Changes whenever there are other items to show. */
  readonly version = signal(0);
  readonly progress = signal<Progress>({ found: 0, scanned: 0, units: 0, bytes: 0, milliseconds: 0, requests: 0, isRunning: false, isComplete: false, error: undefined });
  /** The names of the attributes that items have, in the order in which they came. */
  readonly attributes = signal<readonly string[]>([]);

  readonly request: ReadRequest;
  readonly facets: Facets | undefined;
  readonly only = undefined;
  private readonly pages: Page[] = [];
  private readonly known = new Map<string, Type>(); // with the type of its first value
  private next: Cursor | undefined;
  private stopping = new AbortController();
  private readonly reading = new Set<Page>();
  private shown: ReadonlySet<Page> = new Set();

  /** With facets, what each item is comes with it: no sensitive value is shown before that is known. */
  constructor(request: ReadRequest, facets?: Facets) {
    this.request = request;
    this.facets = facets;
  }

  get count(): number {
    return this.progress.peek().found;
  }

  get isComplete(): boolean {
    return this.progress.peek().isComplete;
  }

  /** Returns an item by its position; undefined while it is not in memory. */
  item(position: number): Item | undefined {
    const page = this.pageAt(position);
    return page?.items?.[position - page.first];
  }

  /** Returns what the item is; undefined while it is not in memory, or if the table has no design. */
  seen(position: number): Seen | undefined {
    const page = this.pageAt(position);
    return page?.items && page.seen[position - page.first];
  }

  /** Returns what the items are, page after page: the position of each page's first item, and positions in Facets.names. */
  kinds(): { first: number; kinds: Uint16Array }[] {
    return this.pages;
  }

  /** Returns whether an attribute has values that need much room. */
  isLarge(name: string): boolean {
    return !["S", "N", "BOOL", "NULL"].includes(this.known.get(name) ?? "S");
  }

  stop(): void {
    this.stopping.abort();
    this.stopping = new AbortController();
  }

  /** Reads until there are so many items, or no more. */
  async read(wanted: number): Promise<void> {
    const { isRunning, isComplete } = this.progress.peek();
    if (isRunning || isComplete || this.count >= wanted) return;
    const { signal: stopped } = this.stopping;
    this.change({ isRunning: true, error: undefined });
    try {
      while (!stopped.aborted && !this.progress.peek().isComplete && this.count < wanted) await this.readNext(wanted, stopped);
    } catch (why) {
      if (!stopped.aborted) this.change({ error: why as Error });
    }
    this.change({ isRunning: false });
  }

  /** Notes which items are on the screen, reads forgotten ones again and forgets others. */
  show(from: number, to: number): void {
    this.showPages(new Set(this.pages.filter((page) => page.first < to && page.first + page.count > from)));
  }

  /** The same for items that do not lie together. */
  showEach(positions: readonly number[]): void {
    this.showPages(new Set(positions.flatMap((position) => this.pageAt(position) ?? [])));
  }

  private showPages(pages: ReadonlySet<Page>): void {
    this.shown = pages;
    for (const page of pages) if (!page.items) void this.readAgain(page);
    this.forget();
  }

  private change(part: Partial<Progress>): void {
    this.progress.value = { ...this.progress.peek(), ...part };
  }

  private pageAt(position: number): Page | undefined {
    let low = 0;
    let high = this.pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.pages[middle]!.first <= position) low = middle;
      else high = middle - 1;
    }
    return this.pages[low];
  }

  private ask(start: Cursor | undefined, limit: number | undefined, signal?: AbortSignal): Promise<Answer> {
    return readPage(this.request, { start, limit, signal });
  }

  private async readNext(wanted: number, stopped: AbortSignal): Promise<void> {
    const own = this.request.body["Limit"] as number | undefined;
    const limit = own && wanted === Infinity ? Math.max(own, limitOfAll) : own;
    const started = performance.now();
    const answer = await this.ask(this.next, limit, stopped);
    const seen = (await this.facets?.see(answer.items)) ?? [];
    if (stopped.aborted) return;
    const before = this.progress.peek();
    if (answer.items.length > 0) this.pages.push({ start: this.next, limit, first: before.found, count: answer.items.length, items: answer.items, seen, kinds: this.kindsOf(seen) });
    this.facets?.count(seen);
    this.next = answer.next;
    this.learn(answer.items);
    this.change({
      found: before.found + answer.items.length,
      scanned: before.scanned + answer.scanned,
      units: before.units + answer.units,
      bytes: before.bytes + answer.items.reduce((all, item) => all + itemSize(item), 0),
      milliseconds: before.milliseconds + performance.now() - started,
      requests: before.requests + 1,
      isComplete: !answer.next,
    });
    this.forget();
    this.version.value++;
  }

  private learn(items: Item[]): void {
    const before = this.known.size;
    for (const item of items) for (const name of Object.keys(item)) if (!this.known.has(name)) this.known.set(name, typeOf(item[name]!));
    if (this.known.size > before) this.attributes.value = [...this.known.keys()];
  }

  private kindsOf(seen: readonly Seen[]): Uint16Array {
    const names = this.facets?.names.peek() ?? [];
    return Uint16Array.from(seen, (one) => names.indexOf(nameOf(one)));
  }

  private async readAgain(page: Page): Promise<void> {
    if (this.reading.has(page)) return;
    this.reading.add(page);
    try {
      const found = await this.ask(page.start, page.limit);
      // Items may have come or gone since; the positions of the others stay.
      const items = found.items.slice(0, page.count);
      page.seen = (await this.facets?.see(items)) ?? [];
      page.items = items;
      this.version.value++;
    } catch (why) {
      this.change({ error: why as Error });
    } finally {
      this.reading.delete(page);
    }
  }

  private forget(): void {
    const shown = [...this.shown];
    const middle = shown.reduce((sum, page) => sum + page.first, 0) / Math.max(shown.length, 1);
    const distance = (page: Page): number => Math.abs(page.first - middle);
    const kept = this.pages.filter((page) => page.items && !this.shown.has(page)).sort((a, b) => distance(a) - distance(b));
    let count = 0;
    for (const page of kept) {
      count += page.count;
      if (count > keptMost) (page.items = undefined), (page.seen = []);
    }
  }
}
