const { DynamoDBClient, ListTablesCommand } = require("@aws-sdk/client-dynamodb");

test("AWS's client finds the server by the environment", async () => {
  expect(process.env.AWS_ENDPOINT_URL_DYNAMODB).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());
  expect(TableNames).toEqual([]);
});
