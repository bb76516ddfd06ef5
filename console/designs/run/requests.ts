// What the lenses "explain" and "run" answer (src/lens/pattern_run.h), and requests in words.
import { type Item, type Value, preview } from "../../db/value";

export interface Sent {
  operation: string;
  request: Record<string, unknown>;
}

export interface ExplainedRead extends Sent {
  pattern: string;
  index?: string;
  entity: string;
  consistent: boolean;
  itemBytes: number;
  reads: { items: number; units: number }[];
  alsoReturns: string[];
  notes: string[];
}

export interface ExplainedPattern {
  pattern: string;
  title: string;
  requests: ExplainedRead[];
}

export interface Refusal {
  name: string;
  reason: string;
}

export interface ExplainedOperation {
  reads: (Sent & { found?: number })[];
  writes?: { writes: Sent | null; causes: { action: number; name: string; reason: string; condition?: string }[] };
  refused?: Refusal;
}

export interface FoundEntity {
  entity: string;
  key: Item | null;
  fields: Record<string, unknown>;
  masked: string[];
}

export interface FoundPage {
  entities: FoundEntity[];
  next: string | null;
  returned: number;
  scanned: number;
  readUnits: number;
  missing: number;
  milliseconds: number;
  requests: { operation: string; scanned: number; returned: number }[];
}

const written = (value: Value): string => ("S" in value ? JSON.stringify(value.S) : preview(value));

/** Returns an expression with its names and values in their places: PK = "SHOP#s1" AND begins_with(SK, "PRODUCT#"). */
export function inWords(expression: unknown, request: Record<string, unknown>): string {
  const names = (request["ExpressionAttributeNames"] ?? {}) as Record<string, string>;
  const values = (request["ExpressionAttributeValues"] ?? {}) as Record<string, Value>;
  return String(expression ?? "").replace(/[#:]\w+/g, (part) => (part in values ? written(values[part]!) : (names[part] ?? part)));
}

export const keyInWords = (key: Item): string => Object.entries(key).map(([name, value]) => `${name} = ${written(value)}`).join(" AND ");

export interface Action {
  kind: string; // Put, Update, Delete, ConditionCheck
  on: string;
  details: [name: string, text: string][];
}

type Part = Record<string, unknown>;

function actionOf(kind: string, part: Part, tableKeys: readonly string[]): Action {
  const item = part["Item"] as Item | undefined;
  const key = (part["Key"] as Item | undefined) ?? Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => tableKeys.includes(name)));
  const details: [string, string][] = [];
  if (item) details.push(["Item", Object.entries(item).filter(([name]) => !tableKeys.includes(name)).map(([name, value]) => `${name} = ${written(value)}`).join(", ")]);
  if (part["UpdateExpression"]) details.push(["Change", inWords(part["UpdateExpression"], part)]);
  if (part["ConditionExpression"]) details.push(["Only if", inWords(part["ConditionExpression"], part)]);
  return { kind, on: keyInWords(key), details };
}

/** Returns what a write does, action by action. */
export function actionsOf({ operation, request }: Sent, tableKeys: readonly string[]): Action[] {
  if (operation !== "TransactWriteItems") return [actionOf(operation.replace(/Item$/, ""), request, tableKeys)];
  return ((request["TransactItems"] ?? []) as Record<string, Part>[]).flatMap((one) => Object.entries(one).map(([kind, part]) => actionOf(kind, part, tableKeys)));
}
