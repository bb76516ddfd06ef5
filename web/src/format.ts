// Numbers and times for people. A number comes as its decimal text and is never a double: Intl formats decimal texts exactly.
export interface Exact {
  toString(): string;
}

const language = navigator.language;
type Formats = (value: Exact) => string;

function formatter(options: Intl.NumberFormatOptions): Formats {
  const format = new Intl.NumberFormat(language, options);
  // TypeScript has no type for decimal texts as arguments yet.
  return (value) => format.format(value.toString() as unknown as bigint);
}

const whole = formatter({ maximumFractionDigits: 20 });
export const number: Formats = (value) => whole(value);

const currencies = new Map<string, Formats>();
/** An amount with two digits after the point at least, and with its currency if there is one: "1,299.00", "€1,299.00". */
export function money(value: Exact | undefined, currency = ""): string {
  if (value === undefined) return "–";
  let format = currencies.get(currency);
  if (!format) {
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 20 };
    format = formatter(currency ? { style: "currency", currency, ...digits } : digits);
    currencies.set(currency, format);
  }
  return format(value);
}

const moments = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const shortDays = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", timeZone: "UTC" });
export const moment = (iso: string): string => moments.format(new Date(iso));
export const dayOf = (iso: string): string => days.format(new Date(iso));
export const shortDay = (day: string): string => shortDays.format(new Date(`${day}T00:00:00Z`));

/** The time zone of the person who looks. */
export const zone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Returns the day of a moment in the person's time zone, as 2024-01-31, some days later or earlier. */
export function dayIn(shift = 0, from = new Date()): string {
  const day = new Date(from.getFullYear(), from.getMonth(), from.getDate() + shift);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Returns the first and the last moment of local days, as a request needs them. */
export function momentsOf(firstDay: string, lastDay: string): { start: string; end: string } {
  const local = (day: string, shift: number): Date => {
    const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
    return new Date(year, month - 1, date + shift);
  };
  const written = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
  return { start: written(local(firstDay, 0).getTime()), end: written(local(lastDay, 1).getTime() - 1000) };
}

/** Reads an amount as people write it: "12", "12.50", "12,50", "1.299,00". Returns undefined for anything else, also for "1,299", which is
 *  a thousand times more in one country than in another; "1.299" is a decimal, as programs write it. */
export function readAmount(text: string): string | undefined {
  const plain = text.replace(/[\s'’\u00a0\u202f]/g, "");
  const parts = /^(-?)(\d[\d.,]*)$/.exec(plain);
  if (!parts) return undefined;
  const [, sign = "", digits = ""] = parts;
  if (/^[1-9]\d{0,2},\d{3}$/.test(digits)) return undefined;
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const separator = digits[last];
  const isGrouping = separator !== undefined && (digits.split(separator).length > 2 || (digits.length - last === 4 && digits.replace(/[\d]/g, "").length > 1));
  if (last < 0 || isGrouping) return sign + digits.replace(/[.,]/g, "");
  return `${sign}${digits.slice(0, last).replace(/[.,]/g, "") || "0"}.${digits.slice(last + 1)}`.replace(/\.$/, "");
}
