// The console without a pointer: a table is created, filled, searched, changed and deleted by keys alone; the palette and the help.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "albums", { pk: "S" }, [{ pk: { S: "first" }, year: { N: "1999" } }]);
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}

/** Presses Tab until the element has the focus, which must be seen. */
async function tabTo(page, locator) {
  await locator.waitFor();
  for (let at = 0; at < 120; at++) {
    if (await locator.evaluate((element) => element === document.activeElement)) {
      const outline = await locator.evaluate((element) => [element, element.closest(".joined, .palette-input, label")].some((one) => one && (getComputedStyle(one).outlineStyle !== "none" || getComputedStyle(one).boxShadow !== "none")));
      assert.ok(outline, `the focus of ${locator} cannot be seen`);
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${locator}`);
}
const press = async (page, locator, key = "Enter") => {
  await tabTo(page, locator);
  await page.keyboard.press(key);
};
const type = async (page, locator, text) => {
  await tabTo(page, locator);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
};

test("a table is created, gets an item, is searched, changed and deleted", async () => {
  const page = await openPage(browser.context, console_.url, "/");
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Name", { exact: true }).waitFor();
  await type(page, page.getByLabel("Name", { exact: true }), "by.keys");
  await type(page, page.getByLabel("Partition key", { exact: true }), "who");
  await type(page, page.getByLabel("Sort key", { exact: true }), "at");
  await tabTo(page, page.getByLabel("Type of the sort key"));
  await page.keyboard.type("n"); // number
  await press(page, page.getByRole("button", { name: "Create the table" }));
  await page.getByRole("heading", { name: "by.keys has no items" }).waitFor();
  await press(page, page.getByRole("link", { name: "New item" }));
  await type(page, page.getByLabel("who", { exact: true }), "anna");
  await type(page, page.getByLabel("at", { exact: true }), "12345678901234567890");
  await press(page, page.getByRole("button", { name: "Create the item" }));
  const key = { who: { S: "anna" }, at: { N: "12345678901234567890" } };
  await page.getByRole("heading", { name: "anna · 12345678901234567890" }).waitFor();
  assert.deepEqual(await stored(console_, "by.keys", key), key);
  await press(page, page.getByRole("link", { name: "by.keys", exact: true }).first());
  await page.getByText("1 item", { exact: true }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("anna");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Query", { exact: true }).waitFor();
  await page.waitForURL(/pk=anna/);
  await page.getByText("1 item", { exact: true }).waitFor();
  await press(page, page.getByRole("grid"));
  await page.getByRole("complementary", { name: "Item" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Item" }).waitFor({ state: "detached" });
  await press(page, page.getByRole("link", { name: "Structure", exact: true }));
  await press(page, page.getByRole("button", { name: "Delete the table" }));
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Cancel" }));
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Delete the table"); // the focus is where it was
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("by.keys"); // the field has the focus
  await page.keyboard.press("Enter");
  await page.getByText("The table by.keys is deleted").waitFor();
  await close(page);
});

test("the palette finds tables, views and settings by a few letters, and runs them", async () => {
  const page = await openPage(browser.context, console_.url, "/");
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  const palette = async (text, expected) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Table, view or action" }).waitFor();
    await page.keyboard.type(text);
    await page.getByRole("option", { name: expected, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await page.getByRole("link", { name: "albums", exact: true }).first().waitFor();
  await palette("albms", /albums/); // a letter is missing
  await page.getByText("1 item", { exact: true }).waitFor();
  await palette("struc", /albums: Structure/);
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await palette("albums export", /albums: Export items to a file/);
  await page.getByRole("heading", { name: "Export albums" }).waitFor();
  await palette("partiql", /PartiQL/);
  await page.waitForURL(/\/partiql/);
  await page.goto(`${console_.url}/`);
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor(); // before that no key is heard
  await palette("theme: dark", /Theme: dark/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await palette("theme: auto", /Theme: auto/);
  await palette("read-only", /Read-only: on/);
  assert.ok(await page.getByRole("switch", { name: "Read-only" }).isChecked());
  await palette("read-only", /Read-only: off/);
  await palette("utc", /Times in UTC/);
  assert.equal(await page.getByLabel("Time zone").inputValue(), "UTC");
  await page.getByLabel("Time zone").focus();
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.reload();
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  assert.equal(await page.getByLabel("Time zone").inputValue(), "Asia/Tokyo");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("local time");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("no such thing at all");
  await page.getByText("Nothing has such a name").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await close(page);
});

test("the help lists the keys of the view that is shown", async () => {
  const page = await openPage(browser.context, console_.url, "/t/albums/items");
  await page.getByText("1 item", { exact: true }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  for (const name of ["Run the request", "Search tables, views and actions", "Show the request as code", "In the items: choose rows"]) await help.getByText(name).waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("c");
  await page.getByRole("dialog").getByLabel("Code").waitFor();
  await page.keyboard.press("Control+k"); // a view behind a dialog hears no key
  assert.equal(await page.getByRole("combobox", { name: "Table, view or action" }).count(), 0);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("grid").focus();
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "first" }).waitFor();
  await page.goBack();
  await page.getByText("1 item", { exact: true }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("heading", { name: "Tables", exact: true }).waitFor();
  await page.keyboard.press("?");
  assert.equal(await help.getByText("Run the request").count(), 0);
  await close(page);
});

test("somebody who begins at the top can skip the navigation", async () => {
  const page = await openPage(browser.context, console_.url, "/t/albums/items");
  await page.getByText("1 item", { exact: true }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "content");
  await close(page);
});
