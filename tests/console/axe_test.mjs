// Every view in both themes: axe-core finds no serious problem, and on a phone nothing is wider than the screen. A new view
// is a line in `views`; a view that is missing here fails the test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable } from "./console.mjs";
import { itemAt as itemOf, startWorkshop } from "./workshop.mjs";

let console_;
let browser;
let features;
let shared; // one page shows all views, one after the other: axe-core and the parts of the console are loaded once

const key = encodeURIComponent(JSON.stringify({ pk: { S: "artist#1" }, sk: { N: "1" } }));
const at = (role, name) => (page) => page.getByRole(role, { name }).first();
const text = (words) => (page) => page.getByText(words).locator("visible=true").first();

async function aRequest(page) {
  await page.getByRole("status").getByText("Live").waitFor();
  await console_.db("ListTables", {});
  await text("ListTables")(page).waitFor();
}

// The URL in console/routes.ts, where the view is opened, and what is there when it is ready.
const views = [
  ["/", "/", at("link", "music")],
  ["/partiql", `/partiql?q=${encodeURIComponent("SELECT * FROM music")}`, at("textbox", "PartiQL statements")],
  ["/requests", "/requests", at("heading", "No request")],
  ["/requests", "/requests?own=yes", (page) => ({ waitFor: () => aRequest(page) })],
  ["/metrics", "/metrics", at("heading", "Time to answer")],
  ["/help", "/help", at("heading", "Help")],
  ["/new", "/new", at("button", "Create the table")],
  ["/t/:table/items", "/t/music/items", text("30 items")],
  ["/t/:table/items", "/t/music/items?index=by-year&pk=1970", text("Query")],
  ["/t/:table/items", `/t/music/items?filter=${encodeURIComponent('["year","N",">","9999"]')}`, at("heading", "No item fits")],
  ["/t/:table/edit-many", `/t/music/edit-many?remove=${encodeURIComponent('["live"]')}`, at("button", "Dry run")],
  ["/t/:table/export", "/t/music/export?pk=artist%231", at("button", "Export")],
  ["/t/:table/import", "/t/music/import", at("heading", "No file yet")],
  ["/t/:table/item", `/t/music/item?key=${key}`, at("heading", "artist#1 · 1")],
  ["/t/:table/item", "/t/music/item", at("heading", "New item")],
  ["/t/:table/history", `/t/music/history?key=${key}`, at("heading", "Versions")],
  ["/t/:table/history", "/t/music/history", at("heading", "The history of an item")],
  ["/t/:table/backups", "/t/music/backups", text("before-the-change")],
  ["/t/:table/stream", "/t/music/stream?from=oldest", (page) => page.getByRole("region", { name: "Changes" }).getByRole("button").first()],
  ["/backups", "/backups", text("before-the-change")],
  ["/t/:table", "/t/music", at("heading", "Settings")],
  ["/t/:table/keys", "/t/workshop/keys", at("region", "SHOP#<shopId>")],
  ["/t/:table/keys", `/t/workshop/keys?hash=${encodeURIComponent('{"S":"SHOP#a"}')}`, at("region", "Product")],
  ["/t/:table/items", "/t/workshop/items", at("button", "unknown 1")],
  ["/t/:table/item", itemOf("META"), text("Sensitive, and not shown")],
  ["/t/:table/design", "/t/music/design", at("heading", "No design governs this table")],
  ["/designs", "/designs", at("link", "workshop")],
  ["/designs/new", "/designs/new", at("textbox", "The design as YAML")],
  ["/d/:design", "/d/workshop", at("heading", "Lints")],
  ["/d/:design/run", "/d/workshop/run?pattern=productsOf&p.shopId=a", text("2 entities")],
  ["/d/:design/run", "/d/workshop/run?operation=sell&p.shopId=a&p.productId=hammer&p.quantity=9", text("Refused: SOLD_OUT.")],
  ["/d/:design/board", "/d/workshop/board?lifecycle=Order.work&p.shopId=a", at("list", "Timeline")],
  ["/d/:design/traffic", "/d/workshop/traffic", at("table", "Patterns with their requests")],
  ["/d/:design/drift", "/d/workshop/drift", at("button", "Look for differences")],
  ["/d/:design/edit", "/d/workshop/edit", text("no pattern uses the index byState")],
  ["not found", "/nothing", at("heading", "There is no such view")],
];

