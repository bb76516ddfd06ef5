// ---- Entities ----

import { GetCommand, QueryCommand, type QueryCommandInput, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type Connection } from "./connection.js";
import { type Forms, readAll, readKey } from "./fields.js";
import { type Fields, has, text } from "./values.js";

export interface Kind<T> {
  name: string;
  fields: Forms;
  key: (it: Fields) => Fields;
  pattern: Record<string, RegExp>; // what its key looks like; groups are fields that live there
  computed?: Record<string, (it: Fields, db: Connection) => unknown>;
  when?: Record<string, (it: Fields) => boolean>;
  initial?: Record<string, string>; // the first state of each lifecycle
  states?: Record<string, { attribute: string; keys: Record<string, RegExp> }>; // those that index keys hold
  indexes?: { attributes: string[]; keys: (it: Fields) => Fields }[];
  mark?: Fields; // the attribute that tells the kind
  unique?: { field: string; within: string[]; otherwise: string }[];
  readonly of?: T; // never there: binds the type
}

/** The entity that an item is; undefined when it is of another kind. */
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

