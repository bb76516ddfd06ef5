// ---- Values. A result of a missing value is missing ----

import { createHash, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { NumberValue } from "@aws-sdk/lib-dynamodb";
import { type Direct, Invalid } from "./connection.js";

export type Fields = Record<string, any>;

export const has = (value: unknown): boolean => value !== undefined && value !== null;
export const isNumber = (value: unknown): value is number | NumberValue => Number.isFinite(value) || value instanceof NumberValue;
export const mapped = (value: any, to: (value: any) => unknown): any => (has(value) ? to(value) : undefined);
export const first = (...values: unknown[]): any => values.find(has);
export const elements = (list: unknown): any[] => (has(list) ? [...(list as Iterable<unknown>)] : []);

export const text = (value: unknown): any => mapped(value, (it) => (isNumber(it) ? plain(it) : String(it)));
export const number = (value: unknown): any => mapped(value, (it) => (isNumber(it) ? it : NumberValue.from(it)));
export const hashed = (algorithm: string, value: unknown): any =>
  mapped(text(value), (it) => createHash(algorithm).update(it).digest("hex"));
export const concat = (...parts: unknown[]): any => (parts.every(has) ? parts.map(text).join("") : undefined);
export const join = (separator: string, ...parts: unknown[]): any =>
  parts.some(has) ? parts.map((part) => text(part) ?? "").join(separator) : undefined;

// Only ASCII letters change, as on the server.
export const lower = (value: unknown): any => mapped(value, (it) => it.replace(/[A-Z]+/g, (letters: string) => letters.toLowerCase()));
export const upper = (value: unknown): any => mapped(value, (it) => it.replace(/[a-z]+/g, (letters: string) => letters.toUpperCase()));

export const iso = (ms: unknown, digits = 0): any => mapped(ms, (it) => normalTime(new Date(Number(text(it))).toISOString(), digits));
export const ms = (moment: unknown): any => mapped(moment, (it) => Date.parse(it));
/** Returns a time that a program wrote (any digits of the second, Z or an offset) in UTC with this many digits; undefined for other texts. */
export function normalTime(time: string, digits: number): string | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d(?::?\d\d)?)$/.exec(time);
  if (!parts) return undefined;
  const [, date, clock, fraction = "", zone = "Z"] = parts;
  const offset = /^z$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const moment = new Date(`${date}T${clock}${offset}`);
  if (Number.isNaN(moment.getTime())) return undefined;
  const whole = moment.toISOString().slice(0, -5);
  return digits === 0 ? `${whole}Z` : `${whole}.${fraction.slice(0, digits).padEnd(digits, "0")}Z`;
}

// Periods in a time zone: day(time), day(time, zone), day(time, zone, shift).
const dayMs = 86_400_000;
const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the difference between local time and UTC, in milliseconds. */
function zoneOffset(time: number, zone: string): number {
  if (zone === "UTC") return 0;
  let format: Intl.DateTimeFormat;
  try {
    const numeric = "numeric" as const;
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone, calendar: "iso8601", hourCycle: "h23", year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric,
    });
  } catch {
    throw new Invalid(`there is no time zone "${zone}"; write a name of the IANA database, such as Europe/Berlin, or UTC`);
  }
  const whole = Math.floor(time / 1000) * 1000;
  const parts = Object.fromEntries(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts["year"]!, parts["month"]! - 1, parts["day"], parts["hour"], parts["minute"], parts["second"]) - whole;
}

/** Returns the first moment of a local day; it is not midnight if the clocks are put forward then. */
function dayStart(midnight: number, zone: string): number {
  for (const offset of [zoneOffset(midnight - 26 * 3_600_000, zone), zoneOffset(midnight + 26 * 3_600_000, zone)]) {
    if (zoneOffset(midnight - offset, zone) === offset) return midnight - offset;
  }
  let [before, after] = [midnight - 26 * 3_600_000, midnight + 26 * 3_600_000];
  while (before + 1000 < after) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (middle + zoneOffset(middle, zone) < midnight) before = middle;
    else after = middle;
  }
  return after;
}

function weekText(today: number): string {
  const thursday = new Date(today + (4 - (new Date(today).getUTCDay() || 7)) * dayMs);
  const days = (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / dayMs;
  return `${thursday.toISOString().slice(0, 4)}-W${String(Math.floor(days / 7) + 1).padStart(2, "0")}`;
}

type PeriodKind = "day" | "week" | "month";
function period(kind: PeriodKind, operands: unknown[]): any {
  if (!operands.every(has)) return undefined;
  const [time, zone = "UTC", shift = 0] = operands as [any, string?, any?];
  const moment = isNumber(time) ? Number(text(time)) : Date.parse(time);
  const by = Number(text(shift));
  if (!Number.isInteger(by) || Math.abs(by) > 100_000) throw new Invalid(`${kind} needs a whole number up to 100000 but got ${text(shift)}`);
  const today = Math.floor((moment + zoneOffset(moment, zone)) / dayMs) * dayMs;
  if (kind === "day") return utcDay(today + by * dayMs);
  if (kind === "week") return weekText(today + by * 7 * dayMs);
  const date = new Date(today);
  return utcDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1)).slice(0, 7);
}
export const day = (...operands: unknown[]): any => period("day", operands);
export const week = (...operands: unknown[]): any => period("week", operands);
export const month = (...operands: unknown[]): any => period("month", operands);

