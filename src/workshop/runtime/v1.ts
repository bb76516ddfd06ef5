import { designName } from "./design.js";

// ---- Exact numbers: digits / 10 ** scale ----

/** A number as it is written, without loss: DynamoDB's numbers have up to 38 digits, more than a `number` holds. */
export class Decimal {
  readonly digits: bigint;
  readonly scale: number;

  private constructor(digits: bigint, scale: number) {
    this.digits = digits;
    this.scale = scale;
  }

  /** Reads "29.99", "-1e3", 5n or a safe integer; fails for other texts, and for numbers that may have lost digits already. */
  static of(value: Numeric | string): Decimal {
    if (value instanceof Decimal) return value;
    if (typeof value === "bigint") return new Decimal(value, 0);
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError(`${value} may not be exact: give it as a text`);
    const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(String(value).trim());
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts ?? [];
    if (whole + fraction === "") throw new RangeError(`"${value}" is no number`);
    const scale = fraction.length - Number(exponent);
    const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
    return scale < 0 ? new Decimal(digits * 10n ** BigInt(-scale), 0) : new Decimal(digits, scale).#short();
  }

  plus(other: Numeric): Decimal {
    return this.#with(Decimal.of(other), (x, y) => x + y);
  }
  minus(other: Numeric): Decimal {
    return this.#with(Decimal.of(other), (x, y) => x - y);
  }
  times(other: Numeric): Decimal {
    const by = Decimal.of(other);
    return new Decimal(this.digits * by.digits, this.scale + by.scale).#short();
  }
  /** Returns less than 0, 0 or more than 0. */
  compare(other: Numeric): number {
    const difference = this.minus(other).digits;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  /** Rounds to this many digits after the point, halves away from zero. */
  round(places: number): Decimal {
    if (this.scale <= places) return this;
    const unit = 10n ** BigInt(this.scale - places);
    const magnitude = ((this.digits < 0n ? -this.digits : this.digits) + unit / 2n) / unit;
    return new Decimal(this.digits < 0n ? -magnitude : magnitude, places).#short();
  }
  /** Writes at least this many digits after the point: "5.50". */
  toText(places = 0): string {
    const scale = Math.max(this.scale, places);
    const all = (this.digits < 0n ? -this.digits : this.digits) * 10n ** BigInt(scale - this.scale);
    const text = all.toString().padStart(scale + 1, "0");
    const whole = (this.digits < 0n ? "-" : "") + text.slice(0, text.length - scale);
    return scale === 0 ? whole : `${whole}.${text.slice(text.length - scale)}`;
  }
  toString(): string {
    return this.toText();
  }

  #with(other: Decimal, operation: (x: bigint, y: bigint) => bigint): Decimal {
    const scale = Math.max(this.scale, other.scale);
    const at = (one: Decimal): bigint => one.digits * 10n ** BigInt(scale - one.scale);
    return new Decimal(operation(at(this), at(other)), scale).#short();
  }
  #short(): Decimal {
    let [digits, scale] = [this.digits, this.scale];
    for (; scale > 0 && digits % 10n === 0n; --scale) digits /= 10n;
    return new Decimal(digits, scale);
  }
}

/** A number that may be sent: a `number` must be a safe integer. */
export type Numeric = Decimal | bigint | number;

// ---- JSON, whose numbers are exact ----

/** Returns the value of a JSON text, with a Decimal for each number: JSON.parse would round them. */
export function exactJson(json: string): any {
  JSON.parse(json); // throws unless it is JSON
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{}]/g) ?? [];
  let at = 0;
  const next = (): unknown => {
    const token = tokens[at++] ?? "null";
    if (token === "[") {
      const list: unknown[] = [];
      while (tokens[at] !== "]") list.push(next());
      ++at;
      return list;
    }
    if (token === "{") {
      const members: [string, unknown][] = [];
      while (tokens[at] !== "}") members.push([next() as string, next()]);
      ++at;
      return Object.fromEntries(members);
    }
    return /^[-\d]/.test(token) ? Decimal.of(token) : JSON.parse(token);
  };
  return next();
}

