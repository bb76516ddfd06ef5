// Items as JSON: DynamoDB's, in which every value has its type, and plain JSON, whose numbers keep all digits and whose sets become lists.
import { type Json, NumberText, isObject } from "./json";
import { numberProblem } from "./number";
import { type Item, type Type, type Value, contentOf, typeNames, typeOf } from "./value";

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

const fail = (where: string, what: string): never => {
  throw new Error(where ? `${where}: ${what}` : what);
};

function text(json: Json, where: string): string {
  return typeof json === "string" ? json : fail(where, "text is expected");
}

function number(json: Json, where: string): string {
  const written = json instanceof NumberText ? json.text : text(json, where);
  const problem = numberProblem(written);
  return problem ? fail(where, problem) : written.trim();
}

function binary(json: Json, where: string): string {
  const written = text(json, where);
  return base64.test(written) ? written : fail(where, "binary is written in base64");
}

function list<T>(json: Json, where: string, read: (one: Json, where: string) => T): T[] {
  return Array.isArray(json) ? json.map((one, at) => read(one, `${where}[${at}]`)) : fail(where, "a list is expected");
}

function flag(json: Json, where: string): boolean {
  return typeof json === "boolean" ? json : fail(where, "true or false is expected");
}

const readers: { [T in Type]: (json: Json, where: string) => Value } = {
  S: (json, where) => ({ S: text(json, where) }),
  N: (json, where) => ({ N: number(json, where) }),
  B: (json, where) => ({ B: binary(json, where) }),
  BOOL: (json, where) => ({ BOOL: flag(json, where) }),
  NULL: (json, where) => (json === true ? { NULL: true } : fail(where, "NULL is always true")),
  L: (json, where) => ({ L: list(json, where, readValue) }),
  M: (json, where) => ({ M: readItem(json, where) }),
  SS: (json, where) => ({ SS: list(json, where, text) }),
  NS: (json, where) => ({ NS: list(json, where, number) }),
  BS: (json, where) => ({ BS: list(json, where, binary) }),
};

/** Reads a value of DynamoDB's JSON: {"N": "5"}. Fails with where in the item the mistake is. */
export function readValue(json: Json, where = ""): Value {
  const [entry, ...more] = isObject(json) ? Object.entries(json) : [];
  if (!entry || more.length > 0 || !Object.hasOwn(readers, entry[0])) return fail(where, `a value is written with its type, such as {"S": "text"} or {"N": "5"}; the types are ${Object.keys(readers).join(", ")}`);
  return readers[entry[0] as Type](entry[1], where);
}

/** Reads an item, or the members of a map, of DynamoDB's JSON. */
export function readItem(json: Json, where = ""): Item {
  if (!isObject(json)) return fail(where, "an object is expected: { … }");
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, readValue(one, where ? `${where}.${name}` : name)]));
}

/** Whether every member looks like a value of DynamoDB's JSON. */
export const isMarked = (json: Json): boolean => isObject(json) && Object.values(json).every((one) => isObject(one) && Object.keys(one).length === 1 && Object.hasOwn(readers, Object.keys(one)[0]!));

/** Returns the value of plain JSON. Fails if a number is beyond DynamoDB's. */
export function valueOfPlain(json: Json, where = ""): Value {
  if (json instanceof NumberText) return { N: number(json, where) };
  if (typeof json === "string") return { S: json };
  if (typeof json === "boolean") return { BOOL: json };
  if (json === null) return { NULL: true };
  if (Array.isArray(json)) return { L: json.map((one, at) => valueOfPlain(one, `${where}[${at}]`)) };
  return { M: itemOfPlain(json, where) };
}

export function itemOfPlain(json: Json, where = ""): Item {
  if (!isObject(json)) return fail(where, "an object is expected: { … }");
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, valueOfPlain(one, where ? `${where}.${name}` : name)]));
}

/** Returns a value as plain JSON, with all digits of its numbers. Sets become lists, and binary becomes base64: their types are lost. */
export function plainText(value: Value): string {
  if ("N" in value) return value.N;
  if ("NS" in value) return `[${value.NS.join(",")}]`;
  if ("NULL" in value) return "null";
  if ("L" in value) return `[${value.L.map(plainText).join(",")}]`;
  if ("M" in value) return plainItemText(value.M);
  return JSON.stringify(contentOf(value));
}

export const plainItemText = (item: Item): string => `{${Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}:${plainText(value)}`).join(",")}}`;
export const nameOfType = (value: Value): string => typeNames[typeOf(value)];
