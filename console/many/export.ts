// Items as a file: read page after page, written page after page.
import type { Item } from "../db/value";
import { type Type, typeOf } from "../db/value";
import { type Column, cellOf, headerOf } from "./cells";
import { fieldOf } from "./csv";
import { exactItemText } from "./exact_json";
import type { Job } from "./job";
import { type Piece, type Source, piecesOf } from "./source";
import { Spool } from "./spool";

export const formats = [["csv", "CSV"], ["json", "JSON"], ["lines", "DynamoDB JSON lines"]] as const;
export type Format = (typeof formats)[number][0];

export interface ExportOptions {
  format: Format;
  withTypes: boolean; // of CSV: "price:N" in the header
  isGuarded: boolean; // of CSV: a ' before text that a spreadsheet would run
  columns: readonly string[]; // the attributes that are wanted; none: all
  withSensitive: boolean;
}

export interface Exported {
  file: Blob;
  name: string;
}

const endings: Record<Format, string> = { csv: "csv", json: "json", lines: "jsonl" };
const types: Record<Format, string> = { csv: "text/csv", json: "application/json", lines: "application/x-ndjson" };
export const nameOfFile = (source: Source, format: Format): string => `${[source.table.TableName, source.only].filter(Boolean).join("-")}.${endings[format]}`;

/** Returns the items of a page as they are written: without attributes that are not wanted. */
function wanted({ items, seen }: Piece, { facets }: Source, options: ExportOptions): Item[] {
  if (options.columns.length === 0 && (options.withSensitive || !facets)) return items;
  const isWanted = (name: string, at: number): boolean =>
    (options.columns.length === 0 || options.columns.includes(name)) && (options.withSensitive || !facets?.isSensitive(seen[at], name));
  return items.map((item, at) => Object.fromEntries(Object.entries(item).filter(([name]) => isWanted(name, at))));
}

/** The columns of a CSV are known when all items were seen: their names, and the type that most values of each have. */
async function columnsOf(source: Source, options: ExportOptions, job: Job<Exported>): Promise<Column[]> {
  job.note({ phase: "Looking for attributes", total: source.total });
  const found = new Map<string, Map<Type, number>>(source.table.KeySchema.map((key) => [key.AttributeName, new Map()]));
  let done = 0;
  for await (const piece of piecesOf(source, job.signal)) {
    for (const item of wanted(piece, source, options)) {
      for (const [name, value] of Object.entries(item)) {
        const counts = found.get(name) ?? new Map<Type, number>();
        counts.set(typeOf(value), (counts.get(typeOf(value)) ?? 0) + 1);
        found.set(name, counts);
      }
    }
    job.note({ done: (done += piece.items.length) });
  }
  job.note({ total: done });
  const most = (counts: Map<Type, number>): Type => [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "S";
  return [...found].filter(([, counts]) => counts.size > 0).map(([name, counts]) => ({ name, type: most(counts), isExact: options.withTypes, isGuarded: options.isGuarded }));
}

interface Writer {
  begin: string;
  between: string;
  end: string;
  text: (item: Item) => string;
}

function csvWriter(columns: readonly Column[]): Writer {
  const names = new Set(columns.map((column) => column.name));
  const text = (item: Item): string => {
    const other = Object.keys(item).find((name) => !names.has(name));
    if (other !== undefined) throw new Error(`An item got the attribute ${other} while the file was written, and the header has no column for it. Export again.`);
    return columns.map((column) => (Object.hasOwn(item, column.name) ? fieldOf(cellOf(item[column.name]!, column)) : "")).join(",");
  };
  return { begin: `${columns.map((column) => fieldOf(headerOf(column))).join(",")}\n`, between: "\n", end: "\n", text };
}

const writers: Record<Exclude<Format, "csv">, Writer> = {
  json: { begin: "[\n", between: ",\n", end: "\n]\n", text: exactItemText },
  lines: { begin: "", between: "\n", end: "\n", text: (item) => JSON.stringify({ Item: item }) },
};

export async function exportItems(source: Source, options: ExportOptions, job: Job<Exported>): Promise<Exported> {
  const spool = await Spool.make();
  try {
    const { format } = options;
    const writer = format === "csv" ? csvWriter(await columnsOf(source, options, job)) : writers[format];
    job.note({ phase: "Writing", done: 0 });
    await spool.write(writer.begin);
    let done = 0;
    for await (const piece of piecesOf(source, job.signal)) {
      const texts = wanted(piece, source, options).map(writer.text);
      if (texts.length > 0) await spool.write((done > 0 ? writer.between : "") + texts.join(writer.between));
      job.count("items", texts.length);
      job.note({ done: (done += texts.length) });
    }
    await spool.write(done > 0 || format === "json" ? writer.end : "");
    return { file: await spool.finish(types[format]), name: nameOfFile(source, format) };
  } catch (why) {
    await spool.drop();
    throw why;
  }
}
