// Who may use the console: names of the server, pages of other sites, tokens, keys, read-only; and text of items stays text.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

const evil = "https://evil.example";
const script = "<script>globalThis.isHacked = true</script><img src=x onerror='globalThis.isHacked = true'>";
let folder;
let open_; // a server that asks nobody for credentials
let guarded; // one with access keys
let watched; // a read-only one
let browser;

before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), "tavola-console-"));
  const keys = path.join(folder, "keys");
  writeFileSync(keys, "ADMIN s3cret\nREADER looks read-only\nORDERS only tables=orders\n", { mode: 0o600 });
  [open_, guarded, watched, browser] = await Promise.all([startConsole(), startConsole("--credentials", keys), startConsole("--console", "read-only"), startBrowser()]);
  await makeTable(open_, "texts", { pk: "S" }, [{ pk: { S: script }, [script]: { S: script } }]);
});

after(async () => {
  await browser?.close();
  await Promise.all([open_?.stop(), guarded?.stop(), watched?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request with any headers, as no browser would. */
function ask(url, method, where, headers = {}, body = "") {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path: where, headers: { ...(body || method !== "GET" ? { "Content-Length": Buffer.byteLength(body) } : {}), ...headers } }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => (text += bytes));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const json = { "Content-Type": "application/json" };
const tokenOf = async ({ url }, headers = {}) => JSON.parse((await ask(url, "GET", "/session", headers)).text).token;
const operation = (name) => ({ "X-Amz-Target": `DynamoDB_20120810.${name}`, "Content-Type": "application/x-amz-json-1.0" });

test("the example of docs/CONSOLE.md for scripts does what it says", async () => {
  const [, example] = /```sh\n(token=[\s\S]*?)```/.exec(readFileSync("docs/CONSOLE.md", "utf8"));
  const { stdout } = await promisify(execFile)("bash", ["-e", "-c", example.replaceAll("http://127.0.0.1:8001", open_.url)]);
  assert.deepEqual(JSON.parse(stdout), { TableNames: ["texts"] });
});

/** Returns the headers of a page where a key is logged in. */
async function pageOf({ url }, accessKeyId, secretAccessKey) {
  const answer = await ask(url, "POST", "/login", json, JSON.stringify({ accessKeyId, secretAccessKey }));
  assert.equal(answer.status, 204, answer.text);
  assert.match(answer.headers["set-cookie"][0], /; HttpOnly; SameSite=Strict/);
  const cookie = answer.headers["set-cookie"][0].split(";")[0];
  return { Cookie: cookie, "X-Page-Token": await tokenOf({ url }, { Cookie: cookie }) };
}

// Every kind of address: pages, files, the session, the database, /v1, the console's own.
const doors = [["GET", "/"], ["GET", "/t/texts/items"], ["GET", "/assets/none.js"], ["GET", "/session"], ["POST", "/login"], ["POST", "/db"], ["GET", "/v1/"], ["GET", "/console/designs"], ["GET", "/console/requests"], ["POST", "/console/samples"]];

test("a name that was pointed here is refused at every address", async () => {
  for (const [method, where] of doors) {
    const answer = await ask(open_.url, method, where, { Host: "evil.example:8001", "X-Page-Token": await tokenOf(open_) });
    assert.equal(answer.status, 403, where);
    assert.match(answer.text, /--allowed-host evil.example/);
  }
  const admin = await ask(open_.endpoint, "GET", "/admin/faults", { Host: "evil.example:8000" });
  assert.equal(admin.status, 403);
});

test("pages of other origins are refused at every address, whatever they know", async () => {
  const token = await tokenOf(open_);
  for (const [method, where] of doors) {
    for (const headers of [{ Origin: evil }, { Origin: "http://localhost:3000" }, { "Sec-Fetch-Site": "same-site" }, { Origin: "null" }]) {
      const answer = await ask(open_.url, method, where, { ...headers, "X-Page-Token": token });
      assert.equal(answer.status, 403, `${method} ${where} ${JSON.stringify(headers)}`);
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
    }
  }
  for (const method of ["GET", "PUT"]) assert.equal((await ask(open_.endpoint, method, "/admin/faults", { Origin: "http://localhost:3000" })).status, 403);
});

test("nothing changes without the token of a page", async () => {
  const body = JSON.stringify({ TableName: "texts", Item: { pk: { S: "new" } } });
  for (const headers of [{}, { "X-Page-Token": "" }, { "X-Page-Token": "0".repeat(64) }]) {
    assert.equal((await ask(open_.url, "POST", "/db", { ...operation("PutItem"), ...headers }, body)).status, 403);
  }
  assert.equal((await ask(open_.url, "POST", "/console/samples", json, "{}")).status, 403);
  assert.equal(await stored(open_, "texts", { pk: { S: "new" } }), undefined);
  assert.equal((await ask(open_.url, "POST", "/db", { ...operation("PutItem"), "X-Page-Token": await tokenOf(open_) }, body)).status, 200);
  assert.ok(await stored(open_, "texts", { pk: { S: "new" } }));
});

test("every answer has the policy of pages, and no page has an inline script or style", async () => {
  for (const [method, where] of doors) {
    const answer = await ask(open_.url, method, where);
    const policy = answer.headers["content-security-policy"].split("; ").sort();
    assert.deepEqual(policy, ["base-uri 'none'", "default-src 'self'", "form-action 'self'", "frame-ancestors 'none'", "object-src 'none'"], where);
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
  }
  const { text } = await ask(open_.url, "GET", "/");
  assert.doesNotMatch(text, /<script>|<script [^>]*>[^<]|<style|style=|onload=/);
  assert.match(text, /<script [^>]*src="\/assets\//);
});

test("text of items that looks like a page stays text", async () => {
  const key = encodeURIComponent(JSON.stringify({ pk: { S: script } }));
  for (const where of ["/t/texts/items", `/t/texts/items?pk=${encodeURIComponent(script)}`, `/t/texts/item?key=${key}`, `/t/${encodeURIComponent(script)}/items`]) {
    const page = await openPage(browser.context, open_.url, where);
    await page.getByText("<script>globalThis.isHacked").locator("visible=true").first().waitFor();
    assert.equal(await page.evaluate(() => globalThis.isHacked), undefined, where);
    assert.deepEqual(page.problems, [], where);
    await page.close();
  }
});

test("a server with credentials answers a page when somebody has logged in, and their key decides", async () => {
  for (const [method, where] of [["POST", "/db"], ["GET", "/v1/"], ["GET", "/console/designs"], ["POST", "/console/samples"], ["POST", "/logout"]]) {
    assert.equal((await ask(guarded.url, method, where, { "X-Page-Token": "" })).status, 401, where);
  }
  assert.equal(await tokenOf(guarded), "");
  assert.equal((await ask(guarded.url, "POST", "/login", json, JSON.stringify({ accessKeyId: "ADMIN", secretAccessKey: "wrong" }))).status, 401);
  const create = (TableName) => JSON.stringify({ TableName, BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }], KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }] });
  const send = (headers, name, body) => ask(guarded.url, "POST", "/db", { ...operation(name), ...headers }, body);
  const admin = await pageOf(guarded, "ADMIN", "s3cret");
  for (const name of ["orders", "people"]) assert.equal((await send(admin, "CreateTable", create(name))).status, 200);
  const [reader, orders] = [await pageOf(guarded, "READER", "looks"), await pageOf(guarded, "ORDERS", "only")];
  const put = (TableName) => JSON.stringify({ TableName, Item: { pk: { S: "x" } } });
  assert.match((await send(reader, "PutItem", put("orders"))).text, /AccessDeniedException/);
  assert.equal((await send(reader, "Scan", JSON.stringify({ TableName: "people" }))).status, 200);
  assert.equal((await send(orders, "PutItem", put("orders"))).status, 200);
  assert.match((await send(orders, "Scan", JSON.stringify({ TableName: "people" }))).text, /AccessDeniedException/);
  // Requests of everybody, and the counts of all tables, are for keys without limits.
  for (const where of ["/console/requests", "/console/requests/events", "/console/requests/1", "/console/metrics"]) {
    assert.equal((await ask(guarded.url, "GET", where)).status, 401, where);
    assert.equal((await ask(guarded.url, "GET", where, orders)).status, 403, where);
  }
  const { last } = JSON.parse((await ask(guarded.url, "GET", "/console/requests", admin)).text);
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const stranger = { ...operation("ListTables"), "X-Amz-Date": now, Authorization: `AWS4-HMAC-SHA256 Credential=NOBODY/${now.slice(0, 8)}/local/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=x` };
  assert.equal((await ask(guarded.endpoint, "POST", "/", stranger, "{}")).status, 400);
  assert.equal((await send(reader, "ListTables", "{}")).status, 200);
  const seen = JSON.parse((await ask(guarded.url, "GET", `/console/requests?after=${last}`, admin)).text).requests;
  assert.deepEqual(seen.map(({ operation, status, error, key, from }) => ({ operation, status, error, key, from })), [
    { operation: "ListTables", status: 400, error: "UnrecognizedClientException", key: "NOBODY", from: undefined },
    { operation: "ListTables", status: 200, error: undefined, key: "READER", from: "console" },
  ]);
  // The token of one session is worth nothing in another.
  assert.equal((await send({ ...reader, "X-Page-Token": admin["X-Page-Token"] }, "Scan", "{}")).status, 403);
  assert.equal((await ask(guarded.url, "POST", "/logout", admin)).status, 204);
  assert.equal((await send(admin, "ListTables", "{}")).status, 401);
});