before(async () => {
  [console_, browser] = await Promise.all([startWorkshop(), startBrowser()]);
  const songs = Array.from({ length: 30 }, (_, at) => ({
    pk: { S: `artist#${at % 3}` }, sk: { N: String(at) }, year: { N: String(1970 + at) }, title: { S: `A song with a rather long title, number ${at}` }, tags: { SS: ["pop", "rock"] }, live: { BOOL: at % 2 === 0 },
    cover: { B: "AP8Q" }, credits: { M: { label: { S: "none" }, people: { L: [{ S: "Anna" }] } } },
  }));
  await makeTable(console_, "music", { pk: "S", sk: "N" }, songs);
  await console_.db("UpdateTable", {
    TableName: "music", AttributeDefinitions: [{ AttributeName: "year", AttributeType: "N" }],
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "by-year", KeySchema: [{ AttributeName: "year", KeyType: "HASH" }], Projection: { ProjectionType: "ALL" } } }],
  });
  await console_.db("UpdateContinuousBackups", { TableName: "music", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  await console_.db("UpdateTable", { TableName: "music", StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } });
  await console_.db("PutItem", { TableName: "music", Item: { ...songs[1], title: { S: "Another title" } } });
  await console_.db("CreateBackup", { TableName: "music", BackupName: "before-the-change" });
  shared = await openPage(browser.context, console_.url, "/nothing");
  ({ features } = await (await fetch(`${console_.url}/session`)).json());
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

test("every view of the console is in the table of this test", () => {
  const routes = readFileSync("console/routes.ts", "utf8").matchAll(/\{ url: "([^"]+)"[^\n]*?(?:needs: "(\w+)"[^\n]*)?load:/g);
  const missing = [...routes].filter(([, url, needs]) => (!needs || features.includes(needs)) && !views.some(([known]) => known === url)).map(([, url]) => url);
  assert.deepEqual(missing, []);
});

/** Goes to a view as a link does. Nothing of the view before is there when it returns. */
async function visit(where) {
  await shared.setViewportSize({ width: 1280, height: 860 });
  const go = (url) => shared.evaluate((to) => (history.pushState(null, "", to), dispatchEvent(new PopStateEvent("popstate"))), url);
  await go("/nothing");
  await shared.getByRole("heading", { name: "There is no such view" }).waitFor();
  if (where !== "/nothing") await go(where);
}

for (const [url, where, ready] of views) {
  test(`${where} (${url})`, async () => {
    await visit(where);
    await ready(shared).waitFor();
    await checkAccessibility(shared, where);
    await shared.setViewportSize({ width: 390, height: 844 });
    const wide = await shared.evaluate(() => ({ page: document.documentElement.scrollWidth, screen: innerWidth }));
    assert.ok(wide.page <= wide.screen, `${where} is ${wide.page} pixels wide on a phone of ${wide.screen}`);
    assert.deepEqual(shared.problems.splice(0), []);
  });
}

test("what opens above a view: the palette, the keys, code, an item, a menu, the navigation of a phone", async () => {
  const page = await openPage(browser.context, console_.url, "/t/music/items");
  await text("30 items")(page).waitFor();
  const opened = async (name, open, shown) => {
    await open();
    await shown.waitFor();
    await checkAccessibility(page, name);
    await page.keyboard.press("Escape");
    await shown.waitFor({ state: "hidden" });  // a key that is pressed earlier belongs to what is still open
  };
  await opened("palette", () => page.keyboard.press("Control+k"), page.getByRole("combobox", { name: "Table, view or action" }));
  await opened("keys", () => page.keyboard.press("?"), page.getByRole("dialog", { name: "Keys" }));
  await opened("code", () => page.keyboard.press("c"), page.getByRole("dialog").getByLabel("Code"));
  await opened("columns", () => page.getByRole("button", { name: "Columns" }).click(), page.getByRole("checkbox", { name: "title" }));
  await opened("more", () => page.getByRole("button", { name: "More", exact: true }).click(), page.getByRole("link", { name: "Import a file" }));
  await opened("item", () => page.getByRole("gridcell", { name: "artist#1" }).first().click(), page.getByRole("complementary", { name: "Item" }));
  await page.getByRole("checkbox", { name: "Choose artist#1 · 1", exact: true }).check();
  await page.getByText("1 row chosen").waitFor();
  await checkAccessibility(page, "chosen rows");
  await page.setViewportSize({ width: 390, height: 844 });
  await opened("navigation", () => page.getByRole("button", { name: "Navigation" }).click(), page.getByRole("link", { name: "PartiQL" }));
  assert.deepEqual(page.problems, []);
  await page.close();
});
