// The AWS SDK for JavaScript v3 on DynamoDB Streams: changes by shard and in order, as a consumer reads them. Started
// by ../javascript_test.py, which sets NODE_PATH and ENDPOINT.
"use strict";

const assert = require("node:assert/strict");
const { after, before, describe, test } = require("node:test");
const dynamodb = require("@aws-sdk/client-dynamodb");
const documents = require("@aws-sdk/lib-dynamodb");
const streams = require("@aws-sdk/client-dynamodb-streams");
const { unmarshall } = require("@aws-sdk/util-dynamodb");

const endpoint = process.env.ENDPOINT;
const client = new dynamodb.DynamoDBClient({ endpoint, maxAttempts: 1 });
const reader = new streams.DynamoDBStreamsClient({ endpoint, maxAttempts: 1 });
const documentClient = documents.DynamoDBDocumentClient.from(client);

const send = (name, input) => client.send(new dynamodb[`${name}Command`](input));
const sendDocument = (name, input) => documentClient.send(new documents[`${name}Command`](input));
const ask = (name, input) => reader.send(new streams[`${name}Command`](input));

// Returns the ARN of the new table's stream.
async function createTable(TableName, StreamViewType) {
  const { TableDescription: table } = await send("CreateTable", {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    StreamSpecification: { StreamEnabled: true, StreamViewType },
  });
  return table.LatestStreamArn;
}

async function shardsOf(StreamArn) {
  const shards = [];
  for (let ExclusiveStartShardId; ; ) {
    const { StreamDescription: page } = await ask("DescribeStream", { StreamArn, ExclusiveStartShardId, Limit: 2 });
    shards.push(...page.Shards);
    if (page.LastEvaluatedShardId === undefined) return shards;
    ExclusiveStartShardId = page.LastEvaluatedShardId;
  }
}

async function iteratorOf(StreamArn, ShardId, ShardIteratorType, SequenceNumber) {
  const asked = { StreamArn, ShardId, ShardIteratorType, SequenceNumber };
  return (await ask("GetShardIterator", asked)).ShardIterator;
}

// Returns the records from there on, until a page is empty.
async function recordsFrom(ShardIterator, Limit = 3) {
  const records = [];
  while (ShardIterator !== undefined) {
    const page = await ask("GetRecords", { ShardIterator, Limit });
    assert.ok(page.Records.length <= Limit);
    if (page.Records.length === 0) return records;
    records.push(...page.Records);
    ShardIterator = page.NextShardIterator;
  }
  return records;
}

async function allRecords(StreamArn) {
  const shards = await shardsOf(StreamArn);
  const lists = await Promise.all(
    shards.map(async ({ ShardId }) => recordsFrom(await iteratorOf(StreamArn, ShardId, "TRIM_HORIZON"))),
  );
  return lists.flat();
}

async function refuses(promise, name, words) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.name, name, error.message);
    assert.match(error.message, words);
    assert.equal(error.$metadata.httpStatusCode, 400);
    return true;
  });
}

after(() => {
  client.destroy();
  reader.destroy();
});

