// Times to the millisecond, in the zone that the person chose: shown, typed, and how long ago they are.
import { computed } from "@preact/signals";
import { zoneName } from "./format";

const exactFormats = computed(() => new Intl.DateTimeFormat(navigator.language, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, timeZone: zoneName.value,
}));
const timeFormats = computed(() => new Intl.DateTimeFormat(navigator.language, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, timeZone: zoneName.value }));
const partFormats = computed(() => new Intl.DateTimeFormat("en-GB", {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: zoneName.value,
}));

/** "19 Nov 2026, 15:38:29.123" of milliseconds since 1970. */
export const exactMoment = (milliseconds: number): string => exactFormats.value.format(milliseconds);
export const exactTime = (milliseconds: number): string => timeFormats.value.format(milliseconds);

/** Returns a time as the value of an <input type="datetime-local">. */
export function typedMoment(milliseconds: number): string {
  const parts = Object.fromEntries(partFormats.value.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const fraction = String(((milliseconds % 1000) + 1000) % 1000).padStart(3, "0");
  return `${parts["year"]!.padStart(4, "0")}-${parts["month"]}-${parts["day"]}T${parts["hour"]}:${parts["minute"]}:${parts["second"]}.${fraction}`;
}

/** Reads the value of an <input type="datetime-local">; undefined if it is none. A time that a change of the clock skips is taken for the one after it. */
export function momentOfTyped(text: string): number | undefined {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return undefined;
  const offset = (at: number): number => Date.parse(`${typedMoment(at)}Z`) - at;
  const guess = wall - offset(wall);
  return wall - offset(guess);
}

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]] as const;

/** "2 days, 3 hours" of a number of milliseconds. */
export function span(milliseconds: number): string {
  const at = units.findIndex(([, size]) => milliseconds >= size);
  if (at < 0) return "less than a second";
  const [first, second] = [units[at]!, units[at + 1]];
  const words = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;
  const rest = second ? Math.floor((milliseconds % first[1]) / second[1]) : 0;
  return words(Math.floor(milliseconds / first[1]), first[0]) + (rest > 0 ? `, ${words(rest, second![0])}` : "");
}
