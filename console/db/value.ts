// Attribute values as DynamoDB's JSON has them. A number is its decimal text from the server to the screen and back: it never becomes a double.
export type Value =
  | { S: string } | { N: string } | { B: string } | { BOOL: boolean } | { NULL: boolean }
  | { L: Value[] } | { M: Record<string, Value> } | { SS: string[] } | { NS: string[] } | { BS: string[] };
export type Type = "S" | "N" | "B" | "BOOL" | "NULL" | "L" | "M" | "SS" | "NS" | "BS";
export type KeyType = "S" | "N" | "B";
export type Item = Record<string, Value>;

export const typeNames: Record<Type, string> = {
  S: "string", N: "number", B: "binary", BOOL: "boolean", NULL: "null", L: "list", M: "map", SS: "string set", NS: "number set", BS: "binary set",
};

export const typeOf = (value: Value): Type => Object.keys(value)[0] as Type;
/** The content of a value, whatever its type is. */
export const contentOf = (value: Value): unknown => Object.values(value)[0];

/** Returns the bytes of base64 text; throws if it is none. */
export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const encoder = new TextEncoder();
const textBytes = (text: string): number => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return encoder.encode(text).length;
  return text.length;
};
// AWS documents a number as about one byte per two significant digits, and one more:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
function numberBytes(text: string): number {
  const digits = text.replace(/[eE].*$/, "").replace(/[-+.]/g, "").replace(/^0+|0+$/g, "").length;
  return Math.ceil(Math.max(digits, 1) / 2) + 1 + (text.startsWith("-") ? 1 : 0);
}
const base64Bytes = (text: string): number => (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
const sum = <T>(list: readonly T[], size: (one: T) => number): number => list.reduce((all, one) => all + size(one), 0);

/** Returns the size of a value in bytes, as DynamoDB counts it. */
export function sizeOf(value: Value): number {
  if ("S" in value) return textBytes(value.S);
  if ("N" in value) return numberBytes(value.N);
  if ("B" in value) return base64Bytes(value.B);
  if ("L" in value) return 3 + sum(value.L, (one) => 1 + sizeOf(one));
  if ("M" in value) return 3 + sum(Object.entries(value.M), ([name, one]) => 1 + textBytes(name) + sizeOf(one));
  if ("SS" in value) return sum(value.SS, textBytes);
  if ("NS" in value) return sum(value.NS, numberBytes);
  if ("BS" in value) return sum(value.BS, base64Bytes);
  return 1;
}

export const itemSize = (item: Item): number => sum(Object.entries(item), ([name, value]) => textBytes(name) + sizeOf(value));

const previewLetters = 160;
function listed(parts: string[], open: string, close: string): string {
  return `${open}${parts.join(", ")}${close}`;
}

/** Returns a value as one line of text for people; `depth` levels of lists and maps are written out, deeper ones are counted. */
export function preview(value: Value, depth = 2): string {
  if ("S" in value) return value.S;
  if ("N" in value) return value.N;
  if ("BOOL" in value) return String(value.BOOL);
  if ("NULL" in value) return "null";
  if ("B" in value) return `0x${hexOf(bytesOf(value.B.slice(0, 64)))}${value.B.length > 64 ? "…" : ""}`;
  if ("SS" in value) return listed(value.SS.map((one) => JSON.stringify(one)), "{", "}");
  if ("NS" in value) return listed(value.NS, "{", "}");
  if ("BS" in value) return listed(value.BS.map((one) => preview({ B: one })), "{", "}");
  if ("L" in value) return depth === 0 ? `[${value.L.length}]` : listed(value.L.slice(0, previewLetters).map((one) => nested(one, depth - 1)), "[", "]");
  const entries = Object.entries(value.M).slice(0, previewLetters);
  return depth === 0 ? `{${Object.keys(value.M).length}}` : listed(entries.map(([name, one]) => `${name}: ${nested(one, depth - 1)}`), "{", "}");
}

const nested = (value: Value, depth: number): string => ("S" in value ? JSON.stringify(value.S) : preview(value, depth));
