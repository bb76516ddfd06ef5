// Designs: their page, patterns and operations, the board, traffic, drift.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { startConsole, stored } from "./console.mjs";
import { keyOf, startWorkshop } from "./workshop.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startWorkshop(), startBrowser()]);
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

test("an empty server has the samples with one click, and only once", async (t) => {
  const empty = await startConsole();
  t.after(empty.stop);
  const page = await openPage(browser.context, empty.url, "/");
  await page.getByRole("button", { name: "Load the samples" }).click();
  await page.getByRole("table", { name: "Tables" }).getByRole("link", { name: "text-analyzer-history", exact: true }).waitFor();
  const { TableNames } = await empty.db("ListTables", {});
  assert.deepEqual(TableNames, ["InventorySystem", "aura-historia-data", "fus-main", "text-analyzer-history"]);
  for (const name of TableNames) await page.getByRole("table", { name: "Tables" }).getByRole("link", { name, exact: true }).waitFor();
  await page.getByRole("link", { name: "Designs" }).click();
  await page.getByRole("link", { name: "InventorySystem", exact: true }).first().click();
  await page.getByRole("link", { name: "Items of InventorySystem" }).click();
  await page.getByRole("group", { name: "Entities" }).getByRole("button", { name: /^Product \d+$/ }).waitFor();
  const again = await page.evaluate(async () => {
    const { token } = await (await fetch("/session")).json();
    return (await fetch("/console/samples", { method: "POST", headers: { "Content-Type": "application/json", "X-Page-Token": token }, body: "{}" })).status;
  });
  assert.equal(again, 409);
  await close(page);
});

