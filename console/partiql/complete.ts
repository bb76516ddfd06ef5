// Completion of PartiQL: words and functions, tables, indexes after the name of a table, attributes that were seen.
import { signal } from "@preact/signals";
import { partiqlFunctions, partiqlWords } from "web/editor/languages";
import type { Completion, CompletionContext, CompletionResult } from "web/editor/editor";
import { readPage } from "../db/pages";
import { type TableInfo, describe, indexesOf, names, tables } from "../db/tables";
import { type Item, typeNames, typeOf } from "../db/value";
import { statementsOf } from "./text";

type Attributes = ReadonlyMap<string, string>; // with the name of the type of the first value

const seen = signal<ReadonlyMap<string, Attributes>>(new Map());

/** Notes the attributes of items of a table. */
export function learn(table: string, items: readonly Item[]): void {
  const known = new Map(seen.peek().get(table));
  for (const item of items) for (const [name, value] of Object.entries(item)) if (!known.has(name)) known.set(name, typeNames[typeOf(value)]);
  seen.value = new Map(seen.peek()).set(table, known);
}

const asked = new Set<string>();
const sampleItems = 50;

/** Reads a few items of a table of which nothing is known yet. A table that cannot be read has no completions. */
export async function meet(table: string): Promise<void> {
  if (asked.has(table) || !names.peek()?.includes(table)) return;
  asked.add(table);
  try {
    await describe(table);
    learn(table, (await readPage({ operation: "Scan", body: { TableName: table } }, { limit: sampleItems })).items);
  } catch {
    asked.delete(table);
  }
}

const words = partiqlWords.split(" ");
const functions = partiqlFunctions.split(" ");
/** A name as it must be written: in quotes if it is a word of the language or has other letters. */
const quoted = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) && !words.includes(name.toUpperCase()) ? name : `"${name.replaceAll('"', '""')}"`);

const attributesOf = (table: TableInfo): Completion[] => {
  const keys = table.AttributeDefinitions.map(({ AttributeName, AttributeType }): [string, string] => [AttributeName, typeNames[AttributeType]]);
  const all = new Map([...(seen.peek().get(table.TableName) ?? []), ...keys]);
  return [...all].map(([name, type]) => ({ label: name, detail: type, apply: quoted(name), boost: 3 }));
};

function optionsAfter(before: string, table: TableInfo | undefined): Completion[] {
  if (/\.\s*"?[\w.-]*$/.test(before) && table && /(?:FROM|from)\s+(?:"[^"]*"|\w+)\.\s*"?[\w.-]*$/.test(before)) {
    return indexesOf(table).map(({ IndexName }) => ({ label: IndexName, detail: "index", apply: `"${IndexName}"` }));
  }
  if (/\b(?:FROM|INTO|UPDATE)\s+"?[\w.-]*$/i.test(before)) return (names.peek() ?? []).map((name) => ({ label: name, detail: "table", apply: `"${name}"` }));
  return [
    ...(table ? attributesOf(table) : []),
    ...functions.map((name) => ({ label: name, detail: "function", apply: `${name}(` })),
    ...words.map((name) => ({ label: name, detail: "" })),
  ];
}

export function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/"?[\w.-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const text = context.state.doc.toString();
  const before = text.slice(0, context.pos);
  const dot = word.text.lastIndexOf(".");
  const from = word.text.startsWith('"') ? word.from : word.from + dot + 1;
  const statement = statementsOf(text).find((one) => one.from <= context.pos && context.pos <= one.to + 1);
  if (statement?.table) void meet(statement.table);
  // The quote that follows was written by the editor together with the one before.
  const to = text[from] === '"' && text[context.pos] === '"' ? context.pos + 1 : undefined;
  return { from, ...(to ? { to } : {}), options: optionsAfter(before, statement && tables.peek().get(statement.table)), validFor: /^"?[\w-]*$/ };
}
