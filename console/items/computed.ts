// What the design of a governed table says about the attributes of an item: which of them it computes, and which one a refusal names.
import { signal } from "@preact/signals";
import { ask, designOf, has } from "../session";
import type { Item, Value } from "../db/value";

interface Entity {
  name: string;
  key: Record<string, string>; // a template for each attribute of the table's key
  indexes: Record<string, Record<string, string | null>>;
  fields: { name: string; derived?: unknown }[];
}

const known = signal<ReadonlyMap<string, readonly Entity[]>>(new Map());

/** Asks for the entities of a table's design, once. Without a design, or from a server that tells none, nothing is computed. */
export async function loadDesignOf(table: string): Promise<void> {
  const design = designOf(table);
  if (!design || !has("designs") || known.peek().has(table)) return;
  const { entities } = await ask<{ entities: Entity[] }>(`/console/designs/${encodeURIComponent(design)}`);
  known.value = new Map(known.peek()).set(table, entities);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const textOf = (value: Value | undefined): string => (value && "S" in value ? value.S : value && "N" in value ? value.N : "");
function fits(template: string, value: Value | undefined): boolean {
  const pattern = template.split(/\{[^}]*\}/).map(escaped).join(".+");
  return new RegExp(`^${pattern}$`, "s").test(textOf(value));
}

/** Returns the attributes that the design computes, with the reason in words. */
export function computedOf(table: string, item: Item): Map<string, string> {
  const found = new Map<string, string>();
  const entity = known.value.get(table)?.find((one) => Object.entries(one.key).every(([name, template]) => fits(template, item[name])));
  for (const [name, template] of Object.entries(entity?.key ?? {})) found.set(name, `The key of ${entity!.name}: ${template}`);
  for (const index of Object.values(entity?.indexes ?? {})) noteIndex(found, index);
  for (const { name, derived } of entity?.fields ?? []) if (derived) found.set(name, typeof derived === "string" ? derived : "The design computes it");
  return found;
}

function noteIndex(found: Map<string, string>, index: Record<string, unknown>): void {
  // Either {attribute: template}, or {"hash": {attribute: template}, "range": …}.
  for (const [name, template] of Object.entries(index)) {
    if (typeof template === "string") found.set(name, `The design computes it: ${template}`);
    else if (typeof template === "object" && template !== null) noteIndex(found, template as Record<string, unknown>);
  }
}

/** Returns the attribute that a refusal of a design is about: "Tavola: Product.unitPrice must be ≥ 0" is about unitPrice. */
export function refusedAttribute(message: string, names: readonly string[]): string | undefined {
  const named = /^Tavola: [\w-]+\.([\w-]+)/.exec(message)?.[1];
  if (named && names.includes(named)) return named;
  return message.startsWith("Tavola:") ? names.filter((name) => new RegExp(`(^|[^\\w])${escaped(name)}($|[^\\w])`).test(message)).sort((a, b) => b.length - a.length)[0] : undefined;
}
