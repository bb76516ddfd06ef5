// Edits as requests. Every write has the condition that what it changes is still as it was read, so that nobody's change is overwritten.
import { call, DbError } from "../db/call";
import { keyOf } from "../db/key";
import { Placeholders } from "../db/placeholders";
import type { TableInfo } from "../db/tables";
import type { Item, Value } from "../db/value";
import { type Change, changesOf } from "./changes";

export interface WriteRequest {
  operation: "PutItem" | "UpdateItem" | "DeleteItem";
  body: Record<string, unknown>;
}

const expressionMost = 4096; // bytes of an expression that DynamoDB takes
const conditionsMost = 120; // DynamoDB takes 300 operators; a comparison and its AND are two

const isStill = (marks: Placeholders, path: readonly string[], value: Value | undefined): string =>
  value ? `${marks.path(path)} = ${marks.value(value, path.at(-1) ?? "v")}` : `attribute_not_exists(${marks.path(path)})`;

/** Joins conditions as long as they fit into an expression. */
function joined(conditions: readonly string[]): string {
  const encoder = new TextEncoder();
  let all = "";
  for (const condition of conditions.slice(0, conditionsMost)) {
    const longer = all ? `${all} AND ${condition}` : condition;
    if (encoder.encode(longer).length > expressionMost) break;
    all = longer;
  }
  return all;
}

/** The item must be there as `item` says; of very many attributes, the first ones are compared. */
function asRead(table: TableInfo, item: Item, marks: Placeholders): string {
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const others = Object.entries(item).filter(([name]) => !keys.includes(name));
  return joined([`attribute_exists(${marks.name(keys[0]!)})`, ...others.map(([name, value]) => isStill(marks, [name], value))]);
}

/** Removes the placeholders that an expression that was cut does not use. */
function used(marks: Placeholders, texts: string[]): object {
  const all = new Set(texts.join(" ").match(/[#:]\w+/g));
  const { names, values } = marks;
  const kept = (of: object): object => Object.fromEntries(Object.entries(of).filter(([name]) => all.has(name)));
  const given = { ExpressionAttributeNames: kept(names), ExpressionAttributeValues: kept(values) };
  return Object.fromEntries(Object.entries(given).filter(([, of]) => Object.keys(of).length > 0));
}

const seeOnFailure = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };

/** Changes an item that was read: SET and REMOVE of what differs, if that is still as it was. */
export function updateRequest(table: TableInfo, key: Item, changes: readonly Change[]): WriteRequest {
  const marks = new Placeholders();
  const set = changes.flatMap(({ path, after }) => (after ? [`${marks.path(path)} = ${marks.value(after, `new_${path.at(-1)}`)}`] : []));
  const remove = changes.flatMap(({ path, after }) => (after ? [] : [marks.path(path)]));
  const conditions = [`attribute_exists(${marks.name(table.KeySchema[0]!.AttributeName)})`, ...changes.map(({ path, before }) => isStill(marks, path, before))];
  const update = [set.length > 0 ? `SET ${set.join(", ")}` : "", remove.length > 0 ? `REMOVE ${remove.join(", ")}` : ""].filter(Boolean).join(" ");
  const body = { TableName: table.TableName, Key: key, UpdateExpression: update, ConditionExpression: conditions.join(" AND "), ...marks.members(), ReturnValues: "ALL_NEW", ...seeOnFailure };
  return { operation: "UpdateItem", body };
}

/** Writes an item that is not there yet. */
export function createRequest(table: TableInfo, item: Item): WriteRequest {
  const marks = new Placeholders();
  const condition = `attribute_not_exists(${marks.name(table.KeySchema[0]!.AttributeName)})`;
  return { operation: "PutItem", body: { TableName: table.TableName, Item: item, ConditionExpression: condition, ...marks.members(), ...seeOnFailure } };
}

/** Deletes an item that is as it was read. */
export function deleteRequest(table: TableInfo, item: Item): WriteRequest {
  const marks = new Placeholders();
  const condition = asRead(table, item, marks);
  return { operation: "DeleteItem", body: { TableName: table.TableName, Key: keyOf(table, item), ConditionExpression: condition, ...used(marks, [condition]), ...seeOnFailure } };
}

/** Returns the request that makes one item of another; one of them may be missing. */
export function requestBetween(table: TableInfo, before: Item | undefined, after: Item | undefined): WriteRequest | undefined {
  if (before && after) {
    const changes = changesOf(before, after);
    return changes.length > 0 ? updateRequest(table, keyOf(table, before), changes) : undefined;
  }
  return after ? createRequest(table, after) : before ? deleteRequest(table, before) : undefined;
}

/** Somebody changed the item since it was read: `theirs` is what is there now. */
export class Collision extends Error {
  readonly theirs: Item | undefined;
  constructor(theirs: Item | undefined) {
    super(theirs ? "Somebody changed the item since it was read" : "Somebody deleted the item since it was read");
    this.theirs = theirs;
  }
}

/** Sends a write; returns the item as it is then, if the answer says so. Throws Collision if its condition does not hold. */
export async function write({ operation, body }: WriteRequest): Promise<Item | undefined> {
  try {
    return (await call<{ Attributes?: Item }>(operation, body)).Attributes;
  } catch (why) {
    if (why instanceof DbError && why.kind === "ConditionalCheckFailedException") throw new Collision(why.body["Item"] as Item | undefined);
    throw why;
  }
}

export async function read(table: string, key: Item): Promise<Item | undefined> {
  return (await call<{ Item?: Item }>("GetItem", { TableName: table, Key: key, ConsistentRead: true })).Item;
}
