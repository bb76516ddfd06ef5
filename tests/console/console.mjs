// A server with its console for the duration of a test, and the database behind it for what a test prepares and checks.
import assert from "node:assert/strict";
import { startProgram } from "../browser/harness.mjs";

/** Starts a server. `url` is its console's, `endpoint` the database's; `db` sends an operation to the database, as any program would. */
export async function startConsole(...options) {
  const server = await startProgram(process.env.TAVOLA, "serve", ...(options.includes("--data") ? [] : ["--in-memory"]), "--console-port", "0", ...options);
  const url = await consoleOf(server);
  return { url, endpoint: server.url, stop: server.stop, kill: server.kill, log: server.log, db: (operation, body) => send(server.url, operation, body) };
}

// The line of the console comes after the one that says that the server listens.
async function consoleOf(server) {
  for (let at = 0; at < 600; at++) {
    const found = /console url=(\S+)/.exec(server.log());
    if (found) return found[1];
    await new Promise((resume) => setTimeout(resume, at < 100 ? 5 : 100));
  }
  await server.kill();
  assert.fail(`the server says nothing of its console:\n${server.log()}`);
}

async function send(endpoint, operation, body) {
  const service = /Stream|Shard|Records/.test(operation) && operation !== "DescribeTable" ? "DynamoDBStreams_20120810" : "DynamoDB_20120810";
  const headers = {
    "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": `${service}.${operation}`,
    "X-Amz-Date": "20260101T000000Z", Authorization: "AWS4-HMAC-SHA256 Credential=x/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=x",
  };
  const answer = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${operation}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Creates a table whose key is given as { pk: "S", sk: "N" }, and puts items into it. */
export async function makeTable({ db }, name, key, items = []) {
  const names = Object.keys(key);
  await db("CreateTable", {
    TableName: name, BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: key[AttributeName] })),
    KeySchema: names.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? "HASH" : "RANGE" })),
  });
  for (let at = 0; at < items.length; at += 25) {
    await db("BatchWriteItem", { RequestItems: { [name]: items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } })) } });
  }
}

/** Returns the item of a key as it is stored; undefined if there is none. */
export const stored = async ({ db }, table, Key) => (await db("GetItem", { TableName: table, Key, ConsistentRead: true })).Item;
