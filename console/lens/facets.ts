// The entities among the items of a table, as they are read page after page.
import { computed, signal } from "@preact/signals";
import type { TableInfo } from "../db/tables";
import type { Item } from "../db/value";
import { designOf, has } from "../session";
import { type Facet, type Seen, look } from "./look";

export const unknownName = "unknown";
export const recordName = "internal";

/** What an item is, in one word: its entity, "unknown", or "internal" for a record of the database itself. No entity has such a name. */
export const nameOf = (seen: Seen): string => ("entity" in seen ? seen.entity : "why" in seen ? unknownName : recordName);

const askedMost = 1000; // items of one question
const keyLettersMost = 4096; // base64 and text of the longest key attribute

/** An item without what cannot be a part of a key: enough to know what it is. */
function outline(item: Item): Item {
  const parts = Object.entries(item).filter(([, value]) => {
    const content = "S" in value ? value.S : "N" in value ? value.N : "B" in value ? value.B : undefined;
    return content !== undefined && content.length <= keyLettersMost;
  });
  return Object.fromEntries(parts);
}

export class Facets {
  readonly design: string;
  readonly keys: readonly string[];
  /** The entities of the design, in its order; empty until the first page is read. */
  readonly entities = signal<readonly Facet[]>([]);
  /** How many items of each name were read. */
  readonly counts = signal<ReadonlyMap<string, number>>(new Map());
  private masked = new Map<string, ReadonlySet<string>>();
  private readonly all = new Set<string>(); // what any entity hides

  /** `keys` are the attributes of the table's key. They are the addresses of items and never hidden. */
  constructor(design: string, keys: readonly string[]) {
    this.design = design;
    this.keys = keys;
  }

  /** Every entity, and what is none: the positions are the kinds of items. */
  readonly names = computed(() => [...this.entities.value.map(({ entity }) => entity), unknownName, recordName]);

  /** Returns what each item is. */
  async see(items: readonly Item[]): Promise<Seen[]> {
    const seen: Seen[] = [];
    for (let at = 0; at < items.length; at += askedMost) {
      const answer = await look(this.design, "facets", { items: items.slice(at, at + askedMost).map(outline) });
      this.learn(answer.entities);
      seen.push(...answer.items);
    }
    return seen;
  }

  count(seen: readonly Seen[]): void {
    const counts = new Map(this.counts.peek());
    for (const one of seen) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
    this.counts.value = counts;
  }

  /** Returns whether the value of an attribute is sensitive. An item of no entity hides what any entity hides. */
  isSensitive(seen: Seen | undefined, attribute: string): boolean {
    if (this.keys.includes(attribute)) return false;
    if (seen && "entity" in seen) return this.masked.get(seen.entity)?.has(attribute) ?? false;
    return this.all.has(attribute);
  }

  private learn(entities: readonly Facet[]): void {
    if (this.entities.peek().length > 0) return;
    this.masked = new Map(entities.map(({ entity, sensitive }) => [entity, new Set(sensitive)]));
    for (const { sensitive } of entities) for (const name of sensitive) this.all.add(name);
    this.entities.value = entities;
  }
}

/** Returns the facets of a table that a design governs; others have none. */
export function facetsOf(table: TableInfo): Facets | undefined {
  const design = designOf(table.TableName);
  return design !== undefined && has("lenses") ? new Facets(design, table.KeySchema.map((key) => key.AttributeName)) : undefined;
}

/** Returns an item with a mask in the place of each sensitive value. */
export function withMask(facets: Facets, seen: Seen | undefined, item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, facets.isSensitive(seen, name) ? { S: mask } : value]));
}

/** What stands for a value that is not shown, as in the answers of the server. */
export const mask = "***";
