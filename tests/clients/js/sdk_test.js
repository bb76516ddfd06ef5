// The AWS SDK for JavaScript v3: every operation, the document client's own types, paginators, waiters, transactions
// and error classes. Started by ../javascript_test.py, which sets NODE_PATH and ENDPOINT.
"use strict";

const assert = require("node:assert/strict");
const { after, before, describe, test } = require("node:test");
const dynamodb = require("@aws-sdk/client-dynamodb");
const documents = require("@aws-sdk/lib-dynamodb");

const endpoint = process.env.ENDPOINT;
// One attempt: a failure that the SDK would hide fails here.
const client = new dynamodb.DynamoDBClient({ endpoint, maxAttempts: 1 });
const marshallOptions = { removeUndefinedValues: true };
const documentClient = documents.DynamoDBDocumentClient.from(client, { marshallOptions });

// send("PutItem", {...}) and sendDocument("Put", {...}): the commands by name.
const send = (name, input) => client.send(new dynamodb[`${name}Command`](input));
const sendDocument = (name, input) => documentClient.send(new documents[`${name}Command`](input));

const waiting = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 };

async function createTable(name, more = {}) {
  const created = await send("CreateTable", {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "N" },
      { AttributeName: "group", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "byGroup",
        KeySchema: [
          { AttributeName: "group", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    ...more,
  });
  const { state } = await dynamodb.waitUntilTableExists(waiting, { TableName: name });
  assert.equal(state, "SUCCESS");
  return created.TableDescription.TableArn;
}

// Checks that the error is of this class, with this text and AWS's usual members.
async function refuses(promise, errorClass, words) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof errorClass, `${error.name}: ${error.message}`);
    assert.match(error.message, words);
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.match(error.$metadata.requestId, /^[A-Z0-9]{52}$/);
    assert.equal(error.$fault, "client");
    return true;
  });
}

async function collect(paginator, pick) {
  const pages = [];
  for await (const page of paginator) pages.push(pick(page));
  return pages;
}

after(() => client.destroy());

describe("tables", () => {
  test("from creation to the end", async () => {
    const more = { Tags: [{ Key: "made", Value: "with it" }], DeletionProtectionEnabled: true };
    const arn = await createTable("life", more);
    const { Table: table } = await send("DescribeTable", { TableName: arn });
    assert.equal(table.TableName, "life");
    assert.equal(table.TableStatus, "ACTIVE");
    assert.equal(table.DeletionProtectionEnabled, true);
    assert.ok(table.CreationDateTime instanceof Date && Math.abs(table.CreationDateTime - new Date()) < 3_600_000);
    await refuses(createTable("life"), dynamodb.ResourceInUseException, /life/);
    await refuses(send("DeleteTable", { TableName: "life" }), dynamodb.DynamoDBServiceException, /deletion protection/);
    await send("UpdateTable", { TableName: "life", DeletionProtectionEnabled: false });
    await send("DeleteTable", { TableName: "life" });
    await dynamodb.waitUntilTableNotExists(waiting, { TableName: "life" });
    await refuses(send("DescribeTable", { TableName: "life" }), dynamodb.ResourceNotFoundException, /life/);
  });

  test("lists by page", async () => {
    const names = ["listed-1", "listed-2", "listed-3", "listed-4", "listed-5"];
    await Promise.all(names.map((name) => createTable(name)));
    const pages = await collect(dynamodb.paginateListTables({ client, pageSize: 2 }, {}), (page) => page.TableNames);
    assert.deepEqual(pages.flat().filter((name) => name.startsWith("listed-")), names);
    assert.ok(pages.slice(0, -1).every((page) => page.length === 2));
    await Promise.all(names.map((name) => send("DeleteTable", { TableName: name })));
  });

  test("settings, tags, time to live", async () => {
    const arn = await createTable("settings");
    await send("UpdateTable", {
      TableName: "settings",
      BillingMode: "PROVISIONED",
      ProvisionedThroughput: { ReadCapacityUnits: 2, WriteCapacityUnits: 3 },
      GlobalSecondaryIndexUpdates: [
        { Update: { IndexName: "byGroup", ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 5 } } },
      ],
    });
    await dynamodb.waitUntilTableExists(waiting, { TableName: "settings" });
    await send("UpdateTable", {
      TableName: "settings",
      StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
    });
    const { Table: table } = await send("DescribeTable", { TableName: "settings" });
    assert.equal(table.ProvisionedThroughput.WriteCapacityUnits, 3);
    assert.equal(table.GlobalSecondaryIndexes[0].ProvisionedThroughput.WriteCapacityUnits, 5);
    assert.deepEqual(table.StreamSpecification, { StreamEnabled: true, StreamViewType: "KEYS_ONLY" });

    await send("TagResource", { ResourceArn: arn, Tags: [{ Key: "a", Value: "1" }, { Key: "b", Value: "2" }] });
    await send("UntagResource", { ResourceArn: arn, TagKeys: ["a"] });
    assert.deepEqual((await send("ListTagsOfResource", { ResourceArn: arn })).Tags, [{ Key: "b", Value: "2" }]);

    const asked = { Enabled: true, AttributeName: "until" };
    const answer = await send("UpdateTimeToLive", { TableName: "settings", TimeToLiveSpecification: asked });
    assert.deepEqual(answer.TimeToLiveSpecification, asked);
    const { TimeToLiveDescription: timeToLive } = await send("DescribeTimeToLive", { TableName: "settings" });
    assert.equal(timeToLive.AttributeName, "until");
    await send("DeleteTable", { TableName: "settings" });
  });

  test("limits, endpoints and what is not there", async () => {
    assert.ok((await send("DescribeLimits", {})).AccountMaxWriteCapacityUnits > 0);
    const { Endpoints: endpoints } = await send("DescribeEndpoints", {});
    assert.ok(endpoint.endsWith(endpoints[0].Address), endpoints[0].Address);
    await assert.rejects(send("ListGlobalTables", {}), { name: "UnknownOperationException" });
  });
});

