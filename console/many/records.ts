// A file as items, one after the other, each with its line. The file is read in pieces; nothing of it stays.
import { JsonError, type Json, isObject, parseJson } from "../db/json";
import { isMarked, readItem } from "../db/json_items";
import type { TableInfo } from "../db/tables";
import { type Item, itemSize, typeNames, typeOf } from "../db/value";
import { sizeMost } from "../items/draft";
import { type Column, guess, typedColumns, valueOfCell } from "./cells";
import { CsvReader, type CsvRow } from "./csv";
import { itemOfExact } from "./exact_json";
import { JsonSplitter, type Span } from "./split";

export interface Shape {
  format: "csv" | "json" | "lines";
  delimiter: "," | ";" | "\t";
  isTyped: boolean; // of JSON: values are written with their types, as DynamoDB does
  columns: Column[]; // of CSV
}

export interface Entry {
  line: number;
  item: Item | undefined;
  problem: string | undefined;
}

const letters = async function* (file: File, signal: AbortSignal): AsyncGenerator<{ text: string; read: number }> {
  let read = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({ transform: (bytes, out) => ((read += bytes.length), out.enqueue(bytes)) });
  const raw: ReadableStream<Uint8Array> = file.stream().pipeThrough(counted as never);
  const stream = file.name.endsWith(".gz") ? raw.pipeThrough(new DecompressionStream("gzip") as never) : raw;
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      signal.throwIfAborted();
      yield { text: decoded(decoder, next.value), read };
    }
    yield { text: decoded(decoder, undefined), read };
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};

function decoded(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
  } catch {
    throw new Error("The file is not UTF-8 text. Save it as “CSV UTF-8”, or as JSON");
  }
}

const sniffedLetters = 256 * 1024;

/** Returns the beginning of a file, and whether that is all of it. */
export async function beginningOf(file: File): Promise<{ text: string; isWhole: boolean }> {
  let all = "";
  for await (const { text } of letters(file, new AbortController().signal)) {
    all += text;
    if (all.length >= sniffedLetters) return { text: all.slice(0, sniffedLetters), isWhole: false };
  }
  return { text: all, isWhole: true };
}

function formatOf(text: string): Shape["format"] {
  const start = text.trimStart();
  if (start.startsWith("[")) return "json";
  if (!start.startsWith("{")) return "csv";
  try {
    parseJson(start.split("\n", 1)[0]!);
    return "lines";
  } catch {
    return "json";
  }
}

function delimiterOf(text: string): Shape["delimiter"] {
  const header = text.split("\n", 1)[0]!;
  const count = (one: string): number => header.split(one).length;
  return ([",", ";", "\t"] as const).reduce((best, one) => (count(one) > count(best) ? one : best));
}

const sniffedRows = 500;

