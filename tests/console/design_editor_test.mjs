// The editor of a design: what is wrong while it is typed, the plan, the application, the test cases; a design for a table that has none.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";
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
const textOf = (page) => page.getByLabel("The design as YAML");
const side = (page) => page.getByRole("region", { name: "About the design" });
/** Replaces the whole text, as somebody would who pastes. */
async function paste(page, label, text) {
  await page.getByLabel(label).click();
  await page.keyboard.press("Control+a");
  await page.getByLabel(label).evaluate((editor, whole) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", whole);
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
const design = readFileSync("tests/console/workshop.yaml", "utf8");

test("mistakes are marked at their lines while somebody types, and what was typed outlives the view", async () => {
  const page = await open("/d/workshop/edit");
  await side(page).getByText("no pattern uses the index byState").waitFor();
  await paste(page, "The design as YAML", design.replace("query: Order", "query: Odor"));
  await side(page).getByText("the entity `Odor` does not exist").waitFor();
  await page.getByText("1 error", { exact: true }).waitFor();
  assert.equal(await page.locator(".cm-mark-error").innerText(), "Odor");
  assert.ok(await page.getByRole("button", { name: "Plan", exact: true }).first().isDisabled());
  await side(page).getByRole("listitem").filter({ hasText: "Odor" }).getByRole("button", { name: /^line \d+$/ }).click();
  assert.equal(await page.evaluate(() => String(getSelection())), "Odor");
  await page.reload();
  await side(page).getByText("the entity `Odor` does not exist").waitFor();
  await page.getByRole("button", { name: "Discard the changes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await page.getByText("1 error", { exact: true }).waitFor({ state: "detached" });
  assert.match(await textOf(page).innerText(), /Orders of workshops/);
  await close(page);
});

test("a change is planned, applied with its progress, and served", async () => {
  const page = await open("/d/workshop/edit");
  await textOf(page).waitFor();
  await paste(page, "The design as YAML", design.replace('"<name>!"', '"<name>?"').replace("  addProduct:", "  moveProduct: { steps: [{ update: Product, set: { category: category } }] }\n  addProduct:"));
  await page.getByText("changed", { exact: true }).waitFor();
  await page.keyboard.press("Control+Enter");
  await side(page).getByText("Wrong computed values").waitFor();
  assert.match(await side(page).innerText(), /items change\s+Product\.label/);
  await side(page).getByText("The server was started with").waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("PRODUCT#hammer"))).label.S, "Hammer!");
  await side(page).getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
  await side(page).getByText("Applied: workshop governs workshop.").waitFor();
  assert.equal((await stored(console_, "workshop", keyOf("PRODUCT#hammer"))).label.S, "Hammer?");
  await side(page).getByRole("button", { name: "Open the design" }).click();
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await page.getByRole("navigation", { name: "Patterns and operations" }).getByRole("link", { name: "moveProduct" }).waitFor();
  // Nothing is left to do.
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "Plan", exact: true }).first().click();
  await side(page).getByText("Nothing is to be done").waitFor();
  await close(page);
});

test("the cases run on the text in the editor, and the report says what was expected", async () => {
  const page = await open("/d/workshop/edit");
  await side(page).getByRole("button", { name: "Cases" }).click();
  await side(page).getByRole("button", { name: "Run the cases" }).click();
  await side(page).getByText("2 cases passed").waitFor();
  await side(page).getByText("1 failed", { exact: true }).waitFor(); // the label of the test before
  assert.match(await side(page).getByRole("region", { name: "Report" }).innerText(), /Failed:\s+a product has a label[\s\S]*Expected\s+\[0\]\.label: "Hammer!"\s+Found\s+\[0\]\.label: "Hammer\?"/);
  await paste(page, "The design as YAML", design);
  await side(page).getByText("The texts have changed since.").waitFor();
  await page.keyboard.press("Control+'");
  await side(page).getByText("3 cases passed").waitFor();
  await side(page).getByText("The text of the cases").click();
  await paste(page, "The cases as YAML", "cases: 5");
  await side(page).getByRole("button", { name: "Run the cases" }).click();
  await side(page).getByRole("alert").getByText("workshop.cases.yaml:1").waitFor();
  await close(page);
});

test("a table without a design gets one, drafted from its items", async (t) => {
  const plain = await startConsole();
  t.after(plain.stop);
  const books = Array.from({ length: 6 }, (_, at) => ({ PK: { S: "SHELF#a" }, SK: { S: `BOOK#${at}` }, title: { S: `Book ${at}` }, kind: { S: "BOOK" } }));
  await makeTable(plain, "library", { PK: "S", SK: "S" }, books);
  const page = await openPage(browser.context, plain.url, "/t/library/design");
  await page.getByRole("button", { name: "Draft a design from the items" }).click();
  await page.getByRole("button", { name: "Edit and apply" }).click();
  await textOf(page).getByText("BOOK#").first().waitFor();
  await page.getByRole("button", { name: "Plan", exact: true }).first().click();
  await side(page).getByText("has no design yet").waitFor();
  await side(page).getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
  await side(page).getByText(/Applied: .* governs library/).waitFor();
  await page.goto(`${plain.url}/t/library/items`);
  await page.getByRole("group", { name: "Entities" }).getByRole("button", { name: /^\w+ 6$/ }).first().waitFor();
  await close(page);
});

test("a new design makes its table, and is served by later servers as long as the table exists", async (t) => {
  const folder = scratchFolder();
  const first = await startConsole("--data", folder.path);
  const page = await openPage(browser.context, first.url, "/designs");
  await page.getByRole("link", { name: "New design" }).click();
  await textOf(page).waitFor();
  await page.getByRole("button", { name: "Plan", exact: true }).first().click();
  await side(page).getByText("does not exist and will be created").waitFor();
  await side(page).getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
  await side(page).getByText("Applied: my-table governs my-table.").waitFor();
  await close(page);
  await first.stop();
  const later = await startConsole("--data", folder.path);
  t.after(async () => (await later.stop(), folder.remove()));
  const designs = async () => (await (await fetch(`${later.url}/session`)).json()).designs;
  assert.deepEqual(await designs(), [{ name: "my-table", table: "my-table" }]);
  const added = await fetch(`${later.endpoint}/v1/my-table/addCustomer`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ customerId: "a", name: "Anna" }) });
  assert.equal(added.status, 200);
  assert.equal((await later.db("Scan", { TableName: "my-table" })).Items[0].PK.S, "CUSTOMER#a");
  await later.db("DeleteTable", { TableName: "my-table" });
  assert.deepEqual(await designs(), []);
});
