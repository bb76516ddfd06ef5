// Items of tables and indexes: every comparison on every type, filters, order, columns, counts, code to copy, kept requests, URLs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

let console_;
let browser;
const letters = "abcdefghij";

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  const base64 = (...bytes) => Buffer.from(bytes).toString("base64");
  const item = (sk, at) => ({
    pk: { S: "p" }, sk, at: { N: String(at) }, word: { S: `w${letters[at]}` }, bytes: { B: base64(at, 255) }, even: { BOOL: at % 2 === 0 }, list: { L: [{ S: letters[at] }, { M: { deep: { N: String(at * 10) } } }] },
    tags: { SS: [letters[at], "all"] }, ...(at === 3 ? { only: { NULL: true } } : {}), "odd.name": { S: `o${at}` },
  });
  await makeTable(console_, "texts", { pk: "S", sk: "S" }, [...letters].map((letter, at) => item({ S: `k-${letter}` }, at)));
  await makeTable(console_, "numbers", { pk: "S", sk: "N" }, [...letters].map((_, at) => item({ N: at === 9 ? "12345678901234567890" : String(at - 2) }, at)));
  await makeTable(console_, "binaries", { pk: "S", sk: "B" }, [...letters].map((_, at) => item({ B: base64(1, at) }, at)));
  await console_.db("UpdateTable", {
    TableName: "texts", AttributeDefinitions: [{ AttributeName: "word", AttributeType: "S" }, { AttributeName: "at", AttributeType: "N" }],
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "by-word", KeySchema: [{ AttributeName: "word", KeyType: "HASH" }, { AttributeName: "at", KeyType: "RANGE" }], Projection: { ProjectionType: "KEYS_ONLY" } } }],
  });
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
const found = (page) => page.getByRole("region", { name: "Items" });
const items = (page, count) => found(page).getByText(count === 1 ? "1 item" : `${count} items`, { exact: true }).waitFor();
const cells = (page, column) =>
  page.getByRole("grid").evaluate((grid, name) => {
    const at = [...grid.querySelectorAll("[role=columnheader]")].findIndex((head) => head.title === name);
    return [...grid.querySelectorAll("[role=row]:not(.grid-head)")].map((row) => row.querySelectorAll("[role=gridcell], [role=rowheader]")[at]?.textContent.trim());
  }, column);
const urlOf = (table, parameters) => `/t/${table}/items?${new URLSearchParams(parameters.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]))}`;
// Goes to another view in the same page, as the browser's own buttons do.
const visit = (page, where) => page.evaluate((url) => (history.pushState(null, "", url), dispatchEvent(new PopStateEvent("popstate"))), where);
async function show(page, where, count) {
  await visit(page, where);
  await items(page, count);
}

test("every comparison of a sort key, of every type, is a Query that finds what it says", async () => {
  const page = await open("/");
  const cases = {
    texts: [["=", "k-c"], ["<", "k-c"], ["<=", "k-c"], [">", "k-c"], [">=", "k-c"], ["between", "k-b", "k-d"], ["begins_with", "k-"]],
    numbers: [["=", "0"], ["<", "0"], ["<=", "0"], [">", "0"], [">=", "0.0"], ["between", "-1", "1e0"]],
    binaries: [["=", "0x0102"], ["<", "0x0102"], ["<=", "0x0102"], [">", "AQI="], [">=", "0x0102"], ["between", "0x0101", "0x0103"], ["begins_with", "0x01"]],
  };
  const counts = { "=": 1, "<": 2, "<=": 3, ">": 7, ">=": 8, between: 3, begins_with: 10 };
  for (const [table, conditions] of Object.entries(cases)) {
    for (const condition of conditions) {
      await show(page, urlOf(table, [["pk", "p"], ["sk", condition]]), counts[condition[0]]);
      assert.equal(await page.locator(".kind").innerText(), "Query", `${table} ${condition}`);
    }
  }
  await show(page, urlOf("numbers", [["pk", "p"], ["sk", ["=", "12345678901234567890"]]]), 1);
  assert.deepEqual(await cells(page, "sk"), ["12345678901234567890"]);
  await close(page);
});

test("every comparison of a filter, of every type and at any path", async () => {
  const page = await open("/");
  const cases = [
    [["at", "N", "=", "4"], 1], [["at", "N", "<>", "4"], 9], [["at", "N", "<", "4"], 4], [["at", "N", "<=", "4"], 5], [["at", "N", ">", "4"], 5], [["at", "N", ">=", "4"], 6],
    [["at", "N", "between", "2", "4"], 3], [["at", "N", "in", "2", "4", "77"], 2], [["word", "S", "contains", "b"], 1], [["word", "S", "not contains", "b"], 9],
    [["word", "S", "begins_with", "w"], 10], [["tags", "S", "contains", "all"], 10], [["only", "S", "exists"], 1], [["only", "S", "not exists"], 9], [["only", "NULL", "="], 1],
    [["even", "BOOL", "=", "true"], 5], [["bytes", "B", "=", "0x02ff"], 1], [["list[0]", "S", "=", "c"], 1], [["list[1].deep", "N", ">=", "50"], 5], [['"odd.name"', "S", "=", "o7"], 1], [["list", "S", "type is", "L"], 10],
    [["at", "S", "=", "4"], 0],
  ];
  for (const [filter, count] of cases) {
    await visit(page, urlOf("texts", [["filter", filter]]));
    await (count === 0 ? page.getByRole("heading", { name: "No item fits" }).waitFor() : items(page, count)).catch((why) => assert.fail(`${filter}: ${why}`));
  }
  await show(page, urlOf("texts", [["pk", "p"], ["filter", ["even", "BOOL", "=", "true"]], ["filter", ["at", "N", ">", "3"]]]), 3);
  await close(page);
});

