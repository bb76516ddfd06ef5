// JSON whose numbers keep their digits: JSON.parse would read 12345678901234567890 as 12345678901234567000.

/** A number that a double would change. Other numbers stay as they are. */
export class Exact {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

const textOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const isDouble = (text: string): boolean => String(Number(text)) === text;

/** Parses JSON, with an Exact for each number that a double would change, also for 1.50. Throws unless it is JSON. */
export function parseExact(json: string): unknown {
  const mark = `number ${Math.random()}`;
  const marked = json.replace(textOrNumber, (part) => (part.startsWith('"') || isDouble(part) ? part : `{"${mark}":"${part}"}`));
  return JSON.parse(marked, (_, value) => (typeof value === "object" && value !== null && mark in value ? new Exact(value[mark]) : value));
}

/** A number for a computation or a picture, whose digits do not matter: of a JSON number that parseExact kept as 2.0. */
export const doubleOf = (value: unknown): number => Number(String(value));

/** Writes a value as JSON: an Exact as the number that it is; what is undefined is left out. With `indent`, on several lines. */
export function exactText(value: unknown, indent?: string): string {
  if (value instanceof Exact) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const inner = indent === undefined ? undefined : `${indent}  `;
  const colon = inner === undefined ? ":" : ": ";
  const parts = Array.isArray(value)
    ? value.map((one) => exactText(one, inner))
    : Object.entries(value).filter(([, one]) => one !== undefined).map(([name, one]) => `${JSON.stringify(name)}${colon}${exactText(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0 || inner === undefined) return open + parts.join() + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** Returns a value of plain JSON as one line for people. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : typeof value === "object" && !(value instanceof Exact) ? exactText(value) : String(value);
}
