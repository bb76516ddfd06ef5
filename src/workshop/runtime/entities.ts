// ---- Entities ----

import { GetCommand, QueryCommand, type QueryCommandInput, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type Connection } from "./connection.js";
import { type Forms, readAll, readKey } from "./fields.js";
import { type Fields, has, text } from "./values.js";

export interface Kind<T> {
  name: string;
  fields: Forms;
  key: (it: Fields) => Fields;
  pattern: Record<string, RegExp>; // the form of its key; groups are fields of the key
  computed?: Record<string, (it: Fields, db: Connection) => unknown>;
  when?: Record<string, (it: Fields) => boolean>;
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

type Request = Omit<QueryCommandInput, "TableName">;

export async function* query<T>(db: Connection, kind: Kind<T>, request: Request): AsyncGenerator<T> {
  const Command = request.KeyConditionExpression ? QueryCommand : ScanCommand;
  let ExclusiveStartKey: Fields | undefined;
  do {
    const page = await db.client.send(new Command({ ...request, TableName: db.table, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      const entity = decode(kind, item);
      if (entity) yield entity;
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

export async function getItem(db: Connection, Key: Fields, ConsistentRead: boolean): Promise<Fields | undefined> {
  return (await db.client.send(new GetCommand({ TableName: db.table, Key, ConsistentRead }))).Item;
}

