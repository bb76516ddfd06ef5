// Values as fields of CSV, and back. A column has a type; with types in the header of the file ("price:N") every value comes back as it was: one of
// another type than its column is written with its type, as in {"N":"5"}.
import { parseJson } from "../db/json";
import { readValue } from "../db/json_items";
import { numberProblem } from "../db/number";
import { typedBinary } from "../db/typed";
import { type Type, type Value, typeNames, typeOf } from "../db/value";
import type { Cell } from "./csv";
import { exactText, typedValueOf, valueOfExact } from "./exact_json";

export interface Column {
  name: string;
  type: Type | "skip";
  isExact: boolean; // the file says the type: values of other types are there with theirs
  isGuarded: boolean; // a ' before = + - @ is the file's and not the text's
}

/** Text that a spreadsheet would run as a formula. */
const formula = /^'*[=+\-@\t\r]/;
const typed = /^\{"(?:S|N|B|BOOL|NULL|L|M|SS|NS|BS)":/;

export const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text);
const unguarded = (text: string): string => (/^'/.test(text) && formula.test(text) ? text.slice(1) : text);

/** Returns a value as text by its own type. */
function natural(value: Value): string {
  if ("S" in value) return value.S;
  if ("N" in value) return value.N;
  if ("B" in value) return value.B;
  if ("SS" in value) return JSON.stringify(value.SS);
  if ("NS" in value) return `[${value.NS.join(",")}]`;
  if ("BS" in value) return JSON.stringify(value.BS);
  return exactText(value);
}

/** Returns the text of a field, without its quotes. */
export function cellOf(value: Value, { type, isExact, isGuarded }: Column): string {
  const own = natural(value);
  const needsType = isExact && (typeOf(value) !== type || ("S" in value && typed.test(own)));
  const text = needsType ? JSON.stringify(value) : own;
  return isGuarded && !("N" in value && !needsType) ? guarded(text) : text;
}

/** Returns the value of a field; undefined if the item has none. Fails with words for the person. */
export function valueOfCell({ text: written, isQuoted }: Cell, { name, type, isExact, isGuarded }: Column): Value | undefined {
  if ((written === "" && !isQuoted) || type === "skip") return undefined;
  const text = isGuarded ? unguarded(written) : written;
  try {
    const own = isExact && typed.test(text) ? typedValueOf(parseJson(text)) : undefined;
    return own ?? readAs(type, text);
  } catch (why) {
    throw new Error(`${name}: ${(why as Error).message}`);
  }
}

function readAs(type: Type, text: string): Value {
  const number = text.trim();
  switch (type) {
    case "S": return { S: text };
    case "N": return { N: checked(number, numberProblem(number)) };
    case "B": return { B: typedBinary(text.trim()) };
    case "BOOL": return { BOOL: checked(text.trim().toLowerCase(), /^\s*(true|false)\s*$/i.test(text) ? undefined : `“${short(text)}” is neither true nor false`) === "true" };
    case "NULL": return (checked(text, /^\s*null\s*$/i.test(text) ? undefined : `“${short(text)}” is not null`), { NULL: true });
    case "L": case "M": return nested(type, text);
    default: return set(type, text);
  }
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
function checked(text: string, problem: string | undefined): string {
  if (problem) throw new Error(problem);
  return text;
}

/** Reads a list or a map, or what says its type itself: `tavola dump` writes sets into such columns as {"SS": ["a"]}. */
function nested(type: "L" | "M", text: string): Value {
  const json = parseJson(text);
  const own = typedValueOf(json);
  if (own) return own;
  const value = valueOfExact(json, "");
  if (typeOf(value) !== type) throw new Error(`a ${typeNames[type]} is written as JSON: ${type === "L" ? "[ … ]" : "{ … }"}`);
  return value;
}

/** Reads a set: a list of JSON, or its elements between semicolons. */
function set(type: "SS" | "NS" | "BS", text: string): Value {
  const list = text.trim().startsWith("[") ? parseJson(text) : text.split(";").map((part) => part.trim());
  const elements = type === "SS" && Array.isArray(list) ? list.map((one) => (typeof one === "string" ? one : JSON.stringify(one))) : list;
  const value = readValue({ [type]: elements });
  const all = (value as Record<string, string[]>)[type]!;
  if (all.length === 0) throw new Error("a set has at least one element");
  if (new Set(all).size < all.length) throw new Error("an element of the set is there twice");
  return value;
}

const looks: readonly (readonly [Type, (text: string) => boolean])[] = [
  ["BOOL", (text) => /^(true|false)$/i.test(text)],
  ["N", (text) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && numberProblem(text) === undefined],
  ["NULL", (text) => text === "null"],
  ["M", (text) => isJson(text, "{")],
  ["L", (text) => isJson(text, "[")],
];

function isJson(text: string, start: string): boolean {
  if (!text.startsWith(start)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Guesses the type of a column from its first fields. Digits with a zero before them, such as postal codes, stay text. */
export function guess(cells: readonly Cell[]): Type {
  const texts = cells.filter(({ text }) => text !== "").map(({ text }) => text);
  if (texts.length === 0) return "S";
  return looks.find(([, fits]) => texts.every(fits))?.[0] ?? "S";
}

const withType = /^(.*):(S|N|B|BOOL|NULL|L|M|SS|NS|BS)('?)$/s;

/** Returns the columns of a header whose fields all have types; undefined if it has none. */
export function typedColumns(names: readonly string[]): Column[] | undefined {
  const found = names.map((name) => withType.exec(name));
  if (found.some((one) => !one)) return undefined;
  return found.map((one) => ({ name: one![3] ? unguarded(one![1]!) : one![1]!, type: one![2] as Type, isExact: true, isGuarded: one![3] !== "" }));
}

/** Returns the field of the header. */
export function headerOf({ name, type, isExact, isGuarded }: Column): string {
  const shown = isGuarded ? guarded(name) : name;
  return isExact ? `${shown}:${type}${isGuarded ? "'" : ""}` : shown;
}