test("the page of a design: documentation, picture, lints", async () => {
  const page = await open("/designs");
  await page.getByRole("row", { name: /workshop/ }).getByText("strict").waitFor();
  await page.getByRole("table", { name: "Designs" }).getByRole("link", { name: "workshop", exact: true }).first().click();
  await page.getByText("Orders of workshops").first().waitFor();
  const picture = page.getByRole("table", { name: /keys in the table and in each index/ });
  assert.match(await picture.getByRole("row", { name: /^Product/ }).innerText(), /SHOP#shopId\s+PRODUCT#productId[\s\S]*CATEGORY#category/);
  const docs = page.getByRole("region", { name: "Documentation" });
  await docs.getByRole("heading", { name: /^Product/ }).waitFor();
  await docs.getByRole("img", { name: /begin leads from NEW to BEGUN/ }).waitFor();
  await page.getByText("no pattern uses the index byState").waitFor();
  await page.getByRole("link", { name: "line 8" }).click();
  await page.getByLabel("The design as YAML").waitFor();
  assert.equal(await page.evaluate(() => String(getSelection())), "  byState: { hash: GSI1PK, range: GSI1SK, project: all }");
  await close(page);
});

test("a pattern runs: explained before, entities and what they cost after, page after page", async () => {
  const page = await open("/d/workshop/run");
  await page.getByRole("navigation", { name: "Patterns and operations" }).getByRole("link", { name: "productsOf" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("This parameter is required").waitFor();
  // What the keys of the table have is offered for the parameters.
  await page.locator("datalist option[value=a]").waitFor({ state: "attached" });
  await page.getByLabel("shopId").fill("a");
  await page.getByText('PK = "SHOP#a" AND begins_with(SK, "PRODUCT#")').waitFor();
  await page.getByText("0.5 read units").first().waitFor();
  await page.keyboard.press("Control+Enter");
  const found = page.getByRole("region", { name: "Found" });
  await found.getByText("2 entities").waitFor();
  assert.match(await found.getByRole("status").innerText(), /2 items read · 0\.5 read units · 1 request · [\d.]+ ms/);
  assert.match(await found.innerText(), /Nail <b>/);
  assert.match((await found.getByRole("columnheader").allInnerTexts()).join(" ").trim(), /^(Item )?shopId productId name/);
  assert.match(page.url(), /pattern=productsOf&p\.shopId=a/);
  await page.getByRole("button", { name: "Code" }).click();
  assert.match(await page.getByRole("dialog").getByLabel("Code").innerText(), /curl .*\/v1\/workshop\/productsOf\?shopId=a/);
  await close(page);
});

test("a pattern has further pages", async () => {
  await console_.perform("addWorkshop", { shopId: "big", name: "Big" });
  for (let at = 10; at < 22; at++) await console_.perform("addProduct", { shopId: "big", productId: `p${at}`, name: `Part ${at}` });
  const page = await open("/d/workshop/run?pattern=productsOf&p.shopId=big");
  const found = page.getByRole("region", { name: "Found" });
  await found.getByText("12 entities").waitFor();
  await page.getByLabel("Page").selectOption("10");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await found.getByText("10 entities").waitFor();
  await found.getByText("so far").waitFor();
  await page.getByLabel("shopId").fill("a"); // the next page is of what was run
  await found.getByRole("button", { name: "Next page" }).click();
  await found.getByText("12 entities").waitFor();
  await found.getByText("2 requests").waitFor();
  // An answer that comes after a newer one is not shown.
  let letThrough;
  const isHeld = new Promise((resume) => (letThrough = resume));
  await page.route("**/lens/workshop/run", async (route) => (route.request().postData().includes('"big"') && (await isHeld), route.continue()));
  await page.getByLabel("shopId").fill("big");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByLabel("shopId").fill("a");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await found.getByText("2 entities", { exact: true }).waitFor();
  const late = page.waitForResponse((answer) => answer.request().postData()?.includes('"big"'));
  letThrough();
  await (await late).finished();
  await page.evaluate(() => new Promise((resume) => setTimeout(resume)));
  assert.match(await found.innerText(), /^2 entities/);
  await close(page);
});

test("an operation shows its transaction before it is sent, and its refusal in words", async () => {
  const page = await open("/d/workshop/run?operation=sell");
  await page.getByLabel("shopId").fill("a");
  await page.getByLabel("productId").fill("hammer");
  await page.getByLabel("quantity").fill("2");
  await page.getByText("stock >= 2").first().waitFor();
  await page.getByRole("button", { name: "Perform" }).click();
  const dialog = page.getByRole("dialog", { name: "Perform sell?" });
  await dialog.getByRole("button", { name: "Perform", exact: true }).click();
  await page.getByText("Done.").waitFor();
  assert.deepEqual((await stored(console_, "workshop", keyOf("PRODUCT#hammer"))).stock, { N: "1" });
  // The preview is that of now: another two are too many.
  await page.getByText("Refused: SOLD_OUT.").first().waitFor();
  await page.getByRole("button", { name: "Perform" }).click();
  await dialog.getByRole("button", { name: "Try nevertheless" }).click();
  await page.getByRole("alert").filter({ hasText: "SOLD_OUT" }).first().waitFor();
  assert.deepEqual((await stored(console_, "workshop", keyOf("PRODUCT#hammer"))).stock, { N: "1" });
  await page.getByLabel("quantity").fill("0");
  await page.getByText(/quantity must be/).first().waitFor();
  await close(page);
});

test("the board: a key or a drag does the declared transition, and a refused one is shown", async () => {
  for (const orderId of ["k1", "k2"]) await console_.perform("order", { shopId: "a", orderId, productId: "hammer" });
  const page = await open("/d/workshop/board");
  await page.getByRole("link", { name: /^a/ }).click();
  const column = (name) => page.getByRole("region", { name: new RegExp(`^${name}, `) });
  const card = (order) => page.getByRole("button", { name: new RegExp(order) });
  await column("NEW").getByText("k1").first().waitFor();
  assert.match(await column("BEGUN").innerText(), /In work/);
  // By a key.
  await card("k1").focus();
  await page.keyboard.press("1");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("worker").fill("anna");
  await dialog.getByText("UpdateItem").first().waitFor();
  await dialog.getByRole("button", { name: "begin", exact: true }).click();
  await column("BEGUN").getByText("k1").first().waitFor();
  const timeline = page.getByRole("list", { name: "Timeline" });
  await timeline.getByText("begin: became BEGUN").waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("ORDER#k1"))).worker.S, "anna");
  // By dragging.
  await card("k2").dragTo(column("BEGUN"));
  await dialog.getByLabel("worker").fill("ben");
  await dialog.getByText("UpdateItem").first().waitFor();
  // Somebody else is faster.
  await console_.perform("beginOrder", { shopId: "a", orderId: "k2", worker: "carl" });
  await dialog.getByRole("button", { name: "begin", exact: true }).click();
  await dialog.getByRole("alert").waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("ORDER#k2"))).worker.S, "carl");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.keyboard.press("r");
  await column("BEGUN").getByText("k2").first().waitFor();
  await close(page);
});

