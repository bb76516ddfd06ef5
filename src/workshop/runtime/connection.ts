// ---- The connection, and errors ----

import { type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { tableName } from "./design.js";

/** Direct requests to the table, on DynamoDB or Tavola. */
export interface Direct {
  client: DynamoDBDocumentClient;
  table: string;
  now: () => number; // the time in milliseconds
  caller?: string; // the caller, for designs that use caller(); the program must verify it
  coreDomain?: (domain: string) => string; // for designs that use core_domain(): the name before the public suffix
}

/** A server of Tavola that performs patterns and operations by their names, under /v1. */
export interface Served {
  v1: string; // the server: "http://127.0.0.1:8000"
  token?: string | undefined; // identifies the caller, for designs with roles
}

export type Connection = Direct | Served;

export function connect(served: Served): Served;
export function connect(client: DynamoDBClient, options?: Partial<Omit<Direct, "client">>): Direct;
export function connect(to: DynamoDBClient | Served, options: Partial<Omit<Direct, "client">> = {}): Connection {
  if ("v1" in to) return to;
  const translation = { marshallOptions: { removeUndefinedValues: true }, unmarshallOptions: { wrapNumbers: true } };
  return { client: DynamoDBDocumentClient.from(to, translation), table: tableName, now: Date.now, ...options };
}

/** Asks for a page of a pattern: at most `limit` entities, after the page with the `next` that `token` is. */
export interface PageRequest {
  limit?: number | undefined;
  token?: string | undefined;
}

export interface Page<T> {
  items: T[];
  next: string | undefined; // the token of the next page; undefined on the last one
}

/** The request was refused, by name; nothing was changed. `parameter` is the parameter or field with a wrong value, if known. */
export class Refused<Name extends string = string> extends Error {
  readonly refusal: Name;
  readonly parameter: string | undefined;

  constructor(refusal: Name, reason: string, parameter?: string) {
    super(`${refusal}: ${reason}`);
    this.refusal = refusal;
    this.parameter = parameter;
  }
}

/** A value that the design does not allow; nothing was changed. */
export class Invalid extends Refused<"INVALID"> {
  constructor(reason: string, parameter?: string) {
    super("INVALID", reason, parameter);
  }
}