/** Writes a value as JSON: a Decimal and a bigint as the number that they are; what is undefined is left out. */
export function exactText(value: unknown): string {
  if (value instanceof Decimal || typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Decimal.of(value).toString();
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const there = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${there.map(([name, one]) => `${JSON.stringify(name)}:${exactText(one)}`).join(",")}}`;
}

// ---- Requests ----

/** The server, and how to reach it. */
export interface Service {
  url?: string; // "http://127.0.0.1:8000"; the page's own server if it is missing
  headers?: () => Record<string, string>; // further headers of every request: a token
  send?: (request: Request) => Promise<Response>; // instead of fetch
}

/** The request was refused; nothing was changed. `refusal` is the name that the design gives the reason. */
export class Refused<Name extends string = string> extends Error {
  readonly refusal: Name;
  readonly status: number;
  readonly parameter: string | undefined;

  constructor(refusal: Name, status: number, reason: string, parameter?: string) {
    super(reason);
    this.refusal = refusal;
    this.status = status;
    this.parameter = parameter;
  }
}

/** The server did not answer as it should: it cannot be reached, or failed. Whether a write was done is unknown; the same one may be sent again. */
export class Unanswered extends Error {
  readonly status: number; // 0: no answer at all

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Asks for a page of a pattern: at most `limit` entities are read, after the page with the `next` that `after` is. */
export interface PageRequest {
  limit?: number | undefined;
  after?: string | undefined;
}

export interface Page<T> {
  items: T[];
  next: string | undefined; // undefined on the last page
}

export async function askEntity<T>(to: Service, name: string, parameters: object): Promise<T | undefined> {
  return (await request(to, name + queryOf(parameters))) as T | undefined;
}

export async function askPage<T>(to: Service, name: string, parameters: object, page: PageRequest): Promise<Page<T>> {
  const found: any = await request(to, name + queryOf({ ...parameters, limit: page.limit, page: page.after }));
  return { items: found.items, next: found.next ?? undefined };
}

export async function askRows<T>(to: Service, name: string, parameters: object, limit: number | undefined): Promise<T[]> {
  const found: any = await request(to, name + queryOf({ ...parameters, limit }));
  return found.items;
}

export async function* everyPage<T>(pageAfter: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const { items, next } = await pageAfter({ after });
    yield* items;
    after = next;
  } while (after !== undefined);
}

export async function performOperation<T>(to: Service, name: string, parameters: object): Promise<T> {
  return (await request(to, name, exactText(parameters))) as T;
}

function queryOf(parameters: object): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

// Without a body it is a GET. Returns undefined for an entity that is missing, and for an operation that returns nothing.
async function request(to: Service, path: string, body?: string): Promise<unknown> {
  const headers: Record<string, string> = { Accept: "application/json", ...to.headers?.() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const url = `${(to.url ?? globalThis.location?.origin ?? "").replace(/\/+$/, "")}/v1/${encodeURIComponent(designName)}/${path}`;
  const asked = new Request(url, body === undefined ? { headers } : { method: "POST", headers, body });
  const answer = await (to.send ?? fetch)(asked).catch((why: unknown) => {
    throw new Unanswered(0, `The server cannot be reached: ${why instanceof Error ? why.message : String(why)}`);
  });
  const text = await answer.text().catch(() => {
    throw new Unanswered(0, "The connection ended in the middle of the answer");
  });
  if (answer.ok) return text === "" ? undefined : exactJson(text);
  return refuse(answer, text);
}

function refuse(answer: Response, text: string): undefined {
  const isProblem = answer.headers.get("Content-Type")?.includes("json") ?? false;
  const problem: any = isProblem ? JSON.parse(text) : {};
  if (problem.type === "urn:tavola:not-found") return undefined;
  const reason: string = problem.detail ?? problem.title ?? `The server answered ${answer.status}`;
  if (answer.status >= 500 || answer.status === 429) throw new Unanswered(answer.status, reason);
  const words: Record<number, string> = { 400: "INVALID", 401: "NOT_LOGGED_IN", 403: "FORBIDDEN", 422: "INVALID" };
  throw new Refused(problem.refusal ?? words[answer.status] ?? "REFUSED", answer.status, reason, problem.parameter);
}
