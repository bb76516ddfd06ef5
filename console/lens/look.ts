// The lenses of the server: questions about a governed table that only its design can answer (docs/CONSOLE.md). A design is known by its name.
import type { Item, Value } from "../db/value";
import { ask } from "../session";

export interface KeyPart {
  text: string;
  field?: string; // none: a constant of the template
  ref?: { entity: string; key: Item }; // what the field names
}

/** An item as lenses show it. One of no entity has `why` instead of `entity`. */
export interface ShownItem {
  entity?: string;
  why?: string;
  key: Item;
  item: Item;
  masked?: string[]; // attributes whose values are not in `item`
  parts?: Record<string, KeyPart[]>; // of each attribute of a key
}

export interface Facet {
  entity: string;
  title: string;
  count: number;
  sensitive: string[];
}
/** What an item is: of an entity, of none and why, or a record of the database itself. */
export type Seen = { entity: string } | { why: string } | { record: true };

export interface FacetsAnswer {
  entities: Facet[];
  unknown: number;
  items: Seen[];
}

export interface Twig {
  entity: string;
  title: string;
  range: string;
  items: number;
  patterns: string[];
}

export interface Branch {
  hash: string;
  items: number;
  partitions: number;
  largest: { value: Value; items: number }[];
  entities: Twig[];
}

export interface TreeAnswer {
  read: number;
  next: Item | null;
  unknown: number;
  samples: { key: Item; why: string }[];
  branches: Branch[];
}

export interface Lane {
  entity: string;
  title: string;
  range: string;
  patterns: string[];
  items: ShownItem[];
}

export interface PartitionAnswer {
  hash: { attribute: string; value: Value };
  count: number;
  next: Item | null;
  lanes: Lane[];
  unknown: ShownItem[];
}

export interface Naming {
  entity: string;
  field: string;
  index?: string;
  hash?: Value;
  range?: string;
  count?: number;
  more?: boolean;
  samples?: Item[];
  patterns?: string[];
  why?: string; // instead of a count
}

export interface ReferencesAnswer {
  item: ShownItem;
  names: { field: string; entity: string; key: Item; exists: boolean }[];
  namedBy: Naming[];
}

export interface IndexSight {
  index: string;
  title: string;
  local: boolean;
  hash?: string; // without these the design does not know the item
  range?: string;
  keys?: Item;
  entry?: ShownItem | null;
  why: string;
  unprojected?: string[];
  patterns?: string[];
}

export interface IndexesAnswer {
  item: ShownItem;
  indexes: IndexSight[];
}

export interface CopyProblem {
  rule: string;
  about: string;
  text: string;
  computable: boolean;
  whyLeft?: string;
}

export interface Neighbour {
  kind: "mirror" | "fanout" | "snapshot" | "counter" | "unique";
  name: string;
  entity?: string;
  key?: Item; // not of a unique value, as long as that is masked
  exists: boolean;
  item?: ShownItem;
}

export interface CopiesAnswer {
  item: ShownItem;
  problems: CopyProblem[];
  source?: { copy: string; entity: string; key: Item; exists: boolean };
  beside: Neighbour[];
  repaired: number;
}

export interface Check {
  what: "item" | "entity" | "index" | "partition" | "range" | "filter";
  holds: boolean;
  text: string;
}

export interface WhyNotAnswer {
  found: boolean;
  item: ShownItem | null;
  parts: { pattern: string; found: boolean; checks: Check[] }[];
}

export interface Answers {
  facets: FacetsAnswer;
  tree: TreeAnswer;
  partition: PartitionAnswer;
  references: ReferencesAnswer;
  indexes: IndexesAnswer;
  copies: CopiesAnswer;
  "why-not": WhyNotAnswer;
}

/** Asks a lens. Sensitive values are in its answer only if they shall be shown. */
export function look<Name extends keyof Answers>(design: string, lens: Name, question: object, sensitive: "masked" | "shown" = "masked"): Promise<Answers[Name]> {
  return ask(`/console/lens/${encodeURIComponent(design)}/${lens}${sensitive === "shown" ? "?sensitive=shown" : ""}`, question);
}