describe("items", () => {
  before(() => createTable("items"));
  after(() => send("DeleteTable", { TableName: "items" }));
  const Key = { pk: { S: "item" }, sk: { N: "1" } };

  test("put, get, update, delete", async () => {
    const Item = { ...Key, n: { N: "-1.50" }, b: { B: new Uint8Array([0, 255]) }, ss: { SS: ["x"] }, empty: { M: {} } };
    const put = await send("PutItem", { TableName: "items", Item, ReturnConsumedCapacity: "TOTAL" });
    assert.equal(put.ConsumedCapacity.CapacityUnits, 1);
    const got = await send("GetItem", { TableName: "items", Key, ConsistentRead: true });
    assert.deepEqual(got.Item, { ...Item, n: { N: "-1.5" }, b: { B: new Uint8Array([0, 255]) } });
    const updated = await send("UpdateItem", {
      TableName: "items",
      Key,
      UpdateExpression: "SET #e.#d = :text ADD n :half, ss :more",
      ExpressionAttributeNames: { "#e": "empty", "#d": "deep" },
      ExpressionAttributeValues: { ":text": { S: "è 🎵" }, ":half": { N: "0.5" }, ":more": { SS: ["y"] } },
      ReturnValues: "UPDATED_NEW",
    });
    const empty = { M: { deep: { S: "è 🎵" } } };
    assert.deepEqual(updated.Attributes, { empty, n: { N: "-1" }, ss: { SS: ["x", "y"] } });
    const gone = await send("DeleteItem", { TableName: "items", Key, ReturnValues: "ALL_OLD" });
    assert.deepEqual(gone.Attributes.n, { N: "-1" });
    assert.equal((await send("GetItem", { TableName: "items", Key })).Item, undefined);
  });

  test("a failed condition tells the item", async () => {
    await send("PutItem", { TableName: "items", Item: { ...Key, n: { N: "7" } } });
    const request = {
      TableName: "items",
      Item: Key,
      ConditionExpression: "attribute_not_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    };
    const refused = send("PutItem", request);
    await refuses(refused, dynamodb.ConditionalCheckFailedException, /^The conditional request failed$/);
    const error = await refused.catch((reason) => reason);
    assert.deepEqual(error.Item, { ...Key, n: { N: "7" } });
  });

  test("errors by class", async () => {
    await refuses(send("GetItem", { TableName: "nowhere", Key }), dynamodb.ResourceNotFoundException, /not found/);
    const wrong = send("GetItem", { TableName: "items", Key: { pk: { S: "x" } } });
    await refuses(wrong, dynamodb.DynamoDBServiceException, /does not match the schema/);
    await assert.rejects(send("PutItem", { TableName: "items", Item: {} }), { name: "ValidationException" });
    const signer = { sign: async (request) => request };
    const anonymous = new dynamodb.DynamoDBClient({ endpoint, maxAttempts: 1, signer });
    const unsigned = anonymous.send(new dynamodb.ListTablesCommand({}));
    await assert.rejects(unsigned, { name: "MissingAuthenticationTokenException" });
    anonymous.destroy();
  });

  test("batches", async () => {
    const Keys = Array.from({ length: 25 }, (_, i) => ({ pk: { S: "batch" }, sk: { N: `${i}` } }));
    const puts = Keys.map((Item) => ({ PutRequest: { Item } }));
    assert.deepEqual((await send("BatchWriteItem", { RequestItems: { items: puts } })).UnprocessedItems, {});
    const got = await send("BatchGetItem", { RequestItems: { items: { Keys } } });
    assert.equal(got.Responses.items.length, 25);
    assert.deepEqual(got.UnprocessedKeys, {});
  });
});

describe("documents", () => {
  before(() => createTable("documents"));
  after(() => send("DeleteTable", { TableName: "documents" }));
  const Key = { pk: "types", sk: 1 };

  test("JavaScript's own types there and back", async () => {
    const Item = {
      ...Key,
      text: "",
      whole: 42,
      fraction: -0.25,
      large: 12345678901234567890n,
      yes: true,
      nothing: null,
      left: undefined,
      bytes: new Uint8Array([1, 2, 3]),
      texts: new Set(["a", "b"]),
      numbers: new Set([1, 2.5]),
      list: [1, "two", [false, { three: 3 }]],
      tree: { a: { b: { c: [] } } },
      group: "documents",
    };
    await sendDocument("Put", { TableName: "documents", Item });
    const { Item: found } = await sendDocument("Get", { TableName: "documents", Key });
    const { left, ...expected } = Item;
    assert.equal(left, undefined);
    assert.deepEqual(found, expected);
    const { Attributes: updated } = await sendDocument("Update", {
      TableName: "documents",
      Key,
      UpdateExpression: "SET tree.a.b.c = list_append(tree.a.b.c, :more), whole = whole - :two REMOVE #list[0]",
      ConditionExpression: "contains(texts, :a) AND size(bytes) = :three",
      ExpressionAttributeNames: { "#list": "list" },
      ExpressionAttributeValues: { ":more": ["d"], ":two": 2, ":a": "a", ":three": 3 },
      ReturnValues: "ALL_NEW",
    });
    assert.deepEqual(updated.tree, { a: { b: { c: ["d"] } } });
    assert.equal(updated.whole, 40);
    assert.deepEqual(updated.list, ["two", [false, { three: 3 }]]);
    const { Attributes: gone } = await sendDocument("Delete", { TableName: "documents", Key, ReturnValues: "ALL_OLD" });
    assert.equal(gone.whole, 40);
  });

  describe("by page", () => {
    const TableName = "documents";
    const text = "x".repeat(200);
    const items = Array.from({ length: 60 }, (_, i) => ({ pk: `page ${i % 2}`, sk: i, group: "pages", text }));
    const paging = { client: documentClient, pageSize: 7 };
    const byGroup = {
      TableName,
      IndexName: "byGroup",
      KeyConditionExpression: "#g = :g",
      ExpressionAttributeNames: { "#g": "group" },
    };

    before(async () => {
      for (let start = 0; start < items.length; start += 25) {
        const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
        await sendDocument("BatchWrite", { RequestItems: { documents: puts } });
      }
    });

    test("what was written in batches is read in batches", async () => {
      const Keys = [{ pk: "page 1", sk: 1 }, { pk: "page 1", sk: 2 }];
      const got = await sendDocument("BatchGet", { RequestItems: { documents: { Keys } } });
      assert.deepEqual(got.Responses.documents, [items[1]]);
    });

    test("queries", async () => {
      const query = {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": "page 1", ":from": 10, ":to": 50 },
        ScanIndexForward: false,
      };
      const pages = await collect(documents.paginateQuery(paging, query), (page) => page.Items.map((item) => item.sk));
      assert.deepEqual(pages.map((page) => page.length), [7, 7, 6]);
      const odd = items.map((item) => item.sk).filter((sk) => sk % 2 === 1 && sk >= 10 && sk <= 50);
      assert.deepEqual(pages.flat(), odd.reverse());
    });

    test("queries of an index", async () => {
      const values = { ExpressionAttributeValues: { ":g": "pages" } };
      const pages = await collect(documents.paginateQuery(paging, { ...byGroup, ...values }), (page) => page.Items);
      assert.deepEqual(pages.flat(), items);
      const plain = { ...byGroup, Select: "COUNT", ExpressionAttributeValues: { ":g": { S: "pages" } } };
      assert.deepEqual(await collect(dynamodb.paginateQuery({ client }, plain), (page) => page.Count), [60]);
    });

    test("scans, also in parallel", async () => {
      const filter = { FilterExpression: "sk < :n", ExpressionAttributeValues: { ":n": 30 } };
      const numbers = (Segment) => {
        const scan = { TableName, ...filter, Segment, TotalSegments: 3 };
        return collect(documents.paginateScan(paging, scan), (page) => page.Items.map((item) => item.sk));
      };
      const segments = await Promise.all([0, 1, 2].map(numbers));
      const found = segments.flat(2).sort((a, b) => a - b);
      assert.deepEqual(found, Array.from({ length: 30 }, (_, i) => i));
      const plain = dynamodb.paginateScan({ client, pageSize: 25 }, { TableName, Select: "COUNT" });
      const counts = await collect(plain, (page) => page.Count);
      assert.equal(counts.reduce((sum, count) => sum + count, 0), 60);
    });
  });

  test("transactions", async () => {
    const TableName = "documents";
    const key = (sk) => ({ pk: "transaction", sk });
    await sendDocument("Put", { TableName, Item: { ...key(1), n: 1 } });
    const add = { UpdateExpression: "ADD n :n", ExpressionAttributeValues: { ":n": 4 } };
    const absent = { ConditionExpression: "attribute_not_exists(pk)" };
    await sendDocument("TransactWrite", {
      ClientRequestToken: "token",
      TransactItems: [
        { Update: { TableName, Key: key(1), ...add } },
        { Put: { TableName, Item: key(2) } },
        { Delete: { TableName, Key: key(3) } },
        { ConditionCheck: { TableName, Key: key(4), ...absent } },
      ],
    });
    const gets = [1, 2, 3].map((sk) => ({ Get: { TableName, Key: key(sk) } }));
    const got = await sendDocument("TransactGet", { TransactItems: gets });
    assert.deepEqual(got.Responses, [{ Item: { ...key(1), n: 5 } }, { Item: key(2) }, {}]);

    const again = { ClientRequestToken: "token", TransactItems: [{ Put: { TableName, Item: key(9) } }] };
    await refuses(sendDocument("TransactWrite", again), dynamodb.IdempotentParameterMismatchException, /./);
  });

  test("statements", async () => {
    const insert = "INSERT INTO documents VALUE {'pk': ?, 'sk': ?, 'tags': ?}";
    const Parameters = ["statement", 1, new Set(["a", "b"])];
    await sendDocument("ExecuteStatement", { Statement: insert, Parameters });
    await refuses(
      sendDocument("ExecuteStatement", { Statement: insert, Parameters }),
      dynamodb.DuplicateItemException,
      /^Duplicate primary key exists in table$/,
    );
    const batch = await sendDocument("BatchExecuteStatement", {
      Statements: [2, 3].map((sk) => ({ Statement: insert, Parameters: ["statement", sk, new Set(["c"])] })),
    });
    assert.deepEqual(batch.Responses, [{ TableName: "documents" }, { TableName: "documents" }]);
    const found = [];
    const asked = { Statement: "SELECT sk FROM documents WHERE pk = 'statement' ORDER BY sk DESC", Limit: 2 };
    for (let NextToken; ; ) {
      const page = await sendDocument("ExecuteStatement", { ...asked, NextToken });
      found.push(...page.Items.map(({ sk }) => sk));
      if (page.NextToken === undefined) break;
      NextToken = page.NextToken;
    }
    assert.deepEqual(found, [3, 2, 1]);
    const update = "UPDATE documents SET tags = set_add(tags, <<'z'>>) WHERE pk = 'statement' AND sk = 1";
    await sendDocument("ExecuteTransaction", { TransactStatements: [{ Statement: update }] });
    const read = await sendDocument("ExecuteTransaction", {
      TransactStatements: [{ Statement: "SELECT tags FROM documents WHERE pk = 'statement' AND sk = 1" }],
    });
    assert.deepEqual(read.Responses, [{ Item: { tags: new Set(["a", "b", "z"]) } }]);
  });

  test("why a transaction was cancelled", async () => {
    const TableName = "documents";
    const there = { pk: { S: "cancelled" }, sk: { N: "1" } };
    const absent = { pk: { S: "cancelled" }, sk: { N: "2" } };
    await send("PutItem", { TableName, Item: there });
    const ConditionExpression = "attribute_not_exists(pk)";
    const ReturnValuesOnConditionCheckFailure = "ALL_OLD";
    const cancelled = send("TransactWriteItems", {
      TransactItems: [
        { Put: { TableName, Item: absent } },
        { Put: { TableName, Item: there, ConditionExpression, ReturnValuesOnConditionCheckFailure } },
      ],
    });
    await refuses(cancelled, dynamodb.TransactionCanceledException, /\[None, ConditionalCheckFailed\]$/);
    const { CancellationReasons: reasons } = await cancelled.catch((error) => error);
    assert.deepEqual(reasons, [
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Message: "The conditional request failed", Item: there },
    ]);
    const seen = await send("TransactGetItems", { TransactItems: [{ Get: { TableName, Key: absent } }] });
    assert.deepEqual(seen.Responses, [{}]);
  });
});
