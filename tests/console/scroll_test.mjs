// A table of 100,000 items is read and scrolled while the memory of the page stays what it was. LONG=yes takes a million.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

const total = process.env.LONG ? 1_000_000 : 100_000;
const growthMost = 12 * 1024 * 1024; // the items themselves would take ten times as much
let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "long", { pk: "S", sk: "N" });
  const item = (at) => ({ PutRequest: { Item: { pk: { S: "p" }, sk: { N: String(at) }, title: { S: `Item ${at} ${"x".repeat(40)}` }, price: { N: String(at / 8) }, tags: { SS: ["a", String(at % 7)] } } } });
  let next = 0;
  const write = async () => {
    for (let at = next; at < total; at = next) {
      next += 25;
      await console_.db("BatchWriteItem", { RequestItems: { long: Array.from({ length: 25 }, (_, place) => item(at + place)) } });
    }
  };
  await Promise.all(Array.from({ length: 16 }, write));
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

test("the page's memory and its elements stay the same, whatever was scrolled past", async () => {
  const page = await openPage(browser.context, console_.url, "/t/long/items?pk=p");
  const devtools = await browser.context.newCDPSession(page);
  await devtools.send("HeapProfiler.enable");
  const grid = page.getByRole("grid");
  const usedBytes = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize;
  };
  const elements = () => grid.evaluate((element) => element.querySelectorAll("*").length);
  const scrollTo = async (position) => {
    await grid.evaluate((element, row) => (element.scrollTop = row * 32), position);
    await page.getByRole("gridcell", { name: String(position), exact: true }).first().waitFor();
  };
  await page.getByRole("gridcell", { name: "0", exact: true }).first().waitFor();
  // Scrolling asks for more, page after page.
  for (const position of [150, 300, 450, 600, 3000]) {
    for (let at = 0; at < 100 && Number((await page.locator(".bar strong").innerText()).replace(/\D/g, "")) < position + 20; at++) {
      await grid.evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.waitForFunction(() => !document.querySelector(".bar progress"));
    }
    await scrollTo(position);
  }
  const before = { bytes: await usedBytes(), elements: await elements() };
  await page.getByRole("button", { name: "Read all" }).click();
  await page.getByText(`${total.toLocaleString("en-GB")} items`, { exact: true }).waitFor({ timeout: 240_000 });
  for (const part of [0.99, 0.5, 0.25, 0.75, 0, 0.9, 0.1]) await scrollTo(Math.floor(total * part));
  assert.equal(Number(await grid.getAttribute("aria-rowcount")), total + 1);
  const after = { bytes: await usedBytes(), elements: await elements() };
  assert.ok(after.bytes - before.bytes < growthMost, `${before.bytes} bytes became ${after.bytes}`);
  assert.ok(after.elements < before.elements * 1.5 && after.elements < 2000, `${before.elements} elements became ${after.elements}`);
  // The last item, by one key.
  await grid.focus();
  await page.keyboard.press("End");
  await page.getByRole("gridcell", { name: String(total - 1), exact: true }).first().waitFor();
  assert.deepEqual(page.problems, []);
  await page.close();
});
