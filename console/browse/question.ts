// What somebody asks of a table: the view's URL, and the request that it becomes.
import { type Index, type TableInfo, indexesOf, keysOf, typeOfKey } from "../db/tables";
import { Placeholders, partsOf } from "../db/placeholders";
import { typed } from "../db/typed";
import type { KeyType } from "../db/value";

export const comparisons = ["=", "<", "<=", ">", ">=", "between", "begins_with"] as const;
export const filterOperators = ["=", "<>", "<", "<=", ">", ">=", "between", "in", "contains", "not contains", "begins_with", "exists", "not exists", "type is"] as const;
export type Comparison = (typeof comparisons)[number];
export type FilterOperator = (typeof filterOperators)[number];
/** The types that a filter compares with. */
export type FilterType = "S" | "N" | "B" | "BOOL" | "NULL";

export interface SortCondition {
  operator: Comparison;
  values: string[]; // as somebody typed them
}

export interface Filter {
  path: string; // "price", "credits.label", "tracks[0]"; "\"a.b\"" is one name with a dot
  type: FilterType;
  operator: FilterOperator;
  values: string[];
}

export interface Question {
  index: string; // empty: the table itself
  partition: string[]; // one text for each attribute of the partition key; empty: all partitions
  sort: SortCondition[]; // one for each attribute of the sort key
  filters: Filter[];
  isDescending: boolean;
  isConsistent: boolean;
  limit: number; // items that one request reads; 0: as the console thinks best
  columns: string[]; // empty: all
}

export interface Request {
  operation: "Query" | "Scan";
  body: Record<string, unknown>;
}

const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

// A list of texts in a URL is JSON, because a text may have any character. What somebody wrote by hand and is no list is left out.
function listsIn(query: URLSearchParams, name: string): string[][] {
  return query.getAll(name).flatMap((text) => {
    try {
      const list: unknown = JSON.parse(text);
      return isList(list) ? [list] : [];
    } catch {
      return [];
    }
  });
}

const oneOf = <T extends string>(all: readonly T[], text: string | undefined, otherwise: T): T => all.find((one) => one === text) ?? otherwise;

export function questionOf(query: URLSearchParams): Question {
  return {
    index: query.get("index") ?? "",
    partition: query.getAll("pk"),
    sort: listsIn(query, "sk").map(([operator, ...values]) => ({ operator: oneOf(comparisons, operator, "="), values })),
    filters: listsIn(query, "filter").map(([path = "", type, operator, ...values]) => ({
      path, type: oneOf<FilterType>(["S", "N", "B", "BOOL", "NULL"], type, "S"), operator: oneOf(filterOperators, operator, "="), values,
    })),
    isDescending: query.get("order") === "desc",
    isConsistent: query.get("read") === "consistent",
    limit: Math.max(0, Math.trunc(Number(query.get("limit")) || 0)),
    columns: query.getAll("column"),
  };
}

const isFilled = (condition: SortCondition): boolean => (condition.values[0] ?? "") !== "";

/** Returns the question as the query of a URL: "" or "?pk=…". */
export function searchOf(question: Question): string {
  const query = new URLSearchParams();
  if (question.index) query.set("index", question.index);
  if (question.partition.some((text) => text !== "")) for (const text of question.partition) query.append("pk", text);
  if (question.sort.some(isFilled)) for (const { operator, values } of question.sort) query.append("sk", JSON.stringify([operator, ...values]));
  for (const { path, type, operator, values } of question.filters) if (path !== "") query.append("filter", JSON.stringify([path, type, operator, ...values]));
  if (question.isDescending) query.set("order", "desc");
  if (question.isConsistent) query.set("read", "consistent");
  if (question.limit > 0) query.set("limit", String(question.limit));
  for (const name of question.columns) query.append("column", name);
  const text = query.toString();
  return text ? `?${text}` : "";
}

export const schemaOf = (table: TableInfo, index: string) => (indexesOf(table).find((one: Index) => one.IndexName === index) ?? table).KeySchema;

