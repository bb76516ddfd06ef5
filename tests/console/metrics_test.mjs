// The metrics as charts: from samples while somebody looks, in numbers for whoever sees no chart, across a restart.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "plain", { pk: "S" }, [{ pk: { S: "a" } }]);
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

const cell = (page, chart, line, column) => page.getByRole("region", { name: chart, exact: true }).getByRole("row", { name: new RegExp(`^${line}`) }).getByRole("cell").nth(column);
/** Waits until a number of a chart is more than nothing. */
const moves = (page, chart, line, column) =>
  page.waitForFunction(
    ([title, name, at]) => {
      const panel = [...document.querySelectorAll(".metric")].find((one) => one.querySelector("h2").textContent === title);
      const row = [...(panel?.querySelectorAll("tbody tr") ?? [])].find((one) => one.querySelector("th").textContent === name);
      return Number.parseFloat(row?.querySelectorAll("td")[at].textContent ?? "0") > 0;
    },
    [chart, line, column],
  );

test("charts begin when somebody looks, and follow what applications do", async () => {
  const page = await openPage(browser.context, console_.url, "/metrics");
  await page.getByText("The charts begin now").waitFor();
  await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
  const key = { TableName: "plain", Key: { pk: { S: "a" } } };
  for (let at = 0; at < 50; at++) await console_.db("GetItem", key);
  await assert.rejects(console_.db("PutItem", { TableName: "plain", Item: { pk: { S: "a" } }, ConditionExpression: "attribute_not_exists(pk)" }));
  const most = 2; // the column
  await moves(page, "Requests", "GetItem", most);
  await moves(page, "Errors", "errors", most);
  await moves(page, "Capacity", "read units", most);
  await moves(page, "Time to answer", "99 %", most);
  assert.match(await cell(page, "Memory", "process", 0).innerText(), /MB/);
  assert.equal(await page.locator(".plot canvas").count(), await page.getByRole("table").count());
  // The time of one operation alone; the URL has it.
  await page.getByLabel("Latency of").selectOption("GetItem");
  await page.getByRole("region", { name: "Time to answer" }).getByText("GetItem").waitFor();
  assert.match(page.url(), /operation=GetItem/);
  await checkAccessibility(page, "the metrics");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("samples stay while somebody is at another view of the console", async () => {
  const page = await openPage(browser.context, console_.url, "/metrics");
  await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
  await page.getByRole("link", { name: "Help" }).click();
  await page.getByRole("heading", { level: 1, name: "Metrics" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Metrics" }).click();
  await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
  assert.equal(await page.getByText("The charts begin now").count(), 0);
  await page.close();
});

test("a script gets the same numbers", async () => {
  const sample = await (await fetch(`${console_.url}/console/metrics`)).json();
  const gets = sample.requests.find(({ name }) => name === "GetItem");
  assert.ok(gets.count >= 50 && gets.buckets.length === sample.bounds.length + 1);
  assert.equal(gets.buckets.at(-1), gets.count);
  assert.ok(sample.resident > 1_000_000 && sample.values.tavola_read_units_total >= 25);
  assert.equal(sample.requests.find(({ name }) => name === "PutItem").errors, 1);
});
