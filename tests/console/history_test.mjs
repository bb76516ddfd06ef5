// The history of an item: its versions with what each changed, the item as of a time, and a version brought back.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "music", { pk: "S", sk: "N" });
  await makeTable(console_, "plain", { pk: "S" }, [{ pk: { S: "a" } }]);
  await console_.db("UpdateContinuousBackups", { TableName: "music", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

const keyOf = (pk, sk = "1") => ({ pk: { S: pk }, sk: { N: sk } });
const put = (Item) => console_.db("PutItem", { TableName: "music", Item });
const remove = (Key) => console_.db("DeleteItem", { TableName: "music", Key });
const at = (key, table = "music") => `/t/${table}/history?key=${encodeURIComponent(JSON.stringify(key))}`;
const open = (where) => openPage(browser.context, console_.url, where);
const versionsOf = (page) => page.getByRole("region", { name: "Versions" }).getByRole("listitem");
const shown = (page) => page.getByRole("region", { name: "The version" });
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}

/** Asks the server's own address, as a script would. */
async function ask(path, body) {
  const { token } = await (await fetch(`${console_.url}/session`)).json();
  const answer = await fetch(console_.url + path, { method: "POST", headers: { "Content-Type": "application/json", "X-Page-Token": token }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const big = { N: "12345678901234567890" };
const before1 = { ...keyOf("song"), title: { S: "One" }, plays: big, tags: { SS: ["a", "b"] } };
const before2 = { ...before1, title: { S: "<script>alert(1)</script>" }, plays: { N: "12345678901234567891" } };

test("versions from an item's page, what each changed, and one brought back with all digits", async () => {
  await put(before1);
  await put(before2);
  await put({ ...keyOf("song"), title: { S: "Three" } });
  const page = await open(`/t/music/item?key=${encodeURIComponent(JSON.stringify(keyOf("song")))}`);
  await page.getByRole("link", { name: "History" }).click();
  await versionsOf(page).nth(2).waitFor();
  assert.equal(await versionsOf(page).count(), 3);
  await shown(page).getByText("The item is like this now.").waitFor();
  // The keyboard alone: older versions, and back.
  await page.keyboard.press("j");
  await shown(page).getByText("<script>alert(1)</script>").waitFor();
  assert.equal(await shown(page).getByText("12345678901234567890", { exact: true }).count(), 1);
  await page.keyboard.press("j");
  await shown(page).getByText("The item was created.").waitFor();
  await shown(page).getByRole("button", { name: "Restore this version" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This will change in the item as it is now").waitFor();
  await dialog.getByText("12345678901234567890", { exact: true }).waitFor();
  await dialog.getByText("The request: UpdateItem").click();
  await dialog.getByRole("button", { name: "JSON" }).click();
  assert.match(JSON.parse(await dialog.getByLabel("Code").innerText()).ConditionExpression, /#title = :title/);
  await dialog.getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored song · 1").waitFor();
  assert.deepEqual(await stored(console_, "music", keyOf("song")), before1);
  await versionsOf(page).nth(3).waitFor(); // the restored one is a version, too
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Undone: Restored song · 1").waitFor();
  assert.deepEqual(await stored(console_, "music", keyOf("song")), { ...keyOf("song"), title: { S: "Three" } });
  await close(page);
});

test("a deletion is a version, and the item comes back", async () => {
  await put({ ...keyOf("gone"), n: big });
  await remove(keyOf("gone"));
  const page = await open(at(keyOf("gone")));
  await versionsOf(page).nth(1).waitFor();
  await shown(page).getByText("The item was deleted. This is what it was.").waitFor();
  await shown(page).getByRole("button", { name: "Bring it back" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The item is not there. It will be written as it was").waitFor();
  // Somebody else writes it first: nothing is overwritten.
  await put({ ...keyOf("gone"), n: { N: "5" } });
  await dialog.getByRole("button", { name: "Restore" }).click();
  await dialog.getByText("Somebody changed the item meanwhile").waitFor();
  assert.deepEqual(await stored(console_, "music", keyOf("gone")), { ...keyOf("gone"), n: { N: "5" } });
  await dialog.getByText("This will change in the item as it is now").waitFor();
  await dialog.getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored gone · 1").waitFor();
  assert.deepEqual(await stored(console_, "music", keyOf("gone")), { ...keyOf("gone"), n: big });
  await close(page);
});

test("the item as of a time, typed in the chosen zone and kept in the URL", async () => {
  await put({ ...keyOf("then"), x: { S: "first" } });
  for (const began = Date.now(); Date.now() === began; ); // the next change has a later time
  await put({ ...keyOf("then"), x: { S: "second" } });
  const { body } = await ask("/console/history/music", { key: keyOf("then") });
  const first = body.changes[1].at.slice(0, -1).replace(/(\.\d*?)0+$/, "$1").replace(/(:00)?\.$/, ""); // as browsers write it
  const page = await open(at(keyOf("then")));
  await versionsOf(page).nth(1).waitFor();
  await page.getByLabel("Time zone").selectOption("UTC");
  const asOf = page.getByRole("region", { name: "As of a time" });
  await asOf.getByLabel("As of (UTC)").fill(first);
  await asOf.getByRole("button", { name: "Show" }).click();
  await asOf.getByText("it was so until").waitFor();
  await asOf.getByText("first", { exact: true }).waitFor();
  assert.match(page.url(), /at=20/);
  await page.reload();
  await asOf.getByText("first", { exact: true }).waitFor();
  await asOf.getByLabel("As of (UTC)").fill("2020-01-01T00:00:00.001");
  await asOf.getByRole("button", { name: "Show" }).click();
  await asOf.getByText(/reaches from .* is not in it/).waitFor();
  await close(page);
});

test("a table without point-in-time recovery teaches what it is for", async () => {
  const page = await open(at({ pk: { S: "a" } }, "plain"));
  await page.getByText("This table keeps no history").waitFor();
  assert.equal(await page.getByRole("link", { name: "Switch it on" }).getAttribute("href"), "/t/plain/backups");
  assert.equal((await ask("/console/history/plain", { key: { pk: { S: "a" } } })).status, 409);
  await close(page);
});

test("a deleted item is found by its key", async () => {
  await put({ ...keyOf("lost", "7"), x: { S: "found again" } });
  await remove(keyOf("lost", "7"));
  const page = await open("/t/music/backups");
  await page.getByRole("link", { name: "a history" }).click();
  await page.getByLabel("pk (string)").fill("lost");
  await page.getByLabel("sk (number)").fill("seven");
  await page.keyboard.press("Enter");
  await page.getByText("“seven” is not a number").waitFor();
  await page.getByLabel("sk (number)").fill("7");
  await page.keyboard.press("Enter");
  await shown(page).getByText("found again").waitFor();
  await close(page);
});

test("a long history, page after page; from the palette", async () => {
  for (let n = 0; n < 60; n++) await put({ ...keyOf("long"), n: { N: String(n) } });
  const page = await open(`/t/music/item?key=${encodeURIComponent(JSON.stringify(keyOf("long")))}`);
  await page.getByLabel("n", { exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("this item: history");
  await page.keyboard.press("Enter");
  await page.getByText("50 versions").waitFor();
  await page.getByText(/^Searched back to /).waitFor();
  await page.getByRole("button", { name: "Older versions" }).click();
  await page.getByText("60 versions").waitFor();
  await page.getByText(/^The history begins at /).waitFor();
  await close(page);
});

test("a key reads the history of what it may read", async () => {
  const folder = scratchFolder();
  writeFileSync(`${folder.path}/keys`, "ADMIN s3cret\nREADER looks read-only\nORDERS only tables=orders\n", { mode: 0o600 });
  const guarded = await startConsole("--credentials", `${folder.path}/keys`);
  const json = { "Content-Type": "application/json" };
  const logIn = async (accessKeyId, secretAccessKey) => {
    const answer = await fetch(`${guarded.url}/login`, { method: "POST", headers: json, body: JSON.stringify({ accessKeyId, secretAccessKey }) });
    const Cookie = answer.headers.get("set-cookie").split(";")[0];
    const { token } = await (await fetch(`${guarded.url}/session`, { headers: { Cookie } })).json();
    return (where, body, target) =>
      fetch(guarded.url + where, { method: "POST", headers: { ...json, Cookie, "X-Page-Token": token, ...(target && { "X-Amz-Target": `DynamoDB_20120810.${target}` }) }, body: JSON.stringify(body) });
  };
  const admin = await logIn("ADMIN", "s3cret");
  await admin("/db", { TableName: "music", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }], KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }] }, "CreateTable");
  await admin("/db", { TableName: "music", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }, "UpdateContinuousBackups");
  await admin("/db", { TableName: "music", Item: { pk: { S: "a" } } }, "PutItem");
  const question = { key: { pk: { S: "a" } } };
  for (const [key, secret, status] of [["ADMIN", "s3cret", 200], ["READER", "looks", 200], ["ORDERS", "only", 403]]) {
    const person = await logIn(key, secret);
    assert.equal((await person("/console/history/music", question)).status, status, key);
    assert.equal((await person("/console/history/music/as-of", { ...question, at: new Date().toISOString() })).status, status, key);
  }
  assert.equal((await fetch(`${guarded.url}/console/history/music`, { method: "POST", headers: json, body: JSON.stringify(question) })).status, 401);
  await guarded.stop();
  folder.remove();
});

const design = `design: 1
name: people
table: { name: people, hash: PK }
entities:
  Person:
    key: { PK: PERSON#<id> }
    ids: { id: string }
    attributes: { name: string, email: { type: email, sensitive: true } }
`;

test("of a governed table: sensitive values are hidden until asked for, and a part of what is restored", async () => {
  const folder = scratchFolder();
  writeFileSync(`${folder.path}/people.yaml`, design);
  const governed = await startConsole("--design", `${folder.path}/people.yaml`);
  await governed.db("UpdateContinuousBackups", { TableName: "people", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  const person = { PK: { S: "PERSON#1" }, name: { S: "Anna" }, email: { S: "anna@example.org" } };
  await governed.db("PutItem", { TableName: "people", Item: person });
  await governed.db("PutItem", { TableName: "people", Item: { ...person, name: { S: "Ann" }, email: { S: "ann@example.org" } } });
  const page = await openPage(browser.context, governed.url, at({ PK: person.PK }, "people"));
  await shown(page).getByText("Hidden: email. Changes of hidden values do not show.").waitFor();
  await page.keyboard.press("j");
  await shown(page).getByText("The item was created.").waitFor();
  await shown(page).getByText("To restore it, show the sensitive values first").waitFor();
  assert.ok(!(await page.content()).includes("example.org"));
  await page.getByRole("button", { name: "Show sensitive values" }).click();
  await shown(page).getByRole("button", { name: "Restore this version" }).click();
  await page.getByRole("dialog").getByText("anna@example.org", { exact: true }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByText("Restored PERSON#1").first().waitFor();
  assert.deepEqual(await stored(governed, "people", { PK: person.PK }), person);
  await close(page);
  await governed.stop();
  folder.remove();
});