function comparison(left: string, operator: Comparison, values: string[]): string {
  if (operator === "between") return `${left} BETWEEN ${values[0]} AND ${values[1]}`;
  return operator === "begins_with" ? `begins_with(${left}, ${values[0]})` : `${left} ${operator} ${values[0]}`;
}

function filterText(filter: Filter, marks: Placeholders): string {
  const left = marks.path(partsOf(filter.path));
  if (filter.operator === "exists") return `attribute_exists(${left})`;
  if (filter.operator === "not exists") return `attribute_not_exists(${left})`;
  if (filter.operator === "type is") return `attribute_type(${left}, ${marks.value({ S: filter.values[0] ?? "S" }, "type")})`;
  const values = filter.values.slice(0, filter.operator === "between" ? 2 : filter.operator === "in" ? 100 : 1);
  if (values.length === 0) values.push(filter.type === "BOOL" ? "true" : "");
  const written = values.map((text) => marks.value(typed(filter.type, text), filter.path));
  if (filter.operator === "in") return `${left} IN (${written.join(", ")})`;
  if (filter.operator === "contains") return `contains(${left}, ${written[0]})`;
  if (filter.operator === "not contains") return `NOT contains(${left}, ${written[0]})`;
  if (filter.operator === "<>") return `${left} <> ${written[0]}`;
  return comparison(left, filter.operator, written);
}

function sortTexts(question: Question, table: TableInfo, marks: Placeholders): string[] {
  const names = keysOf(schemaOf(table, question.index), "RANGE");
  return question.sort.slice(0, names.length).flatMap((condition, at) => {
    const name = names[at]!;
    if (!isFilled(condition)) return [];
    const values = condition.values.slice(0, condition.operator === "between" ? 2 : 1);
    if (condition.operator === "between" && values.length < 2) throw new Error(`BETWEEN needs two values for ${name}`);
    const type: KeyType = typeOfKey(table, name);
    const left = marks.name(name);
    return [comparison(left, condition.operator, values.map((text) => marks.value(typed(type, text), name)))];
  });
}

export const isQuery = (question: Question, table: TableInfo): boolean => {
  const names = keysOf(schemaOf(table, question.index), "HASH");
  return names.every((_, at) => (question.partition[at] ?? "") !== "");
};

/** What one request reads if nobody says how much: with filters as much as the database gives (1 MB), because few items may be left of it. */
const limitOf = (question: Question, hasFilter: boolean): number => question.limit || (hasFilter ? 0 : 200);

/**
 * Returns the request. With the whole partition key it is a Query; otherwise a Scan, whose filter has the conditions of the keys. Throws an error
 * for the person if a value is none of its type.
 */
export function requestOf(question: Question, table: TableInfo): Request {
  const marks = new Placeholders();
  const operation = isQuery(question, table) ? "Query" : "Scan";
  const partition = keysOf(schemaOf(table, question.index), "HASH").flatMap((name, at) => {
    const text = question.partition[at] ?? "";
    return text === "" ? [] : [`${marks.name(name)} = ${marks.value(typed(typeOfKey(table, name), text), name)}`];
  });
  const keys = [...partition, ...sortTexts(question, table, marks)];
  const filters = question.filters.filter(({ path }) => path !== "").map((filter) => filterText(filter, marks));
  const filter = (operation === "Query" ? filters : [...keys, ...filters]).join(" AND ");
  const limit = limitOf(question, filter !== "");
  const body = {
    TableName: table.TableName,
    ...(question.index ? { IndexName: question.index } : {}),
    ...(operation === "Query" ? { KeyConditionExpression: keys.join(" AND ") } : {}),
    ...(filter ? { FilterExpression: filter } : {}),
    ...marks.members(),
    ...(operation === "Query" && question.isDescending ? { ScanIndexForward: false } : {}),
    ...(question.isConsistent ? { ConsistentRead: true } : {}),
    ...(limit > 0 ? { Limit: limit } : {}),
  };
  return { operation, body };
}
