// How long something lasts, as people say it.
import { signal } from "@preact/signals";
import { amount } from "../../format";

const units: [name: string, milliseconds: number][] = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1000]];

/** "3 d 4 h", "12 min". */
export function lasting(milliseconds: number): string {
  const at = units.findIndex(([, size]) => milliseconds >= size);
  if (at < 0) return "now";
  const [name, size] = units[at]!;
  const smaller = units[at + 1];
  const rest = smaller ? Math.floor((milliseconds % size) / smaller[1]) : 0;
  return `${amount(Math.floor(milliseconds / size))} ${name}${rest > 0 && name !== "min" ? ` ${rest} ${smaller![0]}` : ""}`;
}

/** The time, which a board looks at again and again. */
export const now = signal(Date.now());
export const tickMilliseconds = 10_000;

/** "for 3 h 10 min"; a time that is still to come is told so, too: the clock of a server can be ahead. */
export function agoInWords(iso: string | null, at: number): string {
  if (!iso) return "";
  const passed = at - Date.parse(iso);
  return passed < -2000 ? `in ${lasting(-passed)}` : `for ${lasting(Math.max(passed, 1000))}`;
}
