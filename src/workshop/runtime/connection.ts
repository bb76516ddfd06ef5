// ---- The connection, and errors ----

import { type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { tableName } from "./design.js";

export interface Connection {
  client: DynamoDBDocumentClient;
  table: string;
  now(): number; // the time in milliseconds
  caller?: string; // the caller, for designs that use caller(); the program must verify it
  coreDomain?(domain: string): string; // for designs that use core_domain(): the name before the public suffix
}

export function connect(client: DynamoDBClient, options: Partial<Omit<Connection, "client">> = {}): Connection {
  const translation = { marshallOptions: { removeUndefinedValues: true }, unmarshallOptions: { wrapNumbers: true } };
  return { client: DynamoDBDocumentClient.from(client, translation), table: tableName, now: Date.now, ...options };
}

/** The operation was refused, by name; nothing was changed. */
export class Refused<Name extends string = string> extends Error {
  constructor(readonly refusal: Name, reason: string) {
    super(`${refusal}: ${reason}`);
  }
}

/** A value that the design does not allow; nothing was changed. */
export class Invalid extends Error {}
