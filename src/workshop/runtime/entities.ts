// ---- Entities ----

import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type Direct, Invalid, type Page, type PageRequest } from "./connection.js";
import { type Forms, readAll, readKey } from "./fields.js";
import { type Fields, has, isNumber, number, text } from "./values.js";

export interface Kind<T> {
  name: string;
  fields: Forms;
  key: (it: Fields) => Fields;
  pattern: Record<string, RegExp>; // the form of its key; groups are fields of the key
  days?: string[]; // fields whose day the key shows
  computed?: Record<string, (it: Fields, db: Direct) => unknown>;
  when?: Record<string, (it: Fields) => boolean>;
  rules?: { name: string; message: string; needs: string[]; holds: (it: Fields) => boolean }[]; // `needs`: checked if all have values
  initial?: Record<string, string>; // the first state of each lifecycle
  states?: Record<string, { attribute: string; keys: Record<string, RegExp> }>; // states that index keys hold
  indexes?: { attributes: string[]; keys: (it: Fields) => Fields }[];
  mark?: Fields; // the entity attribute
  unique?: { field: string; within: string[]; otherwise: string }[];
  readonly of?: T; // never set: binds the type
}

/** Returns the entity of an item; undefined if it is of another kind. */
export function decode<T>(kind: Kind<T>, item: Fields | undefined): T | undefined {
  if (!item) return undefined;
  const inKeys: Fields = {};
  for (const [attribute, pattern] of Object.entries(kind.pattern)) {
    const match = pattern.exec(text(item[attribute]) ?? "");
    if (!match) return undefined;
    Object.assign(inKeys, match.groups);
  }
  const entity = readAll(kind.fields, item);
  for (const [name, form] of Object.entries(kind.fields)) {
    if (has(inKeys[name]) && (form.stored === false || !has(entity[name]))) entity[name] = readKey(form, inKeys[name]);
  }
  for (const [name, { attribute, keys }] of Object.entries(kind.states ?? {})) {
    const state = Object.entries(keys).find(([, pattern]) => pattern.test(item[attribute] ?? ""));
    entity[name] = state ? state[0] : kind.initial?.[name];
  }
  return entity as T;
}

/** Returns an entity that was recorded, or sent as JSON: its fields and its states. */
export function readEntity(kind: Kind<unknown>, fields: Fields): Fields {
  const states = Object.keys(kind.states ?? {}).filter((name) => has(fields[name])).map((name) => [name, fields[name]]);
  return { ...readAll(kind.fields, fields), ...Object.fromEntries(states) };
}

type Request = Omit<QueryCommandInput, "TableName">;

const isFull = (found: unknown[], limit: number | undefined) => (limit === undefined ? found.length > 0 : found.length >= limit);

/** Reads until the page is full, because a filter can leave any number of items out. */
export async function queryPage<T>(db: Direct, kind: Kind<T>, request: Request, page: PageRequest): Promise<Page<T>> {
  const limit = page.limit ?? request.Limit;
  if (limit !== undefined && !(limit >= 1)) throw new Invalid("limit must be at least 1", "limit");
  const Command = request.KeyConditionExpression ? QueryCommand : ScanCommand;
  const items: T[] = [];
  let ExclusiveStartKey = page.token === undefined ? undefined : keyOf(page.token);
  do {
    const Limit = limit === undefined ? undefined : limit - items.length;
    const found = await db.client.send(new Command({ ...request, Limit, TableName: db.table, ExclusiveStartKey }));
    for (const item of found.Items ?? []) {
      const entity = decode(kind, item);
      if (entity) items.push(entity);
    }
    ExclusiveStartKey = found.LastEvaluatedKey;
  } while (ExclusiveStartKey && !isFull(items, limit));
  return { items, next: ExclusiveStartKey && tokenOf(ExclusiveStartKey) };
}

export interface Follow<T> {
  kind: Kind<T>;
  reference: (it: Fields) => unknown;
  key: (it: Fields) => Fields;
  consistent: boolean;
  hidden: string | undefined; // the attribute that marks deleted items
}

