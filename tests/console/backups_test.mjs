// Backups and point-in-time recovery: made, restored, deleted; a table as it was at a time, by the slider, exactly, and with the keyboard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "music", { pk: "S" }, [{ pk: { S: "a" }, n: { N: "12345678901234567890" } }]);
  await makeTable(console_, "films", { pk: "S" }, [{ pk: { S: "a" }, x: { S: "first" } }]);
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
const isActive = async (page, name) => page.getByText(`${name} is restored: `).first().waitFor();
/** A time as browsers write it into a field. */
const typed = (milliseconds) => new Date(milliseconds).toISOString().slice(0, -1).replace(/(\.\d*?)0+$/, "$1").replace(/(:00)?\.$/, "");

test("a backup is made, restored to a new table, and deleted by typing its name", async () => {
  const page = await open("/t/music");
  await page.getByRole("link", { name: "Backups" }).last().click();
  await page.getByText("None yet.").waitFor();
  await page.getByLabel("Name of the backup").fill("no blanks!");
  await page.getByRole("button", { name: "Make a backup" }).click();
  await page.getByRole("alert").getByText("backupName").waitFor();
  await page.getByLabel("Name of the backup").fill("before-the-change");
  await page.keyboard.press("Enter");
  await page.getByText("The backup before-the-change is made").waitFor();
  await console_.db("PutItem", { TableName: "music", Item: { pk: { S: "a" }, n: { N: "1" } } });
  await page.getByRole("button", { name: "Restore before-the-change" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the new table").fill("music");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await dialog.getByText("Table already exists: music").waitFor();
  await dialog.getByLabel("Name of the new table").fill("music-then");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await isActive(page, "music-then");
  assert.deepEqual(await stored(console_, "music-then", { pk: { S: "a" } }), { pk: { S: "a" }, n: { N: "12345678901234567890" } });
  await page.getByRole("link", { name: "music-then" }).waitFor();

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Backups" }).click();
  await page.getByRole("heading", { name: "Backups" }).waitFor();
  await page.getByRole("cell", { name: "before-the-change", exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete before-the-change" }).click();
  await dialog.getByLabel("Type before-the-change to confirm").fill("before");
  assert.ok(await dialog.getByRole("button", { name: "Delete the backup" }).isDisabled());
  await dialog.getByLabel("Type before-the-change to confirm").fill("before-the-change");
  await dialog.getByRole("button", { name: "Delete the backup" }).click();
  await page.getByRole("heading", { name: "There are no backups" }).waitFor();
  assert.deepEqual((await console_.db("ListBackups", {})).BackupSummaries, []);
  await close(page);
});

test("a table is restored as it was at a time: exactly, and by the slider with the keyboard", async () => {
  const page = await open("/t/films/backups");
  await page.getByLabel("Time zone").selectOption("UTC");
  await page.getByLabel("Days").fill("7");
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByText("Every change is kept for 7 days").waitFor();
  // The first version lives from a known millisecond to another.
  const pass = () => { for (const began = Date.now(); Date.now() <= began + 1; ); };
  pass();
  const then = Date.now();
  pass();
  await console_.db("PutItem", { TableName: "films", Item: { pk: { S: "a" }, x: { S: "second" } } });
  await console_.db("PutItem", { TableName: "films", Item: { pk: { S: "b" } } });
  await page.reload();
  const exact = page.getByLabel("Exact time (UTC)");
  await exact.fill("2020-01-01T00:00:00.001");
  await page.getByText("This time is not in the period").waitFor();
  assert.ok(await page.getByRole("button", { name: "Restore" }).isDisabled());
  await exact.fill(typed(then));
  await page.getByRole("button", { name: "Restore" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name of the new table").fill("films-then");
  await dialog.getByRole("button", { name: "Restore" }).click();
  await isActive(page, "films-then");
  assert.deepEqual(await stored(console_, "films-then", { pk: { S: "a" } }), { pk: { S: "a" }, x: { S: "first" } });
  assert.equal(await stored(console_, "films-then", { pk: { S: "b" } }), undefined);

  const slider = page.getByRole("slider", { name: "Time to restore" });
  await slider.focus();
  await page.keyboard.press("PageDown");
  assert.match(await slider.getAttribute("aria-valuetext"), / ago$/);
  for (let presses = 0; presses < 30 && (await slider.getAttribute("aria-valuetext")) !== "Now"; presses++) await page.keyboard.press("PageUp");
  assert.equal(await slider.getAttribute("aria-valuetext"), "Now");
  await page.getByRole("button", { name: "Restore" }).click();
  await dialog.getByText("what films is now").waitFor();
  await dialog.getByLabel("Name of the new table").fill("films-now");
  await page.keyboard.press("Enter");
  await isActive(page, "films-now");
  assert.deepEqual(await stored(console_, "films-now", { pk: { S: "a" } }), { pk: { S: "a" }, x: { S: "second" } });

  await page.getByRole("button", { name: "Switch off" }).click();
  await dialog.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("Point-in-time recovery is off").waitFor();
  await page.getByRole("button", { name: "Switch on" }).waitFor();
  await close(page);
});

test("a read-only page changes nothing", async () => {
  await console_.db("CreateBackup", { TableName: "music", BackupName: "kept" });
  const page = await open("/t/music/backups");
  await page.getByRole("cell", { name: "kept", exact: true }).waitFor();
  await page.getByRole("switch", { name: "Read-only" }).check();
  for (const name of ["Make a backup", "Restore kept", "Delete kept", "Switch on"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  await page.getByRole("switch", { name: "Read-only" }).uncheck();
  await close(page);
});