test("somebody logs in and out in the browser", async () => {
  const page = await openPage(browser.context, guarded.url, "/");
  await page.getByLabel("Access key").fill("ADMIN");
  await page.getByLabel("Secret key").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("The access key or its secret is wrong").waitFor();
  await page.getByLabel("Secret key").fill("s3cret");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Access key").waitFor();
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a read-only console refuses every write, and does not offer any", async () => {
  await makeTable(watched, "kept", { pk: "S" }, [{ pk: { S: "a" } }]);
  const page = { "X-Page-Token": await tokenOf(watched) };
  const key = { pk: { S: "a" } };
  const writes = {
    PutItem: { TableName: "kept", Item: { pk: { S: "b" } } }, UpdateItem: { TableName: "kept", Key: key, UpdateExpression: "SET a = :a", ExpressionAttributeValues: { ":a": { S: "x" } } },
    DeleteItem: { TableName: "kept", Key: key }, BatchWriteItem: { RequestItems: { kept: [{ DeleteRequest: { Key: key } }] } },
    TransactWriteItems: { TransactItems: [{ Delete: { TableName: "kept", Key: key } }] }, DeleteTable: { TableName: "kept" },
    UpdateTable: { TableName: "kept", DeletionProtectionEnabled: true }, UpdateTimeToLive: { TableName: "kept", TimeToLiveSpecification: { AttributeName: "t", Enabled: true } },
    ExecuteStatement: { Statement: "DELETE FROM kept WHERE pk = 'a'" }, BatchExecuteStatement: { Statements: [{ Statement: "DELETE FROM kept WHERE pk = 'a'" }] },
    ExecuteTransaction: { TransactStatements: [{ Statement: "DELETE FROM kept WHERE pk = 'a'" }] },
  };
  for (const [name, body] of Object.entries(writes)) {
    const answer = await ask(watched.url, "POST", "/db", { ...operation(name), ...page }, JSON.stringify(body));
    assert.match(answer.text, /AccessDenied|read-only/, name);
  }
  assert.deepEqual(await stored(watched, "kept", key), key);
  const reads = { Scan: { TableName: "kept" }, ExecuteStatement: { Statement: "SELECT * FROM kept" } };
  for (const [name, body] of Object.entries(reads)) assert.equal((await ask(watched.url, "POST", "/db", { ...operation(name), ...page }, JSON.stringify(body))).status, 200, name);
  const shown = await openPage(browser.context, watched.url, "/t/kept");
  await shown.getByRole("heading", { name: "Keys" }).waitFor();
  for (const name of ["Delete the table", "Delete all items", "Add an index"]) assert.equal(await shown.getByRole("button", { name }).count(), 0, name);
  assert.ok(await shown.getByRole("switch", { name: "Read-only" }).isChecked());
  assert.deepEqual(shown.problems, []);
  await shown.close();
});

