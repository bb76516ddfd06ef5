// The live tail of a stream: changes as they happen, all shards in one order, pause, filter, bounded memory.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

let console_;
let browser;

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  for (const name of ["music", "many"]) await makeTable(console_, name, { pk: "S" });
  await console_.db("UpdateTable", { TableName: "many", StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } });
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
const put = (Item, TableName = "music") => console_.db("PutItem", { TableName, Item });
const rows = (page) => page.getByRole("region", { name: "Changes" }).getByRole("listitem");
const shown = (page) => page.getByRole("region", { name: "The change" });

test("from the empty state to changes as they happen, with what each changed", async () => {
  const page = await open("/t/music");
  await page.getByRole("link", { name: "Stream" }).click();
  await page.getByRole("heading", { name: "This table has no stream" }).waitFor();
  await page.getByRole("button", { name: "Switch the stream on" }).click();
  await page.getByText("Listening · 0 changes").waitFor();
  await put({ pk: { S: "a" }, n: { N: "12345678901234567890" }, text: { S: "<script>alert(1)</script>" } });
  await put({ pk: { S: "a" }, n: { N: "12345678901234567891" }, text: { S: "<script>alert(1)</script>" } });
  await console_.db("DeleteItem", { TableName: "music", Key: { pk: { S: "a" } } });
  await page.getByText("Listening · 3 changes").waitFor();
  assert.deepEqual((await rows(page).allInnerTexts()).map((text) => /Created|Changed|Deleted/.exec(text)[0]), ["Deleted", "Changed", "Created"]);
  // The keyboard alone.
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await shown(page).getByText("12345678901234567890", { exact: true }).waitFor();
  await shown(page).getByText("12345678901234567891", { exact: true }).waitFor();
  await page.keyboard.press("j");
  await shown(page).getByText("<script>alert(1)</script>").waitFor();
  await page.getByLabel("Kind of change").selectOption("MODIFY");
  await page.getByText("1 fits the filter").waitFor();
  await page.getByLabel("Kind of change").selectOption("");
  await page.getByLabel("Text in keys and attributes").fill("67891");
  await page.getByText("2 fit the filter").waitFor();
  await page.getByLabel("Text in keys and attributes").fill("");

  // A paused tail misses nothing.
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: what happens meanwhile comes when it goes on · 3 changes").waitFor();
  await put({ pk: { S: "later" } });
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("Listening · 4 changes").waitFor();
  assert.match(await rows(page).first().innerText(), /^later/);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Changes show here as they happen.").waitFor();
  await console_.db("UpdateTable", { TableName: "music", StreamSpecification: { StreamEnabled: false } });
  await page.getByText("The stream was switched off").waitFor();
  await close(page);
});

test("the last day: all shards in the order of the writes", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `song-${at}`);
  for (const name of names) await put({ pk: { S: name } }, "many");
  const stream = (await console_.db("DescribeTable", { TableName: "many" })).Table.LatestStreamArn;
  assert.equal((await console_.db("DescribeStream", { StreamArn: stream })).StreamDescription.Shards.length, 4);
  const page = await open("/t/many/stream");
  await page.getByText("Listening · 0 changes").waitFor();
  await page.getByRole("button", { name: "The last day" }).click();
  await page.getByText("Listening · 40 changes").waitFor();
  assert.deepEqual((await rows(page).allInnerTexts()).map((text) => text.split("\n")[0]), names.toReversed());
  await rows(page).first().getByRole("button").click();
  await shown(page).getByText("The stream shows keys only.").waitFor();
  await close(page);
});

test("many changes: the newest are kept, and fewer are shown", async () => {
  const page = await open("/t/many/stream");
  await page.getByText("Listening · 0 changes").waitFor();
  for (let at = 0; at < 1250; at += 25) {
    await console_.db("BatchWriteItem", { RequestItems: { many: Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: { pk: { S: `many-${at + i}` } } } })) } });
  }
  await page.getByText("Listening · 1,250 changes, the last 1,000 are kept, 200 are shown").waitFor();
  assert.equal(await rows(page).count(), 200);
  assert.match(await rows(page).first().innerText(), /^many-1249/);
  await close(page);
});

test("a tail whose first request fails begins when it is asked again", async () => {
  const page = await open("/t/many");
  await page.route("**/db", (route) => (/DescribeStream/.test(route.request().headers()["x-amz-target"]) ? route.fulfill({ status: 400, contentType: "application/json", body: '{"message":"not now"}' }) : route.continue()));
  await page.getByRole("link", { name: "Stream", exact: true }).click();
  await page.getByText("not now").waitFor();
  await page.unroute("**/db");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Listening · 0 changes").waitFor();
  await put({ pk: { S: "then" } }, "many");
  await page.getByText("Listening · 1 change").waitFor();
  await close(page);
});

test("a read-only page does not switch a stream on", async () => {
  await makeTable(console_, "quiet", { pk: "S" });
  const page = await open("/t/quiet/stream");
  await page.getByRole("button", { name: "Switch the stream on" }).waitFor();
  await page.getByRole("switch", { name: "Read-only" }).check();
  await page.getByRole("button", { name: "Switch the stream on" }).waitFor({ state: "detached" });
  await page.getByRole("switch", { name: "Read-only" }).uncheck();
  await close(page);
});

const design = `design: 1
name: people
table: { name: people, hash: PK }
entities:
  Person:
    key: { PK: PERSON#<id> }
    ids: { id: string }
    attributes: { name: string, email: { type: email, sensitive: true } }
`;

test("of a governed table: entities, and sensitive values hidden until asked for", async () => {
  const folder = scratchFolder();
  writeFileSync(`${folder.path}/people.yaml`, design);
  const governed = await startConsole("--design", `${folder.path}/people.yaml`);
  await governed.db("UpdateTable", { TableName: "people", StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } });
  const person = { PK: { S: "PERSON#1" }, name: { S: "Anna" }, email: { S: "anna@example.org" } };
  await governed.db("PutItem", { TableName: "people", Item: person });
  await governed.db("PutItem", { TableName: "people", Item: { ...person, email: { S: "ann@example.org" } } });
  const page = await openPage(browser.context, governed.url, "/t/people/stream?from=oldest");
  await page.getByText("Listening · 2 changes").waitFor();
  assert.match(await rows(page).first().innerText(), /Person · email/);
  await rows(page).first().getByRole("button").click();
  await shown(page).getByLabel("What changed").getByText("email").waitFor(); // that it changed is said
  await page.getByLabel("Text in keys and attributes").fill("example.org");
  await page.getByText("0 fit the filter").waitFor();
  assert.ok(!(await page.content()).includes("ann@example.org"));
  await page.getByLabel("Text in keys and attributes").fill("");
  await page.getByRole("button", { name: "Show sensitive values" }).click();
  await shown(page).getByText("ann@example.org", { exact: true }).waitFor();
  // A change that was read while nobody could say of which entity it is shows when somebody can.
  await page.route("**/console/lens/**", (route) => route.fulfill({ status: 503, contentType: "application/json", body: '{"detail":"not now"}' }));
  await governed.db("PutItem", { TableName: "people", Item: { ...person, name: { S: "Ann" } } });
  await page.getByText("not now").waitFor();
  await page.unroute("**/console/lens/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Listening · 3 changes").waitFor();
  await close(page);
  await governed.stop();
  folder.remove();
});
