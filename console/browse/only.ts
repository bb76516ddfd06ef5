// The items of one entity among all that were read. Items are not read again: the pages remember what each of theirs is.
import type { Signal } from "@preact/signals";
import type { Item } from "../db/value";
import type { Facets } from "../lens/facets";
import type { Seen } from "../lens/look";
import type { Results, Rows } from "./results";

const unrewardedMost = 2000; // items that are read without finding one more; somebody may ask for more

export class Only implements Rows {
  readonly facets: Facets;
  readonly only: string;
  private readonly all: Results;
  private pages = 0; // that `positions` covers
  private positions: number[] = [];
  private until: number;

  constructor(all: Results, facets: Facets, name: string) {
    this.all = all;
    this.facets = facets;
    this.only = name;
    this.until = all.count + unrewardedMost;
  }

  get version(): Signal<number> {
    return this.all.version;
  }

  get count(): number {
    this.follow();
    return this.positions.length;
  }

  get isComplete(): boolean {
    return this.all.isComplete;
  }

  item(position: number): Item | undefined {
    const at = this.positions[position];
    return at === undefined ? undefined : this.all.item(at);
  }

  seen(position: number): Seen | undefined {
    const at = this.positions[position];
    return at === undefined ? undefined : this.all.seen(at);
  }

  isLarge(name: string): boolean {
    return this.all.isLarge(name);
  }

  show(from: number, to: number): void {
    this.all.showEach(this.positions.slice(from, to));
  }

  /** Reads until there are so many, no more, or so many others that somebody should decide. */
  async read(wanted: number): Promise<void> {
    while (this.count < wanted && this.all.count < this.until && !this.isComplete) {
      const before = this.all.count;
      await this.all.read(before + 1);
      if (this.all.count === before) return; // stopped, failed, or somebody else reads
    }
  }

  /** Reads although the last items that were read are others. */
  readOn(): void {
    this.until = this.all.count + unrewardedMost;
    void this.read(this.count + 1);
  }

  /** Finds the items among the pages that came. */
  private follow(): void {
    const pages = this.all.kinds();
    const kind = this.facets.names.peek().indexOf(this.only);
    for (; this.pages < pages.length; this.pages++) {
      const { first, kinds } = pages[this.pages]!;
      const before = this.positions.length;
      for (let at = 0; at < kinds.length; at++) if (kinds[at] === kind) this.positions.push(first + at);
      if (this.positions.length > before) this.until = first + kinds.length + unrewardedMost;
    }
  }
}
