// The AWS SDK for JavaScript v3 on whole tables: global indexes added to tables in use, backups, past states of tables,
// exports and imports, resource policies. Started by ../javascript_test.py, which sets NODE_PATH and ENDPOINT; the
// server has a bucket "mine".
"use strict";

const assert = require("node:assert/strict");
const { after, describe, test } = require("node:test");
const { setTimeout: sleep } = require("node:timers/promises");
const dynamodb = require("@aws-sdk/client-dynamodb");
const documents = require("@aws-sdk/lib-dynamodb");

const client = new dynamodb.DynamoDBClient({ endpoint: process.env.ENDPOINT, maxAttempts: 1 });
const documentClient = documents.DynamoDBDocumentClient.from(client);
const send = (name, input) => client.send(new dynamodb[`${name}Command`](input));
const sendDocument = (name, input) => documentClient.send(new documents[`${name}Command`](input));

const Bucket = "mine";

// Creates a table of things, some with a colour; returns its ARN.
async function createTable(TableName, items = 30) {
  const { TableDescription: table } = await send("CreateTable", {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  });
  for (let id = 0; id < items; id++) {
    await sendDocument("Put", { TableName, Item: { id, colour: id % 3 ? `colour ${id % 3}` : undefined, tags: new Set(["a"]) } });
  }
  return table.TableArn;
}

async function until(what, isDone) {
  for (let tries = 0; tries < 600; tries++) {
    const found = await what();
    if (isDone(found)) return found;
    await sleep(50);
  }
  throw new Error("it took too long");
}

const itemsOf = async (TableName) => {
  const { Items: items } = await sendDocument("Scan", { TableName, ConsistentRead: true });
  return items.sort((a, b) => a.id - b.id);
};
const whenActive = (TableName) =>
  until(() => send("DescribeTable", { TableName }), ({ Table: table }) => table.TableStatus === "ACTIVE");

after(() => client.destroy());

test("a global index is created and deleted while the table is used", async () => {
  const TableName = "indexed";
  await createTable(TableName);
  const { TableDescription: building } = await send("UpdateTable", {
    TableName,
    AttributeDefinitions: [{ AttributeName: "colour", AttributeType: "S" }],
    GlobalSecondaryIndexUpdates: [
      {
        Create: {
          IndexName: "byColour",
          KeySchema: [{ AttributeName: "colour", KeyType: "HASH" }],
          Projection: { ProjectionType: "ALL" },
        },
      },
    ],
  });
  assert.equal(building.GlobalSecondaryIndexes[0].IndexStatus, "CREATING");
  await sendDocument("Put", { TableName, Item: { id: 100, colour: "colour 1" } });
  await until(
    () => send("DescribeTable", { TableName }),
    ({ Table: table }) => table.GlobalSecondaryIndexes[0].IndexStatus === "ACTIVE",
  );
  const { Items: found } = await sendDocument("Query", {
    TableName,
    IndexName: "byColour",
    KeyConditionExpression: "colour = :c",
    ExpressionAttributeValues: { ":c": "colour 1" },
  });
  assert.equal(found.length, 11);
  await send("UpdateTable", { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "byColour" } }] });
  const { Table: table } = await until(
    () => send("DescribeTable", { TableName }),
    (described) => described.Table.GlobalSecondaryIndexes === undefined,
  );
  assert.equal(table.ItemCount, 31);
});

