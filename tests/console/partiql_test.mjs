// The PartiQL editor: completion, several statements, parameters, pages, errors at their place, history, read-only.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;

const albums = Array.from({ length: 300 }, (_, at) => ({
  pk: { S: `artist#${at % 3}` }, sk: { N: String(at) }, price: { N: "12345678901234567890.5" }, title: { S: `Song ${at}` }, tags: { SS: ["a", "b,c"] }, "odd-name": { S: "x" },
}));

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "my-music", { pk: "S", sk: "N" }, albums);
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

async function open(text, rest = "") {
  const page = await openPage(browser.context, console_.url, `/partiql?q=${encodeURIComponent(text)}${rest}`);
  await page.getByRole("textbox", { name: "PartiQL statements" }).waitFor();
  return page;
}
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const editorOf = (page) => page.getByRole("textbox", { name: "PartiQL statements" });
const textOf = async (page) => (await page.locator(".cm-line").allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
const results = (page) => page.getByRole("region", { name: "Results" });

test("a SELECT is completed, run by key, and its items are those of the table, to the last digit", async () => {
  const page = await open(" ");
  await editorOf(page).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("SELECT * FROM my-m");
  await page.getByRole("option", { name: /my-music/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" WHERE pk = 'artist#1' AND pri");
  await page.getByRole("option", { name: /price/ }).waitFor(); // an attribute that is no key: it was seen in items
  await page.keyboard.press("Enter");
  await page.keyboard.type(" > 5");
  assert.equal(await textOf(page), "SELECT * FROM \"my-music\" WHERE pk = 'artist#1' AND price > 5");
  await page.keyboard.press("Control+Enter");
  await results(page).getByText("100 items").waitFor();
  await results(page).getByText("by key").waitFor();
  assert.match(await results(page).getByRole("status").innerText(), /[\d.]+ units?/);
  await page.getByRole("gridcell", { name: "12345678901234567890.5" }).first().click();
  await page.getByRole("complementary", { name: "Item" }).getByText("b,c").waitFor();
  assert.match(page.url(), /[?&]q=SELECT/);
  await close(page);
});

test("a name with other letters is completed in quotes", async () => {
  const page = await open('SELECT * FROM "my-music" WHERE ');
  await editorOf(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("odd");
  await page.getByRole("option", { name: /odd-name/ }).click();
  assert.equal(await textOf(page), 'SELECT * FROM "my-music" WHERE "odd-name"');
  await close(page);
});

test("several statements run in their order, with parameters; the first that fails ends the run, and its place is marked", async () => {
  const text = `UPDATE "my-music" SET price = ? WHERE pk = ? AND sk = 0;\nSELECT price FROM "my-music" WHERE pk = 'artist#0' AND sk = 0;\n-- comment\nSELECT * FROM "my-music" WHERE;\nDELETE FROM "my-music" WHERE pk = 'artist#0' AND sk = 3`;
  const page = await open(text);
  await page.getByLabel("Parameter 1: type").selectOption("N");
  await page.getByRole("textbox", { name: "Parameter 1" }).fill("98765432109876543210");
  await page.getByRole("textbox", { name: "Parameter 2" }).fill("artist#0");
  await page.getByRole("button", { name: "Run all 4" }).click();
  await page.getByRole("button", { name: "1 UPDATE my-music: done" }).waitFor();
  await page.getByRole("button", { name: "3 SELECT my-music: failed" }).waitFor();
  await page.getByRole("button", { name: "2 SELECT my-music: 1" }).click();
  await page.getByRole("gridcell", { name: "98765432109876543210" }).waitFor();
  await page.getByRole("button", { name: "4 DELETE my-music: not run" }).click();
  await page.getByText("This statement was not run").waitFor();
  assert.ok(await stored(console_, "my-music", { pk: { S: "artist#0" }, sk: { N: "3" } }), "the statement after the failed one was not sent");
  assert.match(await page.getByRole("list", { name: "Problems" }).innerText(), /line 4/);
  assert.ok((await page.locator(".cm-mark-error").count()) > 0);
  await close(page);
});

test("an error that names a place is marked there, not at the whole statement", async () => {
  const page = await open(`SELECT * FROM "my-music" WHERE pk = 'artist#1';\n\nSELECT * FROM "my-music"\n  WHERE pk = '🎵é' AND nonsense(sk) = 2`);
  await page.getByRole("button", { name: "Run all 2" }).click();
  await page.getByRole("list", { name: "Problems" }).waitFor();
  assert.match(await page.getByRole("list", { name: "Problems" }).innerText(), /line 4[\s\S]*nonsense/);
  assert.equal(await page.locator(".cm-mark-error").innerText(), "nonsense");
  await close(page);
});

test("only the selection runs, and without one the statement at the caret", async () => {
  const page = await open(`SELECT * FROM "my-music" WHERE pk = 'artist#1';\nDELETE FROM "my-music" WHERE pk = 'artist#2' AND sk = 2`);
  await editorOf(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Control+Enter");
  await results(page).getByText("100 items").waitFor();
  assert.ok(await stored(console_, "my-music", { pk: { S: "artist#2" }, sk: { N: "2" } }));
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+Enter");
  await results(page).getByText("Done").waitFor();
  assert.equal(await stored(console_, "my-music", { pk: { S: "artist#2" }, sk: { N: "2" } }), undefined);
  await close(page);
});

test("a scan says so, before and after; its pages come when somebody asks", async () => {
  const page = await open('SELECT pk, title FROM "my-music"');
  await page.getByText("reads all of my-music").waitFor();
  await page.getByLabel("Items per request").selectOption("50");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await results(page).getByText("scan", { exact: true }).waitFor();
  await results(page).getByText("so far").waitFor();
  await page.getByRole("button", { name: "Read all" }).click();
  await results(page).getByText(/^(299|300) items$/).waitFor();
  await close(page);
});

test("what was run is in the history, and a name keeps it", async () => {
  const page = await open("SELECT * FROM \"my-music\" WHERE pk = 'artist#1' AND sk = 1");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await results(page).getByText("1 item", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Statements" }).click();
  await page.getByRole("button", { name: "Save these statements" }).click();
  await page.getByLabel("Name").fill("One song");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.goto(`${console_.url}/partiql?q=x`);
  await page.getByRole("button", { name: "Statements" }).click();
  await page.getByRole("button", { name: /^One song/ }).click();
  assert.match(await textOf(page), /artist#1/);
  await page.getByRole("button", { name: "Statements" }).click();
  assert.ok((await page.locator(".menu .mono.menu-item").count()) >= 2, "recent statements");
  await close(page);
});

test("a read-only console sends SELECT and nothing else", async () => {
  const page = await open("DELETE FROM \"my-music\" WHERE pk = 'artist#0' AND sk = 6;\nSELECT * FROM \"my-music\" WHERE pk = 'artist#0' AND sk = 6");
  await page.getByRole("switch", { name: "Read-only" }).check();
  await page.getByRole("button", { name: "Run all 2" }).click();
  await page.getByText("only SELECT is sent").first().waitFor();
  assert.ok(await stored(console_, "my-music", { pk: { S: "artist#0" }, sk: { N: "6" } }));
  await editorOf(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Control+Enter");
  await results(page).getByText("1 item", { exact: true }).waitFor();
  await page.getByRole("switch", { name: "Read-only" }).uncheck();
  await close(page);
});

test("a statement is code in five forms", async () => {
  const page = await open("SELECT * FROM \"my-music\" WHERE pk = ?", `&parameters=${encodeURIComponent(JSON.stringify([{ type: "S", text: "it's" }]))}`);
  await page.getByRole("button", { name: "Code" }).click();
  const dialog = page.getByRole("dialog");
  for (const [language, part] of [["JSON", '"Statement"'], ["aws-cli", "aws dynamodb execute-statement"], ["boto3", "dynamodb.execute_statement(**request)"], ["JavaScript", "new ExecuteStatementCommand("], ["C++", "tavola::execute_statement(*db, request)"]]) {
    await dialog.getByRole("button", { name: language, exact: true }).click();
    const code = await dialog.getByLabel("Code").innerText();
    assert.ok(code.includes(part) && code.includes("it") && code.includes("my-music"), `${language}: ${code}`);
  }
  await close(page);
});

test("the editor has no serious accessibility problem, and fits a phone", async () => {
  const page = await open("SELECT * FROM \"my-music\" WHERE pk = ?;\nSELECT 1");
  await page.getByRole("button", { name: "Run all 2" }).click();
  await page.getByRole("list", { name: "Problems" }).waitFor();
  await checkAccessibility(page, "PartiQL");
  await page.setViewportSize({ width: 360, height: 760 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "nothing is wider than a phone");
  await close(page);
});