test("coverage and cost by real traffic", async () => {
  const { db } = console_;
  const values = (range) => ({ ":p": { S: "SHOP#a" }, ":s": { S: range } });
  for (let at = 0; at < 3; at++) await db("Query", { TableName: "workshop", KeyConditionExpression: "PK = :p AND begins_with(SK, :s)", ExpressionAttributeValues: values("PRODUCT#") });
  await db("Query", { TableName: "workshop", KeyConditionExpression: "PK = :p AND begins_with(SK, :s)", ExpressionAttributeValues: values("PARTS#") });
  const page = await open("/d/workshop/traffic");
  const table = page.getByRole("table", { name: "Patterns with their requests" });
  assert.match((await table.getByRole("row", { name: /^productsOf/ }).innerText()).replace(/\s+/g, " "), /productsOf Products of a workshop 3 2 2 0\.5 1\.5/);
  await table.getByRole("row", { name: /^inCategory/ }).getByText("unused").waitFor();
  await page.getByText('Query: PK = "SHOP#a" AND begins_with(SK, "PARTS#")').waitFor();
  // The console's own reads are no traffic.
  await page.goto(`${console_.url}/t/workshop/keys`);
  await page.getByRole("region", { name: "SHOP#<shopId>" }).waitFor();
  await page.goto(`${console_.url}/d/workshop/traffic`);
  await table.waitFor();
  assert.equal(await page.getByText(/^Scan/).count(), 0);
  await close(page);
});

test("drift is looked for and repaired", async () => {
  await console_.putAsIs({ ...keyOf("PRODUCT#saw"), shopId: { S: "a" }, productId: { S: "saw" }, name: { S: "Saw" }, label: { S: "Spoon" }, stock: { N: "0" } });
  const page = await open("/d/workshop/drift");
  await page.getByRole("button", { name: "Look for differences" }).click();
  await page.getByText("Wrong computed values").waitFor();
  await page.getByText("Items of no entity").waitFor();
  await page.getByRole("button", { name: /^Repair \d/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Repair" }).click();
  await page.getByText("1 repaired").first().waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("PRODUCT#saw"))).label.S, "Saw!");
  await close(page);
});

test("a read-only console shows everything and changes nothing", async (t) => {
  const quiet = await startWorkshop("--console", "read-only");
  t.after(quiet.stop);
  const page = await openPage(browser.context, quiet.url, "/d/workshop/drift");
  await page.getByRole("button", { name: "Look for differences" }).click();
  await page.getByText("items read").waitFor();
  await page.goto(`${quiet.url}/d/workshop/run?operation=addWorkshop`);
  assert.ok(await page.getByRole("button", { name: "Perform" }).isDisabled());
  const refused = await page.evaluate(async () => {
    const { token } = await (await fetch("/session")).json();
    const post = async (where, body) => (await fetch(where, { method: "POST", headers: { "Content-Type": "application/json", "X-Page-Token": token }, body: JSON.stringify(body) })).status;
    return [await post("/console/designs/workshop/drift", { repair: true }), await post("/console/designs/apply", { text: "design: 1" }), await post("/console/samples", {}), await post("/console/designs/check", { text: "design: 1" })];
  });
  assert.deepEqual(refused, [403, 403, 403, 200]);
  await close(page);
});