describe("a stream", () => {
  const TableName = "followed";
  let arn;
  before(async () => {
    arn = await createTable(TableName, "NEW_AND_OLD_IMAGES");
  });
  after(() => send("DeleteTable", { TableName }));

  test("is listed and described", async () => {
    const { Streams: listed } = await ask("ListStreams", { TableName });
    assert.deepEqual(listed.map(({ StreamArn }) => StreamArn), [arn]);
    const { StreamDescription: description } = await ask("DescribeStream", { StreamArn: arn });
    assert.equal(description.StreamStatus, "ENABLED");
    assert.equal(description.StreamViewType, "NEW_AND_OLD_IMAGES");
    assert.equal(description.TableName, TableName);
    assert.deepEqual(description.KeySchema, [{ AttributeName: "id", KeyType: "HASH" }]);
    assert.ok(description.CreationRequestDateTime instanceof Date);
    assert.equal((await shardsOf(arn)).length, description.Shards.length);
  });

  test("replayed, gives the table", async () => {
    for (let i = 0; i < 40; i++) {
      const id = `item${i % 11}`;
      if (i % 5 === 4) await sendDocument("Delete", { TableName, Key: { id } });
      else await sendDocument("Put", { TableName, Item: { id, n: i, tags: new Set(["a", String(i)]) } });
    }
    // No change, no record.
    await sendDocument("Delete", { TableName, Key: { id: "nobody" } });
    const replayed = new Map();
    for (const { eventName, dynamodb: change } of await allRecords(arn)) {
      const { id } = unmarshall(change.Keys);
      assert.deepEqual(change.OldImage && unmarshall(change.OldImage), replayed.get(id), "in the order of the item's changes");
      assert.equal(eventName, !change.NewImage ? "REMOVE" : change.OldImage ? "MODIFY" : "INSERT");
      if (change.NewImage) replayed.set(id, unmarshall(change.NewImage));
      else replayed.delete(id);
    }
    const { Items: items } = await sendDocument("Scan", { TableName });
    assert.ok(items.length > 5);
    assert.deepEqual(new Map(items.map((item) => [item.id, item])), replayed);
  });

  test("is read from any place", async () => {
    const shards = await shardsOf(arn);
    const places = await Promise.all(shards.map(({ ShardId }) => iteratorOf(arn, ShardId, "LATEST")));
    for (const n of [1, 2, 3]) await sendDocument("Put", { TableName, Item: { id: "placed", n } });
    const lists = await Promise.all(places.map((place) => recordsFrom(place)));
    const at = lists.findIndex((list) => list.length > 0);
    const numbers = lists[at].map(({ dynamodb: change }) => change.SequenceNumber);
    assert.equal(lists.flat().length, 3, "LATEST shows what comes after");
    assert.deepEqual(numbers, [...numbers].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    const { ShardId } = shards[at];
    const from = async (type) => {
      const records = await recordsFrom(await iteratorOf(arn, ShardId, type, numbers[1]));
      return records.map(({ dynamodb: change }) => change.NewImage.n.N);
    };
    assert.deepEqual(await from("AT_SEQUENCE_NUMBER"), ["2", "3"]);
    assert.deepEqual(await from("AFTER_SEQUENCE_NUMBER"), ["3"]);
    const { awsRegion, eventSource, eventVersion, eventID } = lists[at][0];
    assert.equal(eventSource, "aws:dynamodb");
    assert.match(eventVersion, /^1\.\d$/);
    assert.ok(awsRegion.length > 0 && eventID.length > 0);
    assert.ok(lists[at][0].dynamodb.ApproximateCreationDateTime instanceof Date);
  });

  test("errors by name", async () => {
    const nobody = arn.replace("followed", "nobody");
    await refuses(ask("DescribeStream", { StreamArn: nobody }), "ResourceNotFoundException", /nobody/);
    await refuses(ask("GetRecords", { ShardIterator: "nonsense" }), "ValidationException", /ShardIterator/);
    await refuses(iteratorOf(arn, "shardId-00000000000000000000-00000000", "TRIM_HORIZON"), "ResourceNotFoundException", /./);
  });
});

describe("the views", () => {
  const images = { KEYS_ONLY: [], NEW_IMAGE: ["NewImage"], OLD_IMAGE: ["OldImage"], NEW_AND_OLD_IMAGES: ["NewImage", "OldImage"] };
  for (const [view, shown] of Object.entries(images)) {
    test(view, async () => {
      const TableName = `view-${view}`;
      const arn = await createTable(TableName, view);
      for (const n of [1, 2]) await sendDocument("Put", { TableName, Item: { id: "x", n } });
      const records = await allRecords(arn);
      assert.deepEqual(records.map(({ eventName }) => eventName), ["INSERT", "MODIFY"]);
      const { dynamodb: change } = records[1];
      assert.deepEqual(["NewImage", "OldImage"].filter((image) => change[image]), shown);
      await send("UpdateTable", { TableName, StreamSpecification: { StreamEnabled: false } });
      assert.equal((await allRecords(arn)).length, 2, "what was recorded stays");
      const { StreamDescription: off } = await ask("DescribeStream", { StreamArn: arn });
      assert.equal(off.StreamStatus, "DISABLED");
      await send("DeleteTable", { TableName });
    });
  }
});
