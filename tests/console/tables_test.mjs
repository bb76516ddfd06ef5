// Tables: create, change, indexes with their progress, purge, deletion by a typed name, deletion protection, empty databases.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

const open = (where) => openPage(browser.context, console_.url, where);
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const described = async (TableName) => (await console_.db("DescribeTable", { TableName })).Table;
async function until(what, isTrue) {
  for (let at = 0; at < 200; at++) {
    if (await isTrue()) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
  assert.fail(`${what} does not happen`);
}

test("a database without tables says how to begin, and where tables are that somebody misses", async () => {
  const page = await open("/");
  await page.getByRole("heading", { name: "This database has no tables yet" }).waitFor();
  await page.getByText("This is one database, whatever access key and region").waitFor();
  assert.match(await page.getByRole("main").innerText(), new RegExp(`aws dynamodb create-table --endpoint-url ${console_.endpoint}`));
  await checkAccessibility(page, "a database without tables");
  await close(page);
});

test("a table is created by the form, with indexes, a stream, a time to live and protection", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "New table" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("shop.orders");
  await page.getByLabel("Partition key", { exact: true }).fill("customer");
  await page.getByLabel("Sort key", { exact: true }).fill("placed");
  await page.getByLabel("Type of the sort key").selectOption("number");
  await page.getByRole("button", { name: "Add an index" }).click();
  const index = page.getByRole("group", { name: "Index 1" });
  await index.getByLabel("Name of the index").fill("by-state");
  await index.getByLabel("Partition key", { exact: true }).fill("state");
  await index.getByLabel("Attributes in the index").selectOption("keys and some");
  await index.getByLabel("Which").fill("total, note");
  await page.getByRole("button", { name: "Add an index" }).click();
  const local = page.getByRole("group", { name: "Index 2" });
  await local.getByLabel("Kind").selectOption("local");
  await local.getByLabel("Name of the index").fill("by-total");
  await local.getByLabel("Sort key", { exact: true }).fill("total");
  await local.getByLabel("Type of the sort key").selectOption("number");
  await page.getByLabel("Stream").selectOption("new and old items");
  await page.getByLabel("Time to live").fill("expires");
  await page.getByLabel("Protect the table from deletion").check();
  await checkAccessibility(page, "a new table");
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.getByRole("heading", { name: "shop.orders has no items" }).waitFor();
  const table = await described("shop.orders");
  assert.deepEqual(table.KeySchema, [{ AttributeName: "customer", KeyType: "HASH" }, { AttributeName: "placed", KeyType: "RANGE" }]);
  assert.deepEqual(table.AttributeDefinitions.map(({ AttributeName, AttributeType }) => AttributeName + AttributeType).sort(), ["customerS", "placedN", "stateS", "totalN"]);
  assert.deepEqual(table.GlobalSecondaryIndexes.map(({ IndexName, Projection }) => [IndexName, Projection.ProjectionType, Projection.NonKeyAttributes.sort()]), [["by-state", "INCLUDE", ["note", "total"]]]);
  assert.deepEqual(table.LocalSecondaryIndexes.map(({ IndexName }) => IndexName), ["by-total"]);
  assert.equal(table.StreamSpecification.StreamViewType, "NEW_AND_OLD_IMAGES");
  assert.equal(table.DeletionProtectionEnabled, true);
  assert.equal((await console_.db("DescribeTimeToLive", { TableName: "shop.orders" })).TimeToLiveDescription.AttributeName, "expires");
  await close(page);
});

test("a table is created by its request as JSON; a refusal stays beside the form", async () => {
  const page = await open("/new");
  await page.getByRole("button", { name: "JSON" }).click();
  const request = page.getByLabel("The request (CreateTable)");
  const body = { TableName: "tagged", BillingMode: "PROVISIONED", ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 }, AttributeDefinitions: [{ AttributeName: "id", AttributeType: "B" }], KeySchema: [{ AttributeName: "id", KeyType: "HASH" }], Tags: [{ Key: "team", Value: "a" }] };
  await request.fill(JSON.stringify({ ...body, KeySchema: [{ AttributeName: "other", KeyType: "HASH" }] }));
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.getByRole("alert").filter({ hasText: /AttributeDefinitions|KeySchema/ }).waitFor();
  await request.fill("{");
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.getByRole("alert").filter({ hasText: /JSON/ }).waitFor();
  await request.fill(JSON.stringify(body));
  await page.getByRole("button", { name: "Create the table" }).click();
  await page.getByRole("heading", { name: "tagged has no items" }).waitFor();
  const table = await described("tagged");
  assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 3);
  assert.deepEqual((await console_.db("ListTagsOfResource", { ResourceArn: table.TableArn })).Tags, [{ Key: "team", Value: "a" }]);
  await close(page);
});