/** Returns the page with the entities that a reference in each of its items names, in their order; those that do not exist are left out. */
export async function followed<T>(db: Direct, page: Page<unknown>, to: Follow<T>): Promise<Page<T>> {
  const keys = (page.items as Fields[]).filter((it) => has(to.reference(it))).map((it) => to.kind.key(to.key(it)));
  const found = await batchGet(db, keys, to.consistent);
  const items = keys.map((key) => found.get(tokenOf(key))).filter((item) => item && !(to.hidden && has(item[to.hidden])));
  return { items: items.map((item) => decode(to.kind, item)).filter((one) => one !== undefined), next: page.next };
}

async function batchGet(db: Direct, keys: Fields[], ConsistentRead: boolean): Promise<Map<string, Fields>> {
  const rest = [...new Map(keys.map((key) => [tokenOf(key), key])).values()];
  const found = new Map<string, Fields>();
  const attempts = rest.length / 100 + 20;
  for (let attempt = 0; rest.length > 0; ++attempt) {
    if (attempt > attempts) throw new Error(`${db.table} left keys unprocessed; try again later`);
    const Keys = rest.splice(0, 100);
    const answer = await db.client.send(new BatchGetCommand({ RequestItems: { [db.table]: { Keys, ConsistentRead } } }));
    for (const item of answer.Responses?.[db.table] ?? []) {
      const key = Object.fromEntries(Object.keys(Keys[0]!).map((name) => [name, item[name]]));
      found.set(tokenOf(key), item);
    }
    const unprocessed = answer.UnprocessedKeys?.[db.table]?.Keys ?? [];
    if (unprocessed.length > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(500, 2 ** attempt) * (0.5 + Math.random() / 2)));
    rest.push(...unprocessed);
  }
  return found;
}

/** Returns a page of several patterns, one after the other. */
export async function unionPage<T>(parts: ((page: PageRequest) => Promise<Page<T>>)[], { limit, token = "0:" }: PageRequest): Promise<Page<T>> {
  const [at = "", ...rest] = token.split(":");
  const items: T[] = [];
  let [part, after] = [Number(at), rest.join(":") || undefined];
  if (!Number.isInteger(part)) throw new Invalid("token must be the `next` of another page", "token");
  while (part < parts.length && !isFull(items, limit)) {
    const found = await parts[part]!({ limit: limit === undefined ? undefined : limit - items.length, token: after });
    items.push(...found.items);
    after = found.next;
    if (after === undefined) ++part;
  }
  return { items, next: part < parts.length ? `${part}:${after ?? ""}` : undefined };
}

export async function* everyPage<T>(pageOf: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let token: string | undefined;
  do {
    const { items, next } = await pageOf({ token });
    yield* items;
    token = next;
  } while (token !== undefined);
}

export async function* atMostOne<T>(found: Promise<T | undefined>): AsyncGenerator<T> {
  const one = await found;
  if (one !== undefined) yield one;
}

// A token is a key as JSON: its attributes with their types, in base64url.
function tokenOf(key: Fields): string {
  const typed = ([name, value]: [string, any]) =>
    value instanceof Uint8Array ? [name, "B", Buffer.from(value).toString("base64")] : [name, isNumber(value) ? "N" : "S", text(value)];
  return Buffer.from(JSON.stringify(Object.entries(key).map(typed))).toString("base64url");
}

function keyOf(token: string): Fields {
  try {
    const key: [string, string, string][] = JSON.parse(Buffer.from(token, "base64url").toString());
    const plain = (type: string, value: string) => (type === "B" ? Buffer.from(value, "base64") : type === "N" ? number(value) : value);
    return Object.fromEntries(key.map(([name, type, value]) => [name, plain(type, value)]));
  } catch {
    throw new Invalid("token must be the `next` of another page", "token");
  }
}

export async function getItem(db: Direct, Key: Fields, ConsistentRead: boolean): Promise<Fields | undefined> {
  return (await db.client.send(new GetCommand({ TableName: db.table, Key, ConsistentRead }))).Item;
}
