// `tavola console`: the same console for a database of another process, with what needs the server's own data left out.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startProgram } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

const tavola = process.env.TAVOLA;
const precise = "12345678901234567890.123";
let database; // its own console is not used
let remote;
let watching; // a read-only one
let browser;

before(async () => {
  database = await startConsole();
  await makeTable(database, "elsewhere", { pk: "S", sk: "N" }, Array.from({ length: 40 }, (_, at) => ({ pk: { S: "p" }, sk: { N: String(at) }, price: { N: precise } })));
  [remote, watching, browser] = await Promise.all([
    startProgram(tavola, "console", "--endpoint", database.endpoint), startProgram(tavola, "console", "--endpoint", database.endpoint, "--read-only"), startBrowser(),
  ]);
});

after(async () => {
  await browser?.close();
  await Promise.all([remote?.stop(), watching?.stop()]);
  await database?.stop();
});

async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const key = (at) => ({ pk: { S: "p" }, sk: { N: String(at) } });
const itemAt = (at) => `/t/elsewhere/item?key=${encodeURIComponent(JSON.stringify(key(at)))}`;

test("it shows and changes the tables of the other process, to the last digit", async () => {
  const page = await openPage(browser.context, remote.url, "/");
  await page.getByText(`at ${database.endpoint}`).waitFor();
  await page.getByRole("link", { name: "elsewhere", exact: true }).last().click();
  await page.getByText("40 items", { exact: true }).waitFor();
  await page.goto(remote.url + itemAt(7));
  assert.equal(await page.getByLabel("price", { exact: true }).inputValue(), precise);
  await page.getByLabel("price", { exact: true }).fill("98765432109876543210.987");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changed p · 7").first().waitFor();
  assert.deepEqual((await stored(database, "elsewhere", key(7))).price, { N: "98765432109876543210.987" });
  await page.goto(`${remote.url}/t/elsewhere`);
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByRole("button", { name: "Switch off" }).waitFor();
  assert.ok((await database.db("DescribeTable", { TableName: "elsewhere" })).Table.DeletionProtectionEnabled);
  await close(page);
});

test("features that need the server's own data are not there, and code to copy names the database", async () => {
  const session = await (await fetch(`${remote.url}/session`)).json();
  assert.equal(session.endpoint, database.endpoint);
  assert.equal(session.upstream, database.endpoint);
  assert.deepEqual(session.features.filter((feature) => ["history", "requests", "samples"].includes(feature)), []);
  const page = await openPage(browser.context, remote.url, "/t/elsewhere/items?pk=p");
  await page.getByText("40 items", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Code", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "aws-cli", exact: true }).click();
  assert.ok((await page.getByRole("dialog").getByLabel("Code").innerText()).includes(`--endpoint-url ${database.endpoint}`));
  await close(page);
});

test("a read-only one refuses what changes the other database, statements, too", async () => {
  const { token, mode } = await (await fetch(`${watching.url}/session`)).json();
  assert.equal(mode, "read-only");
  const send = async (operation, body) => {
    const headers = { "X-Page-Token": token, "X-Amz-Target": `DynamoDB_20120810.${operation}`, "Content-Type": "application/x-amz-json-1.0" };
    return (await fetch(`${watching.url}/db`, { method: "POST", headers, body: JSON.stringify(body) })).text();
  };
  for (const [operation, body] of [
    ["PutItem", { TableName: "elsewhere", Item: key(99) }], ["ExecuteStatement", { Statement: "DELETE FROM elsewhere WHERE pk = 'p' AND sk = 1" }], ["DeleteTable", { TableName: "elsewhere" }],
    ["SomethingNew", { TableName: "elsewhere" }],
  ]) {
    assert.match(await send(operation, body), /AccessDenied|read-only/, operation);
  }
  assert.equal(JSON.parse(await send("Query", { TableName: "elsewhere", KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "p" } } })).Count, 40);
  assert.equal(JSON.parse(await send("ExecuteStatement", { Statement: "SELECT * FROM elsewhere WHERE pk = 'p' AND sk = 1" })).Items.length, 1);
  assert.ok(await stored(database, "elsewhere", key(1)));
});

test("it says why when it cannot reach the database, or is not known there", async () => {
  const run = (options, environment = {}) => spawnSync(tavola, ["console", "--port", "0", ...options], { encoding: "utf8", env: { ...process.env, AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", ...environment }, timeout: 60_000 });
  const nobody = run(["--endpoint", "http://127.0.0.1:1"]);
  assert.equal(nobody.status, 1);
  assert.match(nobody.stderr, /^tavola: the server at http:\/\/127.0.0.1:1 cannot be reached/m);
  assert.match(run(["--endpoint", "127.0.0.1:8000"]).stderr, /an endpoint must be a URL/);
  assert.match(run([]).stderr, /--endpoint is missing/);
  const folder = mkdtempSync(path.join(os.tmpdir(), "tavola-console-"));
  const keys = path.join(folder, "keys");
  writeFileSync(keys, "ADMIN s3cret\n", { mode: 0o600 });
  const guarded = await startProgram(tavola, "serve", "--in-memory", "--console", "off", "--credentials", keys);
  try {
    assert.match(run(["--endpoint", guarded.url]).stderr, /refuses the credentials/);
  } finally {
    await guarded.stop();
    rmSync(folder, { recursive: true });
  }
});

test("when the database ends, the page says so", async () => {
  const first = await startConsole();
  await makeTable(first, "short", { pk: "S" }, [{ pk: { S: "a" } }]);
  const through = await startProgram(tavola, "console", "--endpoint", first.endpoint);
  try {
    const page = await openPage(browser.context, through.url, "/t/short/items");
    await page.getByText("1 item", { exact: true }).waitFor();
    await first.stop();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: new RegExp(first.endpoint.replace("http://", "")) }).waitFor();
    await close(page);
  } finally {
    await through.stop();
  }
});