test("all tables are listed with what they are, ordered and filtered", async () => {
  await makeTable(console_, "many", { pk: "S" }, Array.from({ length: 60 }, (_, at) => ({ pk: { S: String(at) } })));
  await console_.db("UpdateContinuousBackups", { TableName: "many", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  const page = await open("/");
  const row = (name) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("many").getByText("recovery").waitFor();
  assert.match(await row("many").innerText(), /\b60\b[\s\S]*on demand/);
  await row("shop.orders").getByText("TTL expires").waitFor();
  assert.match(await row("shop.orders").innerText(), /stream[\s\S]*protected/);
  assert.match(await row("tagged").innerText(), /provisioned/);
  await page.getByLabel("Order", { exact: true }).selectOption("By items");
  assert.match(await page.getByRole("table").getByRole("row").nth(1).innerText(), /many/);
  await page.getByLabel("Filter by name").fill("TAG");
  assert.equal(await page.getByRole("table").getByRole("row").count(), 2);
  await checkAccessibility(page, "all tables");
  await close(page);
});

test("an index is built while its progress is shown, used, and removed", async () => {
  const items = Array.from({ length: 3000 }, (_, at) => ({ pk: { S: String(at) }, color: { S: at % 3 ? "red" : "blue" } }));
  await makeTable(console_, "colors", { pk: "S" }, items);
  const page = await open("/t/colors");
  await page.getByRole("button", { name: "Add an index" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a global index" });
  await dialog.getByLabel("Name of the index").fill("by-color");
  await dialog.getByLabel("Partition key", { exact: true }).fill("color");
  await checkAccessibility(page, "a new index");
  await dialog.getByRole("button", { name: "Build the index" }).click();
  await page.getByText("The index by-color is being built").waitFor();
  const row = page.getByRole("row").filter({ hasText: "by-color" });
  await row.waitFor();
  await row.getByText("being built").waitFor({ state: "detached" });
  assert.match(await row.innerText(), /global[\s\S]*color[\s\S]*all attributes[\s\S]*3,000/);
  await page.goto(`${console_.url}/t/colors/items?index=by-color&pk=blue`);
  await page.getByText("Query", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Read all" }).click();
  await page.getByText("1,000 items", { exact: true }).waitFor();
  await page.goto(`${console_.url}/t/colors`);
  await page.getByRole("button", { name: "Remove by-color" }).click();
  await page.getByLabel("Type by-color to confirm").fill("by-color");
  await page.getByRole("button", { name: "Remove the index" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await described("colors")).GlobalSecondaryIndexes, undefined);
  await close(page);
});

test("settings are changed one by one", async () => {
  const page = await open("/t/colors");
  const change = async (name, fill) => {
    await page.getByRole("button", { name: `Change: ${name}` }).click();
    const dialog = page.getByRole("dialog", { name });
    await fill(dialog);
    await dialog.getByRole("button", { name: "Change" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await change("Billing", async (dialog) => {
    await dialog.getByLabel("Mode").selectOption("provisioned");
    await dialog.getByLabel("Read units").fill("7");
  });
  await page.getByText("provisioned: 7 read and 5 write units").waitFor();
  await change("Stream", (dialog) => dialog.getByLabel("Its records have").selectOption("keys only"));
  await change("Time to live", (dialog) => dialog.getByLabel("Attribute").fill("gone"));
  await change("Point-in-time recovery", (dialog) => dialog.getByLabel("Days").fill("9"));
  await page.getByText(/^on; back to/).waitFor();
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByRole("button", { name: "Switch off" }).waitFor();
  const table = await described("colors");
  assert.deepEqual([table.ProvisionedThroughput.ReadCapacityUnits, table.StreamSpecification.StreamViewType, table.DeletionProtectionEnabled], [7, "KEYS_ONLY", true]);
  assert.equal((await console_.db("DescribeTimeToLive", { TableName: "colors" })).TimeToLiveDescription.AttributeName, "gone");
  const { PointInTimeRecoveryDescription: recovery } = (await console_.db("DescribeContinuousBackups", { TableName: "colors" })).ContinuousBackupsDescription;
  assert.deepEqual([recovery.PointInTimeRecoveryStatus, recovery.RecoveryPeriodInDays], ["ENABLED", 9]);
  await checkAccessibility(page, "a table");
  await close(page);
});

test("all items are deleted, and then the table, when its name was typed; a protected one stays", async () => {
  const page = await open("/t/colors");
  await page.getByRole("button", { name: "Delete the table" }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Delete the table" }).isDisabled());
  await page.getByText("The table is protected from deletion").waitFor();
  await page.getByRole("button", { name: "Delete all items" }).click();
  const dialog = page.getByRole("dialog");
  const yes = dialog.getByRole("button", { name: "Delete all items" });
  assert.ok(await yes.isDisabled());
  await dialog.getByLabel("Type colors to confirm").fill("color");
  assert.ok(await yes.isDisabled());
  await checkAccessibility(page, "a typed confirmation");
  await dialog.getByLabel("Type colors to confirm").fill("colors");
  await yes.click();
  await page.getByText("Delete all items: Done").waitFor();
  assert.match(await page.getByRole("region", { name: "Delete all items" }).innerText(), /3,000 deleted/);
  assert.equal((await console_.db("Scan", { TableName: "colors", Select: "COUNT" })).Count, 0);
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Delete the table" }).click();
  await page.getByLabel("Type colors to confirm").fill("colors");
  await page.keyboard.press("Enter");
  await page.getByText("The table colors is deleted").waitFor();
  await until("the deletion", async () => !(await console_.db("ListTables", {})).TableNames.includes("colors"));
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await until("the list without it", async () => (await page.getByRole("link", { name: "colors", exact: true }).count()) === 0);
  await close(page);
});

test("a table that does not exist is said, with a way on", async () => {
  const page = await open("/t/Shop_Orders/items");
  for (const view of ["items", "item", "history", "export", "stream", ""]) {
    await page.goto(`${console_.url}/t/Shop_Orders/${view}`);
    await page.getByRole("heading", { name: "There is no table Shop_Orders" }).waitFor();
    await page.getByText("This is one database, whatever access key and region").waitFor();
    await page.getByRole("main").getByRole("link", { name: "shop.orders", exact: true }).waitFor();
  }
  await checkAccessibility(page, "a table that does not exist");
  await makeTable(console_, "Shop_Orders", { pk: "S" });
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.goto(`${console_.url}/nothing/of/the/kind`);
  await page.getByRole("heading", { name: "There is no such view" }).waitFor();
  await page.goto(`${console_.url}/100%/`); // no text
  await page.getByRole("heading", { name: "There is no such view" }).waitFor();
  await close(page);
});