test("the switch of one browser keeps it from writing", async () => {
  const page = await openPage(browser.context, open_.url, "/t/texts");
  await page.getByRole("button", { name: "Delete the table" }).waitFor();
  await page.getByText("Read-only", { exact: true }).click();
  await page.getByRole("button", { name: "Delete the table" }).waitFor({ state: "detached" });
  await page.getByText("Read-only", { exact: true }).click();
  await page.getByRole("button", { name: "Delete the table" }).waitFor();
  await page.close();
});

test("the database's own port answers pages of this machine, and others when it is told to", async () => {
  const list = (url, origin) => ask(url, "POST", "/", { ...operation("ListTables"), Origin: origin, "X-Amz-Date": "20260101T000000Z", Authorization: "AWS4-HMAC-SHA256 Credential=x/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=x" }, "{}");
  for (const origin of ["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "http://app.localhost"]) {
    assert.equal((await list(open_.endpoint, origin)).headers["access-control-allow-origin"], origin);
  }
  for (const origin of [evil, "null", "http://localhost.evil.example", "http://127.0.0.1.evil.example"]) {
    const answer = await list(open_.endpoint, origin);
    assert.equal(answer.status, 403, origin);
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
  const wide = await startConsole("--cors", "*");
  try {
    const answer = await list(wide.endpoint, evil);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.equal((await ask(wide.url, "GET", "/session", { Origin: evil })).status, 403, "the console stays closed");
    assert.equal((await ask(wide.endpoint, "GET", "/admin/faults", { Origin: evil })).status, 403, "and so does /admin");
  } finally {
    await wide.stop();
  }
});
