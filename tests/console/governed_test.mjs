// Governed tables: entities instead of items, the tree of keys, lanes, and what the design knows about one item.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { stored } from "./console.mjs";
import { itemAt, keyOf, startWorkshop } from "./workshop.mjs";

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
const lensOf = async (page, name) => {
  const lenses = page.getByRole("region", { name: "Through the design" });
  await lenses.getByRole("button", { name, exact: true }).click();
  return lenses;
};

test("facets: entities with counts, one of them alone, and each unknown item with its reason", async () => {
  const page = await open("/t/workshop/items");
  const facets = page.getByRole("group", { name: "Entities" });
  for (const name of ["Workshop 1", "Product 2", "Order 2", "unknown 1"]) await facets.getByRole("button", { name, exact: true }).waitFor();
  await facets.getByRole("button", { name: "Product 2" }).click();
  await page.getByRole("gridcell", { name: "PRODUCT#nail" }).waitFor();
  assert.equal(await page.getByRole("gridcell", { name: /^ORDER#/ }).count(), 0);
  assert.match(page.url(), /only=Product/);
  // The columns are those of a Product, with the keys of the indexes, which the design computes, at the end.
  const heads = (await page.getByRole("columnheader").allInnerTexts()).map((text) => text.trim());
  assert.ok(!heads.includes("orderId") && heads.indexOf("name") < heads.indexOf("GSI2PK"), heads.join());
  await facets.getByRole("button", { name: "unknown 1" }).click();
  await page.getByRole("gridcell", { name: "VAN#1", exact: true }).waitFor();
  await page.getByText("no entity has a key like PK=VAN#1, SK=META").first().waitFor();
  await page.getByRole("gridcell", { name: "VAN#1", exact: true }).click();
  const panel = page.getByRole("complementary", { name: "Item" });
  assert.match(await panel.innerText(), /unknown/);
  await close(page);
});

test("the palette opens patterns and operations by their names", async () => {
  const page = await open("/");
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  for (const [typed, name, heading] of [["prodof", /^productsOf of workshop/, "productsOf"], ["begino", /^beginOrder of workshop/, "beginOrder"]]) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Table, view or action" }).waitFor();
    await page.keyboard.type(typed);
    await page.getByRole("option", { name, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: heading }).waitFor();
  }
  await close(page);
});

test("sensitive values are masked in every view until somebody asks, and only there", async () => {
  const secret = "anna@example.com";
  const masked = async (page) => assert.ok(!(await page.content()).includes(secret), page.url());
  const shown = async (page, words = secret) => {
    await page.getByRole("button", { name: "Show sensitive values" }).first().click();
    await page.getByText(words).first().waitFor();
  };
  const items = await open("/t/workshop/items");
  await items.getByRole("gridcell", { name: "META" }).first().waitFor();
  await masked(items);
  assert.ok(!(await items.content()).includes("ben@example.com"), "an item of no entity hides what any entity hides");
  await shown(items);
  await close(items);
  const lanes = await open(`/t/workshop/keys?hash=${encodeURIComponent('{"S":"SHOP#a"}')}`);
  await lanes.getByRole("region", { name: "Workshop", exact: true }).waitFor();
  await masked(lanes);
  await shown(lanes);
  await close(lanes);
  const item = await open(itemAt("META"));
  await item.getByText("Sensitive, and not shown").waitFor();
  await item.getByRole("region", { name: "Through the design" }).waitFor();
  await masked(item);
  await item.getByRole("button", { name: "DynamoDB JSON" }).click();
  await masked(item);
  await item.getByRole("button", { name: "Show sensitive values" }).first().click();
  assert.match(await item.getByLabel("The item as DynamoDB JSON").inputValue(), /anna@example.com/);
  await close(item);
  const run = await open("/d/workshop/run?pattern=workshop&p.shopId=a");
  await run.getByText("1 entity").waitFor();
  await masked(run);
  await shown(run);
  await close(run);
});

test("the tree of keys: templates with counts and patterns; a partition as lanes whose keys lead to what they name", async () => {
  const page = await open("/t/workshop/keys");
  const branch = page.getByRole("region", { name: "SHOP#<shopId>" });
  await branch.waitFor();
  assert.match(await branch.innerText(), /5 items · 83 %/);
  const row = branch.getByRole("row", { name: /PRODUCT#/ });
  assert.match(await row.innerText(), /Product\s*2[\s\S]*productsOf/);
  await page.getByRole("region", { name: "Keys of no entity" }).getByRole("link", { name: "VAN#1" }).waitFor();
  await branch.getByRole("link", { name: "SHOP#a" }).click();
  const lane = page.getByRole("region", { name: "Order", exact: true });
  await lane.getByText("ORDER#").first().waitFor();
  for (const name of ["Workshop", "Product", "Order"]) await page.getByRole("region", { name, exact: true }).waitFor();
  await page.getByRole("navigation", { name: "Where this is" }).getByRole("link", { name: "a", exact: true }).click();
  await page.getByRole("heading", { name: "SHOP#a · META" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Keys", exact: true }).first().click();
  await page.getByLabel("Table or index").selectOption({ label: "byState" });
  await page.getByRole("region", { name: "SHOP#<shopId>" }).getByText("Order").first().waitFor();
  await close(page);
});

test("references in both directions, with counts", async () => {
  const page = await open(itemAt("PRODUCT#nail"));
  const lenses = await lensOf(page, "References");
  const names = lenses.getByRole("region", { name: "It names" });
  assert.match(await names.innerText(), /shopId\s*→\s*Workshop/);
  const by = lenses.getByRole("region", { name: "It is named by" });
  await by.getByText("Order").first().waitFor();
  await by.getByRole("link", { name: /ORDER#o2/ }).click();
  await page.getByRole("heading", { name: "SHOP#a · ORDER#o2" }).waitFor();
  await close(page);
});

test("the index lens: an item beside its entries, or why it has none", async () => {
  const page = await open(itemAt("PRODUCT#nail"));
  let lenses = await lensOf(page, "Indexes");
  const absent = lenses.getByRole("region", { name: "byCategory" });
  await absent.getByText("absent").waitFor();
  assert.match(await absent.innerText(), /stock > 0 does not hold: stock is 0/);
  await page.goto(console_.url + itemAt("PRODUCT#hammer"));
  lenses = await lensOf(page, "Indexes");
  const there = lenses.getByRole("region", { name: "byCategory" });
  await there.getByText("in the index", { exact: true }).waitFor();
  assert.match(await there.innerText(), /CATEGORY#tools[\s\S]*Not in the index: [\s\S]*stock/);
  await close(page);
});

test("the copies lens: drift is shown and repaired", async () => {
  const item = await stored(console_, "workshop", keyOf("PRODUCT#hammer"));
  await console_.putAsIs({ ...item, label: { S: "Spoon" } });
  const page = await open(itemAt("PRODUCT#hammer"));
  const lenses = await lensOf(page, "Copies");
  const drift = lenses.getByRole("region", { name: "Drift" });
  await drift.getByText("1 difference").waitFor();
  assert.match(await drift.innerText(), /derived-value[\s\S]*Product\.label/);
  await drift.getByRole("button", { name: "Repair" }).click();
  await lenses.getByText("agree").waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("PRODUCT#hammer"))).label.S, "Hammer!");
  await lenses.getByText("productCount").waitFor();
  await close(page);
});

test("why not: every condition of a pattern is checked against the item", async () => {
  const page = await open(itemAt("PRODUCT#nail"));
  const lenses = await lensOf(page, "Why not");
  await lenses.getByLabel("Is the item in the result of").selectOption("inCategory");
  await lenses.getByRole("button", { name: "Why, or why not" }).click();
  const answer = lenses.getByRole("region", { name: "The answer" });
  await answer.getByText("The item is not in the result.").waitFor();
  assert.match(await answer.innerText(), /Fails:\s*The index[\s\S]*stock > 0 does not hold/);
  await lenses.getByLabel("Is the item in the result of").selectOption("productsOf");
  await lenses.getByRole("button", { name: "Why, or why not" }).click();
  await answer.getByText("The item is in the result.").waitFor();
  await close(page);
});