/** Returns the columns of a CSV with their types: as the header says, or as the table's keys and the first lines let one guess. */
function columnsOf(text: string, isWhole: boolean, delimiter: string, table: TableInfo): Column[] {
  const reader = new CsvReader(delimiter);
  const rows = [...reader.push(text), ...(isWhole ? reader.end() : [])];
  const [header, ...lines] = rows;
  const names = header?.cells.map((cell) => cell.text) ?? [];
  const known = new Map(table.AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  return typedColumns(names) ?? names.map((name, at) => ({
    name, isExact: false, isGuarded: false, type: name.trim() === "" ? "skip" as const : (known.get(name) ?? guess(lines.slice(0, sniffedRows).flatMap((row) => row.cells[at] ?? []))),
  }));
}

/** Returns what a file is, as its beginning and what somebody said let one think. */
export function shapeOf({ text, isWhole }: { text: string; isWhole: boolean }, table: TableInfo, said: Partial<Pick<Shape, "format" | "delimiter">> = {}): Shape {
  const format = said.format ?? formatOf(text);
  const delimiter = said.delimiter ?? delimiterOf(text);
  const shape: Shape = { format, delimiter, isTyped: false, columns: format === "csv" ? columnsOf(text, isWhole, delimiter, table) : [] };
  return format === "csv" ? shape : { ...shape, isTyped: looksTyped(text, format) };
}

function looksTyped(text: string, format: Shape["format"]): boolean {
  try {
    const spans = splitterOf(format)(text).slice(0, 50);
    return spans.length > 0 && spans.every((span) => isMarked(unwrapped(parseJson(span.text))));
  } catch {
    return false;
  }
}

/** A line of AWS's exports is {"Item": {…}}. */
function unwrapped(json: Json): Json {
  return isObject(json) && Object.keys(json).length === 1 && isObject(json["Item"] ?? null) && isMarked(json["Item"]!) ? json["Item"]! : json;
}

function itemOfSpan({ text, line }: Span, isTyped: boolean): Entry {
  try {
    const json = unwrapped(parseJson(text));
    return { line, item: isTyped ? readItem(json) : itemOfExact(json), problem: undefined };
  } catch (why) {
    const at = why instanceof JsonError ? why.line - 1 : 0;
    return { line: line + at, item: undefined, problem: (why as Error).message.replace(/^Line \d+, /, "") };
  }
}

function itemOfRow({ line, cells, problem }: CsvRow, columns: readonly Column[]): Entry {
  if (problem) return { line, item: undefined, problem };
  if (cells.length !== columns.length) return { line, item: undefined, problem: `the line has ${cells.length} fields, and the header ${columns.length}` };
  try {
    const entries = columns.flatMap((column, at) => {
      const value = valueOfCell(cells[at]!, column);
      return value ? [[column.name, value] as const] : [];
    });
    return { line, item: Object.fromEntries(entries), problem: undefined };
  } catch (why) {
    return { line, item: undefined, problem: (why as Error).message };
  }
}

/** Returns why the table cannot take an item; undefined if nothing is against it. */
function problemOf(table: TableInfo, item: Item): string | undefined {
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const missing = keys.find((name) => !Object.hasOwn(item, name));
  if (missing) return `${missing} is missing: it is in the key of the table`;
  for (const { AttributeName: name, AttributeType: type } of table.AttributeDefinitions) {
    const value = Object.hasOwn(item, name) ? item[name]! : undefined;
    if (value && typeOf(value) !== type) return `${name} is a ${typeNames[typeOf(value)]}, and the table's keys want a ${typeNames[type]}`;
    if (value && ("S" in value ? value.S : "B" in value ? value.B : "1") === "") return `${name} is empty: it is in a key`;
  }
  return itemSize(item) > sizeMost ? "The item is larger than 400 KB" : undefined;
}

function checked(table: TableInfo, entry: Entry): Entry {
  const problem = entry.item && problemOf(table, entry.item);
  return problem ? { line: entry.line, item: undefined, problem } : entry;
}

type Split = (text: string | undefined) => Span[];

/** Cuts text that comes in pieces into the JSON of items; undefined ends it. */
function splitterOf(format: Shape["format"]): Split {
  const splitter = new JsonSplitter(format === "lines" ? "lines" : "objects");
  return (text) => (text === undefined ? splitter.end() : splitter.push(text));
}

function entriesIn(shape: Shape): (text: string | undefined) => Entry[] {
  if (shape.format !== "csv") {
    const split = splitterOf(shape.format);
    return (text) => split(text).map((span) => itemOfSpan(span, shape.isTyped));
  }
  const reader = new CsvReader(shape.delimiter);
  let isHeaderRead = false;
  return (text) => {
    const rows = text === undefined ? reader.end() : reader.push(text);
    const lines = isHeaderRead ? rows : rows.slice(1);
    isHeaderRead ||= rows.length > 0;
    return lines.map((row) => itemOfRow(row, shape.columns));
  };
}

/** Reads a file; `read` is how many of its bytes were read. */
export async function* entriesOf(file: File, shape: Shape, table: TableInfo, signal: AbortSignal): AsyncGenerator<{ entries: Entry[]; read: number }> {
  const take = entriesIn(shape);
  for await (const { text, read } of letters(file, signal)) yield { entries: take(text).map((entry) => checked(table, entry)), read };
  yield { entries: take(undefined).map((entry) => checked(table, entry)), read: file.size };
}

/** Returns the first items of a file, as an import would read them. */
export function preview({ text, isWhole }: { text: string; isWhole: boolean }, shape: Shape, table: TableInfo, most: number): Entry[] {
  const take = entriesIn(shape);
  return [...take(text), ...(isWhole ? take(undefined) : [])].slice(0, most).map((entry) => checked(table, entry));
}
