// Times, sizes and amounts for people. Times are shown in the zone that the person chose.
import { computed, signal } from "@preact/signals";

export const zones = ["local", "UTC"] as const;
const here = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
/** "local" is the zone of the browser; otherwise a name of the IANA database. */
export const zone = signal(localStorage.getItem("zone") ?? "local");
export const zoneName = computed(() => (zone.value === "local" ? here : zone.value));

export function setZone(name: string): void {
  zone.value = name;
  localStorage.setItem("zone", name);
}

const formats = computed(() => new Intl.DateTimeFormat(navigator.language, { dateStyle: "medium", timeStyle: "medium", timeZone: zoneName.value }));

/** A time of DynamoDB's answers: seconds since 1970. */
export const moment = (seconds: number | undefined): string => (seconds === undefined ? "–" : formats.value.format(seconds * 1000));

const clock = computed(() => new Intl.DateTimeFormat(navigator.language, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hour12: false, timeZone: zoneName.value }));
/** A time of the day, to the millisecond: of milliseconds since 1970. */
export const clockTime = (milliseconds: number): string => clock.value.format(milliseconds);

const amounts = new Intl.NumberFormat(navigator.language);
export const amount = (value: number | undefined): string => (value === undefined ? "–" : amounts.format(value));
const short = new Intl.NumberFormat(navigator.language, { notation: "compact", maximumFractionDigits: 1 });
/** "12,345" as "12.3K", where there is no room. */
export const compact = (value: number): string => (value < 10_000 ? amounts.format(value) : short.format(value));

const tenth = new Intl.NumberFormat(navigator.language, { maximumFractionDigits: 1 });
export function bytes(value: number | undefined): string {
  if (value === undefined) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1024;
  return `${tenth.format(value)} ${units[at]}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${amount(count)} ${count === 1 ? one : many}`;
