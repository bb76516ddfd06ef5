// ---- Fields: the checks of their values ----

import { NumberValue } from "@aws-sdk/lib-dynamodb";
import { Invalid } from "./connection.js";
import { ascending, elements, type Fields, has, is, isNumber, iso, ms, normalTime, number, round, seconds, text } from "./values.js";

export interface Form {
  type: keyof typeof shapes | "domain" | "iso" | "text" | "number" | "integer" | "ms" | "s" | "boolean" | "binary" | "list" | "set" | "map" | "any";
  digits?: number; // of a time: digits of the fraction of a second; of a number: digits after the point
  element?: Form["type"]; // of a list or a set; all bounds but maxItems then apply to its elements
  of?: Forms;
  stored?: false; // only the keys hold it
  inKey?: "iso" | "ms" | "desc"; // if the keys write it differently than its type
  required?: true;
  sensitive?: true; // no message shows its value
  default?: unknown;
  generate?: "uuid" | "ulid";
  auto?: "create" | "update" | "transition";
  values?: string[];
  min?: string;
  max?: string;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: RegExp;
  format?: [before: string, after: string]; // the text around the value
}
export type Forms = Record<string, Form>;

// The forms of texts with a special type.
const shapes = {
  id: /^[^\x00-\x20\x7f]+$/,
  url: /^[a-z+.-][a-z\d+.-]*:\/\/[^\x00-\x20\x7f/?#][^\x00-\x20\x7f]*$/i,
  email: /^[^@\x00-\x20\x7f]+@[^@\x00-\x20\x7f]+$/,
  phone: /^\+\d{1,15}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  country: /^[A-Z]{2}$/, // the database also knows which ones exist
  sha256: /^[\da-f]{64}$/i,
  md5: /^[\da-f]{32}$/i,
};
const shapeOf = (type: Form["type"]): RegExp | undefined => (shapes as Record<string, RegExp>)[type];

/** Returns the value in the form of the field: a time as its type writes it, an integer as a number. */
export function accept(name: string, form: Form, value: any): any {
  if (!has(value)) return undefined;
  const { element, maxItems, ...bounds } = form;
  if (element) {
    const all = elements(value).map((one, at) => accept(`${name}[${at}]`, { ...bounds, type: element }, one));
    if (maxItems !== undefined && all.length > maxItems) throw new Invalid(`${name} must have at most ${maxItems} elements`, name);
    if (form.type === "set" && all.length === 0) throw new Invalid(`${name} must not be empty`, name);
    return form.type === "set" ? new Set(all) : all;
  }
  if (form.type === "map") return form.of ? acceptAll(form.of, value, `${name}.`) : value;
  const accepted = typed(form, value);
  const was = form.sensitive ? "" : ` (was ${JSON.stringify(value)})`;
  if (accepted === undefined) throw new Invalid(`${name} must be of type ${form.type}${was}`, name);
  const complaint = outOfBounds(form, accepted);
  if (complaint) throw new Invalid(`${name} must ${complaint}${was}`, name);
  return accepted;
}

// Returns undefined if it cannot be of the type.
function typed(form: Form, value: any): any {
  switch (form.type) {
    case "number":
      if (!isNumber(value)) return undefined;
      return form.digits === undefined ? NumberValue.from(text(value)) : round(value, form.digits);
    case "integer":
    case "ms":
    case "s":
      return isNumber(value) && Number.isSafeInteger(Number(text(value))) ? Number(text(value)) : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "binary":
      return value instanceof Uint8Array ? value : undefined;
    case "any":
    case "list":
    case "set":
    case "map":
      return value;
  }
  if (form.type === "iso" && isNumber(value)) return iso(value, form.digits);
  if (typeof value !== "string") return undefined;
  if (form.type === "iso") return normalTime(value, form.digits ?? 0);
  const [before, after] = form.format ?? ["", ""];
  const inside = value.startsWith(before) && value.endsWith(after) ? value.slice(before.length, value.length - after.length) : value;
  const part = form.type === "domain" ? domainOf(inside) : form.type === "country" ? inside.toUpperCase() : inside;
  return part !== undefined && (shapeOf(form.type)?.test(part) ?? true) ? before + part + after : undefined;
}

// Returns the name of a host in lower case and in ASCII, without scheme, port and path; undefined if the text names no host with a domain.
function domainOf(value: string): string | undefined {
  try {
    const host = new URL(value.includes("://") ? value : `http://${value}`).hostname.replace(/\.$/, "");
    return /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(host) ? host : undefined;
  } catch {
    return undefined;
  }
}

function outOfBounds(form: Form, value: any): string | undefined {
  if (form.values && !form.values.includes(text(value))) return `be one of ${form.values.join(", ")}`;
  if (isNumber(value)) {
    if (form.min !== undefined && is(value, "<", NumberValue.from(form.min))) return `be ≥ ${form.min}`;
    if (form.max !== undefined && is(value, ">", NumberValue.from(form.max))) return `be ≤ ${form.max}`;
  }
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return undefined;
  const length = elements(value).length;
  if (length < (form.minLength ?? 0)) return `have at least ${form.minLength} characters`;
  if (length > (form.maxLength ?? Infinity)) return `have at most ${form.maxLength} characters`;
  if (typeof value === "string" && form.pattern && !form.pattern.test(value)) return `match ${form.pattern.source}`;
  return undefined;
}

export function acceptAll(forms: Forms, values: Fields, path = ""): Fields {
  const accepted: Fields = { ...values };
  for (const [name, form] of Object.entries(forms)) {
    accepted[name] = accept(path + name, form, values[name] ?? form.default);
    if (form.required && !has(accepted[name])) throw new Invalid(`${path}${name} is required`, path + name);
  }
  return accepted;
}

/** Returns a time in the form of the field. */
export function momentFor(form: Form, now: number): unknown {
  if (form.type === "s") return seconds(now);
  return form.type === "ms" || form.type === "integer" || form.type === "number" ? accept("", form, now) : iso(now, form.digits);
}

/** Returns any stored value in the form of the interface. */
export function read(form: Form, value: any): any {
  if (!has(value)) return undefined;
  const { element, ...rest } = form;
  if (element) {
    const all = elements(value).map((one) => read({ ...rest, type: element }, one));
    return form.type === "set" ? new Set(all) : all;
  }
  if (form.of) return { ...value, ...readAll(form.of, value) };
  if (form.type === "binary" && typeof value === "string") return Buffer.from(value, "base64"); // from JSON
  return form.type === "integer" || form.type === "ms" || form.type === "s" ? safeInteger(value) : value;
}

// A number would lose digits of a greater one.
function safeInteger(value: unknown): number {
  const whole = Number(text(value));
  if (!Number.isSafeInteger(whole)) throw new Invalid(`${text(value)} is not a safe integer: make its field a number in the design`);
  return whole;
}

export function readAll(forms: Forms, values: Fields): Fields {
  const there = Object.entries(forms).filter(([name]) => has(values[name]));
  return Object.fromEntries(there.map(([name, form]) => [name, read(form, values[name])]));
}

/** Returns a part of a key in the form of the field. */
export function readKey(form: Form, part: string): any {
  const moment = form.inKey === "desc" ? ascending(part) : form.inKey === "iso" ? ms(part) : Number(part);
  if (form.inKey && form.type === "iso") return iso(moment, form.digits);
  if (form.inKey) return form.type === "s" && form.inKey !== "desc" ? seconds(moment) : moment;
  if (form.type === "boolean") return part === "true";
  return form.type === "number" ? number(part) : read(form, part);
}
