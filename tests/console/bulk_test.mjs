// Many items changed or deleted at once: a dry run first, nobody's change overwritten, everything listed, stopped and undone.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { checkAccessibility, openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;
let folder;

const design = `design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
entities:
  Product:
    key: { PK: PRODUCT#<id>, SK: META }
    attributes: { id: { type: string, required: true }, name: string, price: { type: number, min: 0 } }
`;
const total = 300;
const song = (at) => ({
  pk: { S: `artist#${at % 3}` }, sk: { N: String(at) }, plays: { N: "12345678901234567890" }, state: { S: at % 2 === 0 ? "open" : "done" }, tags: { SS: ["a", "b"] }, cover: { B: "AP8=" },
  ...(at === 7 ? { credits: { S: "no map" } } : { credits: { M: { label: { S: "none" }, "a.b": { N: "1" } } } }),
});
const keyOf = (at) => ({ pk: { S: `artist#${at % 3}` }, sk: { N: String(at) } });

before(async () => {
  folder = scratchFolder();
  writeFileSync(path.join(folder.path, "shop.yaml"), design);
  [console_, browser] = await Promise.all([startConsole("--design", path.join(folder.path, "shop.yaml")), startBrowser()]);
  await makeTable(console_, "music", { pk: "S", sk: "N" });
  await console_.db("UpdateTable", {
    TableName: "music", AttributeDefinitions: [{ AttributeName: "state", AttributeType: "S" }],
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "by-state", KeySchema: [{ AttributeName: "state", KeyType: "HASH" }], Projection: { ProjectionType: "KEYS_ONLY" } } }],
  });
});

beforeEach(async () => {
  await console_.db("DeleteItem", { TableName: "music", Key: { pk: { S: "artist#0" }, sk: { N: "1000" } } });
  for (let at = 0; at < total; at += 25) await console_.db("BatchWriteItem", { RequestItems: { music: Array.from({ length: 25 }, (_, more) => ({ PutRequest: { Item: song(at + more) } })) } });
});

after(async () => {
  await browser?.close();
  await console_?.stop();
  folder?.remove();
});

const open = (where) => openPage(browser.context, console_.url, where);
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const sorted = (item) => JSON.parse(JSON.stringify(item), (name, value) => (["SS", "NS", "BS"].includes(name) && Array.isArray(value) ? [...value].sort() : value));
const same = async (at, expected) => assert.deepEqual(sorted(await stored(console_, "music", keyOf(at))), sorted(expected));
const count = async (condition, values) => (await console_.db("Scan", { TableName: "music", Select: "COUNT", ...(condition ? { FilterExpression: condition, ExpressionAttributeValues: values } : {}) })).Count;
const ended = (page, name, state = "Done") => page.getByRole("region", { name, exact: true }).getByText(`${name}: ${state}`).waitFor();
const report = (page, name) => page.getByRole("region", { name, exact: true }).innerText();
const urlOf = (edit, query = "") => `/t/music/edit-many?${query}${Object.entries(edit).map(([name, value]) => `&${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`).join("")}`;
async function tried(page) {
  await page.getByRole("button", { name: "Dry run" }).click();
  await ended(page, "Dry run");
  return report(page, "Dry run");
}
/** Holds requests of an operation back from the given one on, until the returned function is called. */
async function heldBack(page, operation, from) {
  let [sent, release] = [0, undefined];
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/db", async (route) => {
    if (route.request().headers()["x-amz-target"]?.endsWith(operation) && ++sent > from) await released;
    await route.continue();
  });
  return release;
}