test("a form becomes a request: its keys, a filter, the order, the index; the URL is the request", async () => {
  const page = await open("/t/texts/items");
  await items(page, 10);
  assert.equal(await page.locator(".kind").innerText(), "Scan");
  await page.getByLabel("pk, partition key").fill("p");
  assert.equal(await page.locator(".kind").innerText(), "Query");
  await page.getByLabel("sk: comparison").selectOption("between");
  await page.getByLabel("sk, sort key", { exact: true }).fill("k-b");
  await page.getByLabel("sk, sort key, second value").fill("k-f");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  const filter = page.getByRole("group", { name: "Filter 1" });
  await filter.getByLabel("Attribute").fill("at");
  await filter.getByLabel("Type of the value").selectOption("number");
  await filter.getByLabel("Comparison").selectOption("<>");
  await filter.getByLabel("Value", { exact: true }).fill("2");
  await page.getByLabel("Order", { exact: true }).selectOption("descending");
  await page.getByLabel("consistent").check();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await items(page, 4);
  assert.deepEqual(await cells(page, "sk"), ["k-f", "k-e", "k-d", "k-b"]);
  const { href } = new URL(page.url());
  const other = await openPage(browser.context, "", href, [console_.url]);
  await items(other, 4);
  assert.deepEqual(await cells(other, "sk"), ["k-f", "k-e", "k-d", "k-b"]);
  assert.ok(await other.getByLabel("consistent").isChecked());
  await close(other);
  await page.getByLabel("Table or index").selectOption("by-word");
  await page.getByLabel("word, partition key").fill("we");
  await page.getByRole("button", { name: "Remove filter 1" }).click();
  await page.keyboard.press("Control+Enter");
  await items(page, 1);
  assert.equal(await page.getByLabel("consistent").count(), 0, "a global index has no consistent reads");
  assert.deepEqual(await cells(page, "word"), ["we"]);
  await page.goBack();
  await items(page, 4);
  await checkAccessibility(page, "items");
  await close(page);
});

test("values of a list are separated by commas, and those with commas are in quotes", async () => {
  const page = await open(urlOf("texts", [["filter", ["word", "S", "in", "we", "x, y"]]]));
  await items(page, 1);
  const value = page.getByRole("group", { name: "Filter 1" }).getByLabel("Value", { exact: true });
  assert.equal(await value.inputValue(), 'we, "x, y"');
  await value.fill("");
  await value.pressSequentially('"say \\"a, b\\"" , wc,wd');
  assert.equal(await value.inputValue(), '"say \\"a, b\\"" , wc,wd');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await items(page, 2);
  assert.deepEqual(JSON.parse(new URL(page.url()).searchParams.get("filter")), ["word", "S", "in", 'say "a, b"', "wc", "wd"]);
  await close(page);
});

test("a value that is none of its type is said before a request is sent", async () => {
  const page = await open("/t/numbers/items?pk=p");
  await items(page, 10);
  await page.getByLabel("sk, sort key", { exact: true }).fill("1,5");
  await page.getByRole("alert").filter({ hasText: "1,5" }).waitFor();
  await page.goto(`${console_.url}${urlOf("numbers", [["pk", "p"], ["sk", ["between", "1", ""]]])}`);
  await page.getByText("A number is missing").locator("visible=true").first().waitFor();
  await close(page);
});

test("columns are chosen, and the choice is in the URL", async () => {
  const page = await open("/t/texts/items?pk=p");
  await items(page, 10);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "bytes" }).uncheck();
  await page.getByRole("checkbox", { name: "list" }).uncheck();
  await page.keyboard.press("Escape");
  const heads = async () => (await page.getByRole("columnheader").allInnerTexts()).map((text) => text.trim());
  assert.ok(!(await heads()).includes("bytes") && (await heads()).includes("word"));
  await page.reload();
  await items(page, 10);
  assert.ok(!(await heads()).includes("list") && (await heads()).includes("word"));
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("columnheader", { name: "bytes" }).waitFor();
  await close(page);
});

