// The AWS SDK for JavaScript v3 on a server with --enforce-throughput: error classes with their reasons, unprocessed
// items, and the SDK's own retries, which recover. Started by ../javascript_test.py, which sets NODE_PATH and ENDPOINT.
"use strict";

const assert = require("node:assert/strict");
const { after, test } = require("node:test");
const dynamodb = require("@aws-sdk/client-dynamodb");

const endpoint = process.env.ENDPOINT;
const client = new dynamodb.DynamoDBClient({ endpoint, maxAttempts: 1 });
const patient = new dynamodb.DynamoDBClient({ endpoint, maxAttempts: 12 });
const send = (name, input, by = client) => by.send(new dynamodb[`${name}Command`](input));

async function createTable(TableName, units, more = {}) {
  await send("CreateTable", {
    TableName,
    BillingMode: "PROVISIONED",
    ProvisionedThroughput: { ReadCapacityUnits: units, WriteCapacityUnits: units },
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    ...more,
  });
}

const item = (id) => ({ id: { S: String(id) } });

// Returns the error once no units are left.
async function refusal(name, input) {
  for (let tries = 0; tries < 500; tries++) {
    try {
      await send(name, input);
    } catch (error) {
      return error;
    }
  }
  throw new Error("nothing was refused");
}

after(() => {
  client.destroy();
  patient.destroy();
});

test("a table out of units, and why", async () => {
  await createTable("slow", 1);
  const error = await refusal("PutItem", { TableName: "slow", Item: item(1) });
  assert.ok(error instanceof dynamodb.ProvisionedThroughputExceededException, error.message);
  assert.match(error.message, /^The level of configured provisioned throughput for the table was exceeded\./);
  assert.equal(error.ThrottlingReasons.length, 1);
  assert.equal(error.ThrottlingReasons[0].reason, "TableWriteProvisionedThroughputExceeded");
  assert.match(error.ThrottlingReasons[0].resource, /:table\/slow$/);
});

test("a maximum on demand", async () => {
  const more = { BillingMode: "PAY_PER_REQUEST", ProvisionedThroughput: undefined, OnDemandThroughput: { MaxReadRequestUnits: 1 } };
  await createTable("capped", 1, more);
  const error = await refusal("GetItem", { TableName: "capped", Key: item(1), ConsistentRead: true });
  assert.ok(error instanceof dynamodb.ThrottlingException, error.message);
  const reasons = error.throttlingReasons ?? error.ThrottlingReasons;
  assert.deepEqual(reasons.map(({ reason }) => reason), ["TableReadMaxOnDemandThroughputExceeded"]);
});

test("batches leave what does not fit", async () => {
  await createTable("batched", 3);
  const writes = Array.from({ length: 20 }, (_, id) => ({ PutRequest: { Item: item(id) } }));
  const { UnprocessedItems: left } = await send("BatchWriteItem", { RequestItems: { batched: writes } });
  assert.ok(left.batched.length > 0 && left.batched.length < 20);
});

test("the SDK's retries get over it", async () => {
  await createTable("patient", 5);
  for (let id = 0; id < 12; id++) await send("PutItem", { TableName: "patient", Item: item(id) }, patient);
  const { Table: table } = await send("DescribeTable", { TableName: "patient" });
  assert.equal(table.ItemCount, 12);
});
