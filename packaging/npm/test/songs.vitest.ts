import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, inject, test } from "vitest";
import "tavola/vitest";

// Two files of this name's kind run at the same time, on one server, each with its own table.
const TableName = `songs-${process.pid}-${Date.now()}`;

test("AWS's client finds the server by the environment", async () => {
  const client = new DynamoDBClient();
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "Artist", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "Artist", KeyType: "HASH" }],
    }),
  );
  const Item = { Artist: { S: "Nina Simone" }, Songs: { N: "40" } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const found = await client.send(new GetItemCommand({ TableName, Key: { Artist: Item.Artist } }));
  expect(found.Item).toEqual(Item);
});

test("the server is injected", async () => {
  const { endpoint, region } = inject("tavola");
  expect(endpoint).toBe(process.env.AWS_ENDPOINT_URL_DYNAMODB);
  expect(region).toBe("local");
});
