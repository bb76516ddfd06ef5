// Plain JSON that loses nothing: numbers with all digits, and values that plain JSON has no form for with their type, as in {"NS": ["1", "2"]}. A map
// that would read as such a value is written with its type, too.
import { type Json, NumberText, isObject } from "../db/json";
import { readValue } from "../db/json_items";
import { numberProblem } from "../db/number";
import { type Item, type Value, typeNames } from "../db/value";

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const isTypeName = (name: string): boolean => Object.hasOwn(typeNames, name);

function looksTyped(map: Item): boolean {
  const names = Object.keys(map);
  return names.length === 1 && isTypeName(names[0]!);
}

export function exactText(value: Value): string {
  if ("S" in value) return JSON.stringify(value.S);
  if ("N" in value) return jsonNumber.test(value.N) ? value.N : JSON.stringify(value);
  if ("BOOL" in value) return String(value.BOOL);
  if ("NULL" in value) return "null";
  if ("L" in value) return `[${value.L.map(exactText).join(",")}]`;
  if ("M" in value && !looksTyped(value.M)) return exactItemText(value.M);
  return JSON.stringify(value);
}

export const exactItemText = (item: Item): string => `{${Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}:${exactText(value)}`).join(",")}}`;

/** Returns the value if the JSON is one with its type, as DynamoDB writes it. */
export function typedValueOf(json: Json): Value | undefined {
  if (!isObject(json)) return undefined;
  const names = Object.keys(json);
  if (names.length !== 1 || !isTypeName(names[0]!)) return undefined;
  try {
    return readValue(json);
  } catch {
    return undefined;
  }
}

/** Returns the value of such JSON, or of anybody's plain JSON. Fails if a number is beyond DynamoDB's. */
export function valueOfExact(json: Json, where: string): Value {
  if (typeof json === "string") return { S: json };
  if (typeof json === "boolean") return { BOOL: json };
  if (json === null) return { NULL: true };
  if (Array.isArray(json)) return { L: json.map((one, at) => valueOfExact(one, `${where}[${at}]`)) };
  if (json instanceof NumberText) {
    const problem = numberProblem(json.text);
    if (problem) throw new Error(`${where}: ${problem}`);
    return { N: json.text };
  }
  return typedValueOf(json) ?? { M: itemOfExact(json, where) };
}

export function itemOfExact(json: Json, where = ""): Item {
  if (!isObject(json)) throw new Error(`${where || "An item"} must be an object: { … }`);
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, valueOfExact(one, where ? `${where}.${name}` : name)]));
}