/** Returns the first day of a period, and the first one after it. */
function daysOf(said: string): [number, number] {
  const parts = /^(\d{4})-(?:W(\d\d)|(\d\d)(?:-(\d\d))?)$/.exec(said);
  const [, year = "", weekOfYear, monthOfYear = "01", dayOfMonth] = parts ?? [];
  let [begin, after] = [Number.NaN, Number.NaN];
  if (parts && weekOfYear !== undefined) {
    const fourth = Date.UTC(Number(year), 0, 4);
    begin = fourth + (1 - (new Date(fourth).getUTCDay() || 7) + 7 * (Number(weekOfYear) - 1)) * dayMs;
    after = weekText(begin) === said ? begin + 7 * dayMs : Number.NaN;
  } else if (parts) {
    begin = Date.UTC(Number(year), Number(monthOfYear) - 1, Number(dayOfMonth ?? 1));
    after = dayOfMonth === undefined ? Date.UTC(Number(year), Number(monthOfYear), 1) : begin + dayMs;
    if (!utcDay(begin).startsWith(said)) after = Number.NaN;
  }
  if (Number.isNaN(after)) throw new Invalid(`"${said}" is not a day, a week or a month such as 2024-01-31, 2024-W05 or 2024-01`);
  return [begin, after];
}
export const startOf = (...operands: unknown[]): any =>
  operands.every(has) ? dayStart(daysOf(String(operands[0]))[0], String(operands[1] ?? "UTC")) : undefined;
export const endOf = (...operands: unknown[]): any =>
  operands.every(has) ? dayStart(daysOf(String(operands[0]))[1], String(operands[1] ?? "UTC")) - 1 : undefined;
export const seconds = (ms: unknown): any => mapped(ms, (it) => Math.floor(Number(text(it)) / 1000));

export const beginsWith = (value: unknown, start: unknown): boolean =>
  typeof value === "string" && typeof start === "string" && value.startsWith(start);
export const contains = (value: unknown, part: unknown): boolean =>
  typeof value === "string" ? value.includes(String(part)) : elements(value).some((one) => is(one, "=", part));
export const size = (value: unknown): any =>
  mapped(value, (it) => (typeof it === "string" ? Buffer.byteLength(it) : elements(it).length));
export const hostname = (url: unknown): any =>
  mapped(lower(url), (it) => /^(?:.*?:\/\/)?(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)/s.exec(String(it))?.[1]?.replace(/\.$/, ""));
export const substring = (value: unknown, start: unknown, length: unknown): any =>
  has(start) && has(length) ? mapped(value, (it) => [...it].slice(Number(text(start)), Number(text(start)) + Number(text(length))).join("")) : undefined;
export const coreDomain = (db: Direct, domain: unknown): any => {
  if (!db.coreDomain) throw new Invalid("this design needs connect(…, { coreDomain })");
  return mapped(domain, db.coreDomain);
};

export function ulid(now: number): string {
  const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  let time = "";
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) time = digits.charAt(rest % 32) + time;
  return time + Array.from(randomBytes(16), (byte) => digits.charAt(byte % 32)).join("");
}

// Numbers are exact: digits / 10 ** scale.
interface Decimal {
  digits: bigint;
  scale: number;
}

function decimal(value: number | NumberValue): Decimal {
  const written = value instanceof NumberValue ? value.value : String(value);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written)) throw new Invalid(`${written} is no number`);
  const [mantissa = "", exponent = "0"] = written.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

// Written as DynamoDB does: without an exponent, and without trailing zeros.
function written({ digits, scale }: Decimal): string {
  const all = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const fraction = all.slice(all.length - scale).replace(/0+$/, "");
  const whole = (digits < 0n ? "-" : "") + all.slice(0, all.length - scale);
  return scale > 0 && fraction !== "" ? `${whole}.${fraction}` : whole;
}
const plain = (value: number | NumberValue): string => written(decimal(value));

type Sum = (x: bigint, y: bigint, scale: number) => Decimal;

function aligned(a: number | NumberValue, b: number | NumberValue): [bigint, bigint, number] {
  const [x, y] = [decimal(a), decimal(b)];
  const scale = Math.max(x.scale, y.scale);
  return [x.digits * 10n ** BigInt(scale - x.scale), y.digits * 10n ** BigInt(scale - y.scale), scale];
}