test("attributes of every type are set and removed in what a query of an index finds, and the undo brings all back", async () => {
  const page = await open("/t/music/items?index=by-state&pk=open");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("link", { name: "Edit or delete what it finds" }).click();
  await page.getByText("Works on what the Query finds").waitFor();
  const set = page.getByRole("region", { name: "Set" });
  const add = async (name, type, value) => {
    await set.getByRole("button", { name: "Add: attribute" }).click();
    await page.keyboard.type(name);
    await set.getByLabel(`${name.includes(".") ? JSON.stringify(name) : name}: type`, { exact: true }).selectOption(type);
    await set.locator(".line").last().locator(".line-value textarea, .line-value input").first().fill(value);
  };
  await add("plays", "N", "98765432109876543210.5");
  await add("pressed", "S", "a \"b\"\n<script>");
  await add("credits.label", "S", "Blue");
  await page.getByLabel("Attribute to remove 1").fill("tags");
  await page.getByRole("button", { name: "Another attribute to remove" }).click();
  await page.getByLabel("Attribute to remove 2").fill('credits."a.b"');
  const text = await tried(page);
  assert.match(text, /150 would be changed/);
  assert.equal(await count("attribute_exists(pressed)"), 0, "a dry run writes nothing");
  assert.match(await page.getByRole("list", { name: "Examples" }).innerText(), /plays[\s\S]*12345678901234567890[\s\S]*98765432109876543210\.5/);
  await page.getByText("150 UpdateItem requests").click();
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const request = JSON.parse(await page.getByLabel("Code").innerText());
  assert.equal(request.UpdateExpression, "SET #credits.#label = :new_label, #plays = :new_plays, #pressed = :new_pressed REMOVE #credits.#a_b, #tags");
  assert.match(request.ConditionExpression, /#plays = :plays AND .*attribute_not_exists\(#pressed\)/);
  await checkAccessibility(page, "a dry run");
  assert.match(page.url(), /set=.*remove=/);
  await page.getByRole("button", { name: "Change 150 items" }).click();
  await ended(page, "Change");
  assert.match(await report(page, "Change"), /150 changed/);
  const { tags: _, ...rest } = song(4);
  await same(4, { ...rest, plays: { N: "98765432109876543210.5" }, pressed: { S: "a \"b\"\n<script>" }, credits: { M: { label: { S: "Blue" } } } });
  await same(5, song(5));
  await page.getByRole("button", { name: "Undo 150 changes" }).click();
  await ended(page, "Undo");
  assert.match(await report(page, "Undo"), /150 undone/);
  for (const at of [0, 4, 5, 298]) await same(at, song(at));
  await close(page);
});

test("what others change is listed and left alone: after the dry run, while the edit runs, and before the undo", async () => {
  const page = await open(urlOf({ set: { state: { S: "closed" }, "credits.label": { S: "L" } } }));
  const text = await tried(page);
  assert.match(text, /299 would be changed/);
  assert.match(text, /1 cannot be/);
  assert.match(await page.getByRole("table", { name: "What was not done" }).innerText(), /artist#1 · 7\s+Not possible\s+credits\.label: credits is a string, and no map/);
  // One is changed after the dry run, one deleted, one is new.
  await console_.db("PutItem", { TableName: "music", Item: { ...song(10), state: { S: "mine" } } });
  await console_.db("DeleteItem", { TableName: "music", Key: keyOf(11) });
  await console_.db("PutItem", { TableName: "music", Item: { ...song(4), pk: { S: "artist#0" }, sk: { N: "1000" } } });
  // Others are changed when they were read and their requests wait.
  const release = await heldBack(page, "UpdateItem", 8);
  await page.getByRole("button", { name: "Change 299 items" }).click();
  await page.getByRole("listitem").filter({ hasText: "8 changed" }).waitFor();
  const unwritten = await console_.db("Scan", { TableName: "music", FilterExpression: "#s = :s AND credits.label = :l", ExpressionAttributeNames: { "#s": "state" }, ExpressionAttributeValues: { ":s": { S: "open" }, ":l": { S: "none" } } });
  const late = { pk: unwritten.Items[0].pk, sk: unwritten.Items[0].sk };
  await console_.db("UpdateItem", { TableName: "music", Key: late, UpdateExpression: "SET #s = :s", ExpressionAttributeNames: { "#s": "state" }, ExpressionAttributeValues: { ":s": { S: "theirs" } } });
  release();
  await ended(page, "Change");
  assert.match(await report(page, "Change"), /296 changed/);
  assert.match(await report(page, "Change"), /3 changed by somebody else, left alone/);
  assert.match(await report(page, "Change"), /1 are not there any more/);
  const listed = await page.getByRole("table", { name: "What was not done" }).innerText();
  for (const name of ["artist#1 · 10", "artist#0 · 1000", `${late.pk.S} · ${late.sk.N}`]) assert.ok(listed.includes(name), `${name} is not listed:\n${listed}`);
  assert.equal((await stored(console_, "music", keyOf(10))).state.S, "mine");
  assert.equal((await stored(console_, "music", late)).state.S, "theirs");
  assert.equal(await count("credits.label = :l", { ":l": { S: "L" } }), 296);
  await page.unroute("**/db");
  await console_.db("UpdateItem", { TableName: "music", Key: keyOf(20), UpdateExpression: "SET #s = :s", ExpressionAttributeNames: { "#s": "state" }, ExpressionAttributeValues: { ":s": { S: "later" } } });
  await page.getByRole("button", { name: "Undo 296 changes" }).click();
  await ended(page, "Undo");
  assert.match(await report(page, "Undo"), /295 undone[\s\S]*1 changed since, left alone/);
  assert.equal((await stored(console_, "music", keyOf(20))).state.S, "later");
  await same(30, song(30));
  await close(page);
});

test("a deletion is confirmed by typing, can be stopped in its middle, and what was deleted comes back", async () => {
  const page = await open(urlOf({ do: "delete" }, "pk=artist%230"));
  assert.match(await tried(page), /100 would be deleted/);
  const release = await heldBack(page, "DeleteItem", 24);
  await page.getByRole("button", { name: "Delete 100 items" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 100 items" });
  assert.ok(await dialog.getByRole("button", { name: "Delete 100" }).isDisabled());
  await dialog.getByLabel("Type music to confirm").fill("music");
  await dialog.getByRole("button", { name: "Delete 100" }).click();
  await page.getByRole("listitem").filter({ hasText: "24 deleted" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  release();
  await ended(page, "Deletion", "Stopped");
  const left = await count();
  assert.ok(left < total && left >= total - 40, `${left} items are left`);
  await page.getByRole("button", { name: `Undo ${total - left} deletions` }).click();
  await ended(page, "Undo");
  assert.equal(await count(), total);
  await same(0, song(0));
  await close(page);
});

test("chosen rows are changed with the keyboard alone", async () => {
  const page = await open("/t/music/items?pk=artist%231");
  await page.getByText("100 items").first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("2 rows chosen").waitFor();
  const walk = async (to) => {
    for (let at = 0; at < 60 && !(await to.evaluate((element) => element === document.activeElement)); at++) await page.keyboard.press("Tab");
    assert.ok(await to.evaluate((element) => element === document.activeElement), "Tab does not lead there");
  };
  await page.keyboard.press("Shift+Tab");
  for (let at = 0; at < 3 && !(await page.getByRole("link", { name: "Edit or delete", exact: true }).evaluate((link) => link === document.activeElement)); at++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Works on the 2 chosen items").waitFor();
  await walk(page.getByRole("button", { name: "Add: attribute" }));
  await page.keyboard.press("Enter");
  await page.keyboard.type("liked");
  await page.keyboard.press("Tab");
  for (const type of ["N", "B", "BOOL"]) {
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction((wanted) => document.activeElement.value === wanted, type);
  }
  await page.keyboard.press("Control+Enter");
  await ended(page, "Dry run");
  await walk(page.getByRole("button", { name: "Change 2 items" }));
  await page.keyboard.press("Enter");
  await ended(page, "Change");
  assert.equal(await count("liked = :l", { ":l": { BOOL: true } }), 2);
  assert.deepEqual((await stored(console_, "music", keyOf(1))).liked, { BOOL: true });
  await close(page);
});

test("what makes no sense is said before anything is read; a read-only page writes nothing", async () => {
  const page = await open(urlOf({ set: { pk: { S: "x" } } }));
  await page.getByText("pk is in the key of the table: items keep their keys").waitFor();
  assert.ok(await page.getByRole("button", { name: "Dry run" }).isDisabled());
  for (const [edit, words] of [
    [{ set: { "list[0]": { S: "x" } } }, "a place in a list cannot be set in many items"], [{ set: { state: { N: "1" } } }, "state is in the key of an index, which wants a string"],
    [{ set: { a: { S: "x" } }, remove: ["a.b"] }, "a.b is a part of another one"], [{}, "Name an attribute to set or to remove"],
  ]) {
    await page.goto(console_.url + urlOf(edit));
    await page.getByText(words).waitFor();
  }
  await page.goto(console_.url + urlOf({ do: "delete" }, "only=Nothing")); // must not become all items
  await page.getByText("What is a Nothing is not known here").waitFor();
  await page.evaluate(() => localStorage.setItem("read-only", "yes"));
  await page.goto(console_.url + urlOf({ do: "delete" }));
  assert.match(await tried(page), /300 would be deleted/);
  assert.ok(await page.getByRole("button", { name: "Delete 300 items" }).isDisabled());
  await page.evaluate(() => localStorage.removeItem("read-only"));
  await close(page);
});

test("a governed table refuses in words, item by item", async () => {
  const products = Array.from({ length: 5 }, (_, at) => ({ PK: { S: `PRODUCT#p${at}` }, SK: { S: "META" }, id: { S: `p${at}` }, price: { N: String(at) } }));
  for (const Item of products) await console_.db("PutItem", { TableName: "shop", Item });
  const page = await open(`/t/shop/edit-many?set=${encodeURIComponent(JSON.stringify({ price: { N: "-1" } }))}`);
  await tried(page);
  await page.getByRole("button", { name: "Change 5 items" }).click();
  await ended(page, "Change");
  assert.match(await report(page, "Change"), /5 failed/);
  assert.match(await page.getByRole("table", { name: "What was not done" }).innerText(), /PRODUCT#p0 · META\s+Refused\s+.*price/);
  assert.equal(await page.getByRole("button", { name: /^Undo/ }).count(), 0, "there is nothing to undo");
  await close(page);
});
