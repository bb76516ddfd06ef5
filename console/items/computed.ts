// What the design of a governed table says about the attributes of an item: which of them it computes, which are sensitive, and which one a refusal names.
import { type Index, type TableInfo, indexesOf, keysOf } from "../db/tables";
import type { Item, Value } from "../db/value";
import { type Design, type Entity, knownDesign, loadDesign } from "../designs/api";
import { designOf, has } from "../session";

/** Asks for the design of a table. Without a design, or from a server that tells none, nothing is computed. */
export async function loadDesignOf(table: string): Promise<void> {
  const design = designOf(table);
  if (design && has("designs")) await loadDesign(design);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const textOf = (value: Value | undefined): string => (value && "S" in value ? value.S : value && "N" in value ? value.N : "");
function fits(template: string, value: Value | undefined): boolean {
  const pattern = template.split(/<[^>]*>/).map(escaped).join(".+");
  return new RegExp(`^${pattern}$`, "s").test(textOf(value));
}

const designOfTable = (table: string): Design | undefined => knownDesign(designOf(table) ?? "");
const entityOf = (design: Design | undefined, item: Item): Entity | undefined => design?.entities.find((one) => Object.entries(one.key).every(([name, template]) => fits(template, item[name])));

/** Returns the attributes that the design computes, with the reason in words. */
export function computedOf(table: TableInfo, item: Item): Map<string, string> {
  const found = new Map<string, string>();
  const entity = entityOf(designOfTable(table.TableName), item);
  for (const [name, template] of Object.entries(entity?.key ?? {})) found.set(name, `The key of ${entity!.name}: ${template}`);
  for (const index of indexesOf(table)) noteIndex(found, index, entity?.indexes[index.IndexName]);
  for (const { name, derived } of entity?.fields ?? []) if (derived) found.set(name, "The design computes it");
  return found;
}

function noteIndex(found: Map<string, string>, index: Index, keys: Entity["indexes"][string] | undefined): void {
  if (!keys) return;
  const [hash] = keysOf(index.KeySchema, "HASH");
  const [range] = keysOf(index.KeySchema, "RANGE");
  if (hash) found.set(hash, `The design computes it: ${keys.hash}`);
  if (range && keys.range) found.set(range, `The design computes it: ${keys.range}`);
}

/** Returns the attributes whose values are sensitive. An item of no entity hides what any entity hides. Keys are addresses, and not hidden. */
export function secretsOf(table: TableInfo, item: Item): ReadonlySet<string> {
  const design = designOfTable(table.TableName);
  const entity = entityOf(design, item);
  const fields = (entity ? [entity] : (design?.entities ?? [])).flatMap((one) => one.fields);
  const keys = table.KeySchema.map((key) => key.AttributeName);
  return new Set(fields.filter(({ name, sensitive }) => sensitive && name in item && !keys.includes(name)).map(({ name }) => name));
}

/** Returns the attribute that a refusal of a design is about: "Tavola: Product.unitPrice must be ≥ 0" is about unitPrice. */
export function refusedAttribute(message: string, names: readonly string[]): string | undefined {
  const named = /^Tavola: [\w-]+\.([\w-]+)/.exec(message)?.[1];
  if (named && names.includes(named)) return named;
  return message.startsWith("Tavola:") ? names.filter((name) => new RegExp(`(^|[^\\w])${escaped(name)}($|[^\\w])`).test(message)).sort((a, b) => b.length - a.length)[0] : undefined;
}