function calculate(a: any, b: any, sum: Sum): any {
  if (!has(a) || !has(b)) return undefined;
  if (!isNumber(a) || !isNumber(b)) throw new Invalid(`${text(a)} and ${text(b)} are no numbers`);
  return NumberValue.from(written(sum(...aligned(a, b))));
}
export const plus = (a: unknown, b: unknown): any => calculate(a, b, (x, y, scale) => ({ digits: x + y, scale }));
export const minus = (a: unknown, b: unknown): any => calculate(a, b, (x, y, scale) => ({ digits: x - y, scale }));
export const times = (a: unknown, b: unknown): any => calculate(a, b, (x, y, scale) => ({ digits: x * y, scale: 2 * scale }));
export const round = (value: unknown, places: unknown): any => {
  if (!has(value) || !has(places)) return undefined;
  const { digits, scale } = decimal(value as number | NumberValue);
  const dropped = scale - Number(text(places));
  if (dropped <= 0) return value;
  const unit = 10n ** BigInt(dropped);
  const magnitude = (digits < 0n ? -digits : digits) + unit / 2n; // halves away from zero
  return NumberValue.from(written({ digits: (digits < 0n ? -1n : 1n) * (magnitude / unit), scale: scale - dropped }));
};
export const over = (a: unknown, b: unknown): any => calculate(a, b, quotient);

// As many digits as necessary, and at most 38, the last one rounded half to even.
function quotient(x: bigint, y: bigint): Decimal {
  if (y === 0n) throw new Invalid("a division by zero");
  const magnitude = (of: bigint) => (of < 0n ? -of : of);
  const sign = x < 0n === y < 0n ? 1n : -1n;
  let [rest, scale] = [magnitude(x), 0];
  const by = magnitude(y);
  for (; rest % by !== 0n && String(rest / by).replace(/^0+/, "").length < 38; ++scale) rest *= 10n;
  const half = 2n * (rest % by) - by;
  const up = half > 0n || (half === 0n && (rest / by) % 2n === 1n);
  return { digits: sign * (rest / by + (up ? 1n : 0n)), scale };
}

export function compare(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = aligned(a, b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return isDeepStrictEqual(a, b) ? 0 : NaN;
}

/** Something missing is unequal (<>) to everything; no other comparison with it holds. */
export function is(a: unknown, comparator: "=" | "<>" | "<" | "<=" | ">" | ">=", b: unknown): boolean {
  if (!has(a) || !has(b)) return comparator === "<>";
  const order = compare(a, b);
  switch (comparator) {
    case "=": return order === 0;
    case "<>": return order !== 0;
    case "<": return order < 0;
    case "<=": return order <= 0;
    case ">": return order > 0;
    case ">=": return order >= 0;
  }
}

/** Plain JSON with sorted names and canonical numbers: equal texts for equal values, in any language. */
export function canonical(value: any): string {
  if (isNumber(value)) return plain(value);
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString("base64"));
  if (value instanceof Set) return canonical([...value].sort(compare));
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const there = Object.entries(value).filter(([, one]) => has(one)).sort(([a], [b]) => compare(a, b));
  return `{${there.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`;
}

/** Returns the value of a JSON text, with NumberValue for numbers: JSON.parse would round them. */
export function exactJson(json: string): any {
  JSON.parse(json); // throws unless it is JSON
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{}]/g) ?? [];
  let at = 0;
  const next = (): any => {
    const token = tokens[at++] ?? "null";
    if (token === "[") {
      const list: unknown[] = [];
      while (tokens[at] !== "]") list.push(next());
      ++at;
      return list;
    }
    if (token === "{") {
      const map: [string, unknown][] = [];
      while (tokens[at] !== "}") map.push([next(), next()]);
      ++at;
      return Object.fromEntries(map);
    }
    return /^[-\d]/.test(token) ? NumberValue.from(token) : JSON.parse(token);
  };
  return next();
}

/** A value as a part of a key: never empty, and without '#' unless it is last and its field allows it. */
export function part(value: unknown, name: string, raw = false): string {
  if (!has(value)) throw new Invalid(`${name} is required: it is part of a key`, name);
  const part: string = text(value);
  if (part === "" || (!raw && part.includes("#"))) throw new Invalid(`${name} may not be empty or hold "#" (was "${part}")`, name);
  return part;
}

export function padded(value: unknown, name: string, width: number): string {
  const digits = part(value, name);
  if (!/^\d+$/.test(digits) || digits.length > width) {
    throw new Invalid(`${name} must be a whole number of at most ${width} digits to stand in a key (was ${digits})`, name);
  }
  return digits.padStart(width, "0");
}

const greatest = 999_999_999_999_999; // descending values are written as the distance to it
export const descending = (value: unknown, name: string): string =>
  padded(greatest - Number(typeof value === "string" ? ms(value) : part(value, name)), name, 15);
export const ascending = (digits: string): number => greatest - Number(digits);