describe("backups", () => {
  test("a table comes back as it was", async () => {
    const TableName = "kept";
    await createTable(TableName);
    const before = await itemsOf(TableName);
    const { BackupDetails: made } = await send("CreateBackup", { TableName, BackupName: "first" });
    assert.ok(made.BackupCreationDateTime instanceof Date);
    const { BackupDescription: described } = await until(
      () => send("DescribeBackup", { BackupArn: made.BackupArn }),
      ({ BackupDescription: backup }) => backup.BackupDetails.BackupStatus === "AVAILABLE",
    );
    assert.equal(described.SourceTableDetails.TableName, TableName);
    const { BackupSummaries: listed } = await send("ListBackups", { TableName });
    assert.deepEqual(listed.map(({ BackupName: name }) => name), ["first"]);
    await sendDocument("Delete", { TableName, Key: { id: 5 } });
    await send("RestoreTableFromBackup", { TargetTableName: "restored", BackupArn: made.BackupArn });
    await whenActive("restored");
    assert.deepEqual(await itemsOf("restored"), before);
    await send("DeleteBackup", { BackupArn: made.BackupArn });
    await assert.rejects(send("DescribeBackup", { BackupArn: made.BackupArn }), dynamodb.BackupNotFoundException);
  });

  test("of any moment", async () => {
    const TableName = "continuous";
    await createTable(TableName, 10);
    await send("UpdateContinuousBackups", {
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    const { ContinuousBackupsDescription: described } = await send("DescribeContinuousBackups", { TableName });
    assert.equal(described.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, "ENABLED");
    const before = await itemsOf(TableName);
    await send("RestoreTableToPointInTime", {
      SourceTableName: TableName,
      TargetTableName: "as-it-was",
      UseLatestRestorableTime: true,
    });
    await whenActive("as-it-was");
    assert.deepEqual(await itemsOf("as-it-was"), before);
    await assert.rejects(
      send("RestoreTableToPointInTime", {
        SourceTableName: "restored-never",
        TargetTableName: "nothing",
        UseLatestRestorableTime: true,
      }),
      dynamodb.TableNotFoundException,
    );
  });
});

test("what is exported is imported", async () => {
  const TableName = "exported";
  const TableArn = await createTable(TableName);
  await assert.rejects(
    send("ExportTableToPointInTime", { TableArn, S3Bucket: Bucket }),
    dynamodb.PointInTimeRecoveryUnavailableException,
  );
  await send("UpdateContinuousBackups", {
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  const asked = { TableArn, S3Bucket: Bucket, S3Prefix: "from-javascript", ExportFormat: "DYNAMODB_JSON" };
  const { ExportDescription: begun } = await send("ExportTableToPointInTime", asked);
  const { ExportDescription: exported } = await until(
    () => send("DescribeExport", { ExportArn: begun.ExportArn }),
    ({ ExportDescription: one }) => one.ExportStatus !== "IN_PROGRESS",
  );
  assert.equal(exported.ExportStatus, "COMPLETED", exported.FailureMessage);
  assert.equal(exported.ItemCount, 30);
  const { ExportSummaries: exports } = await send("ListExports", { TableArn });
  assert.deepEqual(exports.map(({ ExportArn: arn }) => arn), [begun.ExportArn]);

  const folder = exported.ExportManifest.replace(/manifest-summary.json$/, "data/");
  const { ImportTableDescription: importing } = await send("ImportTable", {
    S3BucketSource: { S3Bucket: Bucket, S3KeyPrefix: folder },
    InputFormat: "DYNAMODB_JSON",
    InputCompressionType: "GZIP",
    TableCreationParameters: {
      TableName: "imported",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "N" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    },
  });
  const { ImportTableDescription: imported } = await until(
    () => send("DescribeImport", { ImportArn: importing.ImportArn }),
    ({ ImportTableDescription: one }) => one.ImportStatus !== "IN_PROGRESS",
  );
  assert.equal(imported.ImportStatus, "COMPLETED", imported.FailureMessage);
  assert.equal(imported.ImportedItemCount, 30);
  assert.deepEqual(await itemsOf("imported"), await itemsOf(TableName));
  const { ImportSummaryList: imports } = await send("ListImports", {});
  assert.ok(imports.some(({ ImportArn: arn }) => arn === importing.ImportArn));
});

test("resource policies are kept", async () => {
  const ResourceArn = await createTable("guarded", 1);
  await assert.rejects(send("GetResourcePolicy", { ResourceArn }), dynamodb.PolicyNotFoundException);
  const Policy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Deny", Principal: "*", Action: "dynamodb:Scan", Resource: ResourceArn }],
  });
  const { RevisionId: revision } = await send("PutResourcePolicy", { ResourceArn, Policy });
  const got = await send("GetResourcePolicy", { ResourceArn });
  assert.equal(got.RevisionId, revision);
  assert.equal(JSON.parse(got.Policy).Statement[0].Effect, "Deny");
  await assert.rejects(
    send("PutResourcePolicy", { ResourceArn, Policy, ExpectedRevisionId: "1".repeat(revision.length) }),
    dynamodb.PolicyNotFoundException,
  );
  assert.equal((await send("DeleteResourcePolicy", { ResourceArn })).RevisionId, revision);
});
