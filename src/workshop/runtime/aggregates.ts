// ---- Aggregates ----

import { Invalid } from "./connection.js";
import { type Forms, readAll } from "./fields.js";
import { compare, type Fields, has, isNumber, number, over, plus, round, text } from "./values.js";

export interface Measure {
  name: string;
  function: "count" | "sum" | "min" | "max" | "avg";
  of?: (it: Fields) => unknown;
  per?: (it: Fields) => unknown; // an average is the sum of `of` divided by the sum of this
  digits?: number;
}

export interface Aggregate {
  by: Record<string, (it: Fields) => unknown>;
  compute: Measure[];
  order?: string;
  backwards?: boolean;
  limit?: number;
  row: Forms;
}

interface Partial_ {
  count: number;
  sum: any;
  per: any;
  extreme: any;
}

const groupsMax = 10_000;
const averageDigits = 10;

function addTo(partial: Partial_, measure: Measure, it: Fields): void {
  const value: any = measure.of ? measure.of(it) : 1;
  const per: any = measure.per ? measure.per(it) : 1;
  if (!has(value) || !has(per)) return;
  partial.count += 1;
  if (measure.function === "count") return;
  const isExtreme = measure.function === "min" || measure.function === "max";
  const fits = isExtreme ? has(partial.extreme) ? !Number.isNaN(compare(value, partial.extreme)) : isNumber(value) || typeof value === "string" : isNumber(value) && isNumber(per);
  if (!fits) throw new Invalid(`${measure.name}: ${measure.function} needs numbers, or texts, and not both`);
  if (isExtreme) {
    const order = has(partial.extreme) ? compare(value, partial.extreme) : 0;
    if (!has(partial.extreme) || (measure.function === "min" ? order < 0 : order > 0)) partial.extreme = value;
  } else {
    partial.sum = plus(partial.sum, value);
    partial.per = plus(partial.per, per);
  }
}

function resultOf({ count, sum, per, extreme }: Partial_, measure: Measure): unknown {
  if (measure.function === "count") return count;
  if (measure.function === "avg") return compare(per, 0) === 0 ? undefined : round(over(sum, per), measure.digits ?? averageDigits);
  const value = measure.function === "sum" ? sum : extreme;
  return measure.digits !== undefined && isNumber(value) ? round(value, measure.digits) : value;
}

// A missing value comes first, then numbers, then texts.
function inOrder(a: unknown, b: unknown): number {
  const rank = (value: unknown) => (!has(value) ? 0 : isNumber(value) ? 1 : typeof value === "string" ? 2 : 3);
  if (rank(a) !== rank(b) || rank(a) === 0) return rank(a) - rank(b);
  return rank(a) === 3 ? compare(JSON.stringify(a), JSON.stringify(b)) : compare(a, b);
}

/** Returns the rows that are computed from the items, in the order of the aggregate. */
export async function aggregated<T>(items: AsyncIterable<unknown>, said: Aggregate, limit: number | undefined): Promise<T[]> {
  if (limit !== undefined && !(limit >= 1)) throw new Invalid("limit must be at least 1", "limit");
  const groups = new Map<string, { values: Fields; partials: Partial_[] }>();
  const names = Object.keys(said.by);
  const start = (values: Fields) => ({ values, partials: said.compute.map(() => ({ count: 0, sum: number("0"), per: number("0"), extreme: undefined })) });
  if (names.length === 0) groups.set("[]", start({}));
  for await (const item of items) {
    const it = item as Fields;
    const values = Object.fromEntries(Object.entries(said.by).map(([name, of]) => [name, of(it)]));
    const key = JSON.stringify(names.map((name) => (isNumber(values[name]) ? [text(values[name])] : values[name] ?? null)));
    const group = groups.get(key) ?? start(values);
    if (!groups.has(key) && groups.size === groupsMax) {
      throw new Invalid(`there are more than ${groupsMax} groups; ask for fewer items, or group them by something with fewer values`);
    }
    groups.set(key, group);
    said.compute.forEach((measure, at) => addTo(group.partials[at]!, measure, it));
  }
  const rows = [...groups.values()].map(({ values, partials }) => {
    const computed = said.compute.map((measure, at) => [measure.name, resultOf(partials[at]!, measure)]);
    return { ...values, ...Object.fromEntries(computed) } as Fields;
  });
  const sign = said.backwards ? -1 : 1;
  rows.sort((a, b) => {
    const byOrder = said.order === undefined ? 0 : sign * inOrder(a[said.order], b[said.order]);
    return names.reduce((order, name) => order || (said.order === undefined ? sign : 1) * inOrder(a[name], b[name]), byOrder);
  });
  return rows.slice(0, limit ?? said.limit).map((row) => readAll(said.row, row) as T);
}