test("counts arrive as pages are read, and a count needs no items", async () => {
  const page = await open("/t/texts/items?limit=2");
  await page.getByRole("button", { name: "Read all" }).or(found(page).getByText("10 items")).first().waitFor();
  await items(page, 10); // the screen has room for all of them
  await makeTable(console_, "long", { pk: "S", sk: "N" }, Array.from({ length: 1200 }, (_, at) => ({ pk: { S: "p" }, sk: { N: String(at) } })));
  await page.goto(`${console_.url}/t/long/items?pk=p`);
  await found(page).getByText("so far").waitFor();
  await page.getByRole("button", { name: "Count", exact: true }).click();
  await found(page).getByText("in all").waitFor();
  assert.match(await page.locator(".bar").innerText(), /1,200 in all/);
  await page.getByRole("button", { name: "Read all" }).click();
  await items(page, "1,200");
  await close(page);
});

test("a request is copied as JSON, for the command line and for three languages, with every digit", async () => {
  const page = await open(urlOf("numbers", [["pk", "p"], ["sk", [">=", "12345678901234567890"]], ["filter", ["odd.name", "S", "contains", `it's "quoted"`]]]));
  await page.getByRole("button", { name: "Code", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const code = async (language) => {
    await dialog.getByRole("button", { name: language, exact: true }).click();
    return dialog.getByLabel("Code").innerText();
  };
  const request = JSON.parse(await code("JSON"));
  assert.equal(request.TableName, "numbers");
  assert.ok(Object.values(request.ExpressionAttributeValues).some((value) => value.N === "12345678901234567890"));
  assert.match(await code("aws-cli"), new RegExp(`aws dynamodb query[\\s\\S]*--endpoint-url ${console_.endpoint}[\\s\\S]*12345678901234567890`));
  assert.match(await code("boto3"), /get_paginator\("query"\)[\s\S]*12345678901234567890/);
  assert.match(await code("JavaScript"), /paginateQuery\([\s\S]*/);
  assert.match(await code("C++"), /query/);
  await checkAccessibility(page, "code to copy");
  await close(page);
});

test("requests are remembered, saved by a name, and forgotten", async () => {
  const page = await open(urlOf("texts", [["pk", "p"], ["sk", ["=", "k-c"]]]));
  await items(page, 1);
  await show(page, "/t/texts/items?pk=p&order=desc", 10);
  await page.getByRole("button", { name: "Requests" }).click();
  await page.getByRole("button", { name: "Save this request" }).click();
  await page.getByLabel("Name", { exact: true }).fill("newest first");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.goto(`${console_.url}/t/texts/items`);
  await items(page, 10);
  await page.getByRole("button", { name: "Requests" }).click();
  await page.getByRole("link", { name: /p · = k-c/ }).waitFor();
  await page.getByRole("link", { name: /newest first/ }).click();
  await items(page, 10);
  assert.match(page.url(), /pk=p&order=desc/);
  await page.getByRole("button", { name: "Requests" }).click();
  await page.getByRole("button", { name: "Forget newest first" }).click();
  await page.getByRole("link", { name: /newest first/ }).waitFor({ state: "detached" });
  await close(page);
});

test("an item is shown beside the others, whole and as JSON", async () => {
  const page = await open("/t/texts/items?pk=p");
  await items(page, 10);
  await page.getByRole("gridcell", { name: "k-d", exact: true }).click();
  const panel = page.getByRole("complementary", { name: "Item" });
  await panel.getByText("deep").waitFor();
  await panel.getByRole("button", { name: "JSON" }).click();
  const item = JSON.parse(await panel.getByLabel("The item as JSON").innerText());
  assert.deepEqual(item.list, { L: [{ S: "d" }, { M: { deep: { N: "30" } } }] });
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  // From an item to those with the same value, and to those with the same partition key.
  await page.getByRole("gridcell", { name: "k-d", exact: true }).click();
  await panel.getByRole("link", { name: "Filter: even is the same" }).click();
  await items(page, 5);
  await page.getByRole("gridcell", { name: "k-f", exact: true }).click();
  await panel.getByRole("link", { name: "Filter: odd.name is the same" }).click();
  await items(page, 1);
  await page.getByRole("gridcell", { name: "k-f", exact: true }).click();
  await panel.getByRole("link", { name: "Partition" }).click();
  await items(page, 10);
  assert.match(page.url(), /items\?pk=p$/);
  await page.getByRole("gridcell", { name: "k-f", exact: true }).dblclick();
  await page.getByRole("heading", { name: "p · k-f" }).waitFor();
  await close(page);
});

test("the time at which an item expires is shown as a time", async () => {
  await makeTable(console_, "sessions", { id: "S" }, [{ id: { S: "a" }, until: { N: "1900000000" } }, { id: { S: "b" }, until: { N: "1.5e9" } }]);
  await console_.db("UpdateTimeToLive", { TableName: "sessions", TimeToLiveSpecification: { AttributeName: "until", Enabled: true } });
  const page = await open("/t/sessions/items");
  await page.getByRole("gridcell", { name: "a", exact: true }).click();
  await page.getByText("expires 17 Mar 2030").waitFor();
  await page.getByRole("gridcell", { name: "b", exact: true }).click();
  await page.getByText("expired 14 Jul 2017").waitFor();
  await close(page);
});
