// Items as files: every type comes back as it was in each format, wrong lines are named, work can be stopped, and the page stays small.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;
let folder;
let features;

const everything = {
  pk: { S: "every" }, sk: { N: "1" }, text: { S: "a\nb \"c\", 'd' <script>alert(1)</script>\r\n" }, empty: { S: "" }, blank: { S: " x " }, unicode: { S: "Grüße 漢字 🎵 \u0001" },
  big: { N: "12345678901234567890" }, precise: { N: "0.1234567890123456789012345678901234567" }, small: { N: "-5" }, digits: { S: "007" }, yes: { BOOL: true }, nothing: { NULL: true },
  bytes: { B: "AP+AgQ==" }, words: { SS: ["a", "b,c", "\"<b>\""] }, numbers: { NS: ["0.1", "12345678901234567890"] }, binaries: { BS: ["//8=", "AA=="] },
  list: { L: [{ S: "x" }, { N: "98765432109876543210" }, { L: [] }, { M: {} }, { NULL: true }, { SS: ["q"] }] },
  map: { M: { "a.b": { S: "dot" }, inner: { M: { n: { N: "3.1" } } }, "[0]": { BOOL: true } } }, typed: { M: { S: { S: "not a type" } } },
  formula: { S: "=1+1" }, quoted: { S: "'=1+1" }, apostrophe: { S: "'plain" }, json: { S: "{\"N\":\"5\"}" }, "=odd,name:S": { S: "+49" },
};
const mixed = { pk: { S: "every" }, sk: { N: "2" }, text: { N: "5" }, big: { S: "5" }, list: { M: { a: { N: "1" } } }, yes: { S: "true" }, words: { S: "[\"a\"]" } };
const design = `design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
entities:
  Product:
    key: { PK: PRODUCT#<id>, SK: META }
    attributes: { id: { type: string, required: true }, name: string, price: { type: number, min: 0 }, supplier: { type: string, sensitive: true } }
`;
const product = (id, more) => ({ PK: { S: `PRODUCT#${id}` }, SK: { S: "META" }, id: { S: id }, ...more });

before(async () => {
  folder = scratchFolder();
  writeFileSync(path.join(folder.path, "shop.yaml"), design);
  [console_, browser] = await Promise.all([startConsole("--design", path.join(folder.path, "shop.yaml")), startBrowser()]);
  await makeTable(console_, "music", { pk: "S", sk: "N" }, [everything, mixed]);
  ({ features } = await (await fetch(`${console_.url}/session`)).json());
  for (const name of ["copy-csv", "copy-json", "copy-lines", "other"]) await makeTable(console_, name, { pk: "S", sk: "N" });
});

after(async () => {
  await browser?.close();
  await console_?.stop();
  folder?.remove();
});

const open = (where) => openPage(browser.context, console_.url, where);
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const sorted = (item) => JSON.parse(JSON.stringify(item), (name, value) => (["SS", "NS", "BS"].includes(name) && Array.isArray(value) ? [...value].sort() : value));
const keyOf = (sk, pk = "every") => ({ pk: { S: pk }, sk: { N: String(sk) } });
const done = (page, name) => page.getByRole("region", { name }).getByText(`${name}: Done`).waitFor();
const count = async (table) => (await console_.db("Scan", { TableName: table, Select: "COUNT" })).Count;

/** Exports what a URL says and returns the path of the file. */
async function exported(where, format, prepare = async () => {}) {
  const page = await open(where);
  await page.getByRole("button", { name: format, exact: true }).click();
  await prepare(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export", exact: true }).click()]);
  const file = path.join(folder.path, download.suggestedFilename());
  await download.saveAs(file);
  await done(page, "Export");
  await close(page);
  return file;
}
function fileOf(name, content) {
  const file = path.join(folder.path, name);
  writeFileSync(file, content);
  return file;
}
async function choose(page, file) {
  await page.getByLabel("File").setInputFiles(file);
  await page.getByRole("region", { name: "Preview" }).waitFor();
}
async function imported(page) {
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await done(page, "Import");
  return page.getByRole("region", { name: "Import" }).innerText();
}

for (const [format, table, ending] of [["CSV", "copy-csv", "csv"], ["JSON", "copy-json", "json"], ["DynamoDB JSON lines", "copy-lines", "jsonl"]]) {
  test(`${format}: every type comes back as it was`, async () => {
    const file = await exported("/t/music/export", format);
    assert.match(file, new RegExp(`music\\.${ending}$`));
    const page = await open(`/t/${table}/import`);
    await choose(page, file);
    assert.match(await imported(page), /2 written/);
    for (const item of [everything, mixed]) assert.deepEqual(sorted(await stored(console_, table, keyOf(item.sk.N))), sorted(await stored(console_, "music", keyOf(item.sk.N))));
    await close(page);
  });
}

test("a CSV for other programs: no types, texts that a spreadsheet would run are guarded or not", async () => {
  const names = await exported("/t/music/export", "CSV", (page) => page.getByRole("checkbox", { name: "Types in the header" }).uncheck());
  const text = readFileSync(names, "utf8");
  assert.match(text.split("\n")[0], /^pk,sk,/);
  assert.match(text, /"'=odd,name:S"/);
  assert.match(text, /,'=1\+1,/);
  assert.match(text, /,''=1\+1,/);
  assert.match(text, /,'plain,/);
  assert.match(text, /,-5,/, "a number is no formula");
  const plain = readFileSync(await exported("/t/music/export", "CSV", (page) => page.getByRole("checkbox", { name: "Safe for spreadsheets" }).uncheck()), "utf8");
  assert.match(plain, /,=1\+1,/);
});

test("the types of another program's CSV are guessed, corrected, tried and written; wrong lines are named", async () => {
  await console_.db("PutItem", { TableName: "other", Item: { ...keyOf(1, "a"), old: { BOOL: true } } });
  const csv = "\uFEFFpk;sk;price;zip;live;tags;note\r\na;1;1.50;01234;true;\"[\"\"x\"\"]\";\"two\nlines\"\r\nb;2;12345678901234567890;99999;false;\"[\"\"y\"\",\"\"z\"\"]\";\r\nc;x;1;1;true;[];no number\r\nd;4;1\r\n;5;1;1;true;\"[\"\"q\"\"]\";no key\r\ne;6;7;1;true;\"[\"\"u\"\"]\";\"\"\r\n";
  const page = await open("/t/other/import");
  await choose(page, fileOf("other.csv", csv));
  const type = (name) => page.getByLabel(`Type of ${name}`).inputValue();
  assert.deepEqual(await Promise.all(["pk", "sk", "price", "zip", "live", "tags", "note"].map(type)), ["S", "N", "N", "S", "BOOL", "L", "S"]);
  await page.getByLabel("Type of tags").selectOption("SS");
  await page.getByRole("button", { name: "Dry run" }).click();
  await done(page, "Dry run");
  const tried = await page.getByRole("region", { name: "Dry run" }).innerText();
  assert.match(tried, /2 new/);
  assert.match(tried, /1 would replace an item/);
  assert.match(tried, /3 failed/);
  assert.equal(await count("other"), 1, "a dry run writes nothing");
  assert.match(await imported(page), /3 written/);
  const report = await page.getByRole("table", { name: "What was not done" }).innerText();
  assert.match(report, /line 5\s+Wrong\s+sk: “x” is not a number/);
  assert.match(report, /line 6\s+Wrong\s+the line has 3 fields, and the header 7/);
  assert.match(report, /line 7\s+Wrong\s+pk is missing/);
  assert.deepEqual(sorted(await stored(console_, "other", keyOf(1, "a"))), { ...keyOf(1, "a"), price: { N: "1.5" }, zip: { S: "01234" }, live: { BOOL: true }, tags: { SS: ["x"] }, note: { S: "two\nlines" } });
  assert.deepEqual(sorted(await stored(console_, "other", keyOf(2, "b"))), { ...keyOf(2, "b"), price: { N: "12345678901234567890" }, zip: { S: "99999" }, live: { BOOL: false }, tags: { SS: ["y", "z"] } });
  assert.equal((await stored(console_, "other", keyOf(6, "e"))).note.S, "");
  await close(page);
});

test("a CSV of `tavola dump` is read: its nested values say their types", async () => {
  const page = await open("/t/other/import");
  await choose(page, fileOf("dump.csv", `pk,sk,b,m,t\nd,1,AP8=,"{""M"":{""x"":{""NS"":[""1""]}}}","{""SS"":[""x"",""y""]}"\nd,2,,,\n`));
  await page.getByLabel("Type of b").selectOption("B");
  assert.match(await imported(page), /2 written/);
  assert.deepEqual(sorted(await stored(console_, "other", keyOf(1, "d"))), { ...keyOf(1, "d"), b: { B: "AP8=" }, m: { M: { x: { NS: ["1"] } } }, t: { SS: ["x", "y"] } });
  await close(page);
});

test("an export clears what others have left in the browser's storage, and needs none", async () => {
  for (let time = 0; time < 2; time++) await exported("/t/music/export", "JSON");
  const page = await open("/t/music/export?format=json");
  const files = () => page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("spools");
    return (await Array.fromAsync(folder.keys())).length;
  });
  assert.equal(await files(), 1, "the file of the last export, whose page is closed");
  // Without private files, as on another machine without TLS, the file is a blob.
  await page.evaluate(() => delete StorageManager.prototype.getDirectory);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export", exact: true }).click()]);
  await download.saveAs(path.join(folder.path, "blob.json"));
  assert.equal(JSON.parse(readFileSync(path.join(folder.path, "blob.json"), "utf8")).length, 2);
  await close(page);
});

test("a read-only page tries a file and writes nothing", async () => {
  const page = await open("/t/other/import");
  await page.getByRole("switch", { name: "Read-only" }).check();
  await choose(page, fileOf("tried.jsonl", `{"pk": "never", "sk": 1}\n`));
  assert.ok(await page.getByRole("button", { name: "Import", exact: true }).isDisabled());
  await page.getByRole("button", { name: "Dry run" }).click();
  await done(page, "Dry run");
  assert.equal(await stored(console_, "other", keyOf(1, "never")), undefined);
  await page.getByRole("switch", { name: "Read-only" }).uncheck();
  await close(page);
});

test("JSON in every form is read; items that are there may stay", async () => {
  const page = await open("/t/other/import");
  const take = async (name, content) => {
    await choose(page, fileOf(name, content));
    return imported(page);
  };
  await take("list.json", `[\n  {"pk": "j", "sk": 1, "n": 0.1000000000000000055511151231257827, "o": {"a": [1, null]}},\n  {"pk": "j", "sk": 2}\n]`);
  assert.deepEqual(await stored(console_, "other", keyOf(1, "j")), { ...keyOf(1, "j"), n: { N: "0.1000000000000000055511151231257827" }, o: { M: { a: { L: [{ N: "1" }, { NULL: true }] } } } });
  await take("typed.jsonl", `{"Item": {"pk": {"S": "j"}, "sk": {"N": "3"}, "t": {"SS": ["a"]}}}\n\n{"Item": {"pk": {"S": "j"}, "sk": {"N": "4"}`);
  assert.match(await page.getByRole("table", { name: "What was not done" }).innerText(), /line 3\s+Wrong\s+column \d+: /);
  assert.deepEqual((await stored(console_, "other", keyOf(3, "j"))).t, { SS: ["a"] });
  await page.getByRole("button", { name: "Leave them as they are" }).click();
  const report = await take("again.jsonl", `{"pk": "j", "sk": 1, "changed": true}\n{"pk": "j", "sk": 5}\n`);
  assert.match(report, /1 written/);
  assert.match(await page.getByRole("table", { name: "What was not done" }).innerText(), /line 1\s+Already there/);
  assert.equal((await stored(console_, "other", keyOf(1, "j"))).changed, undefined);
  // The last of several items with the same key stays.
  await page.getByRole("button", { name: "Replace them" }).click();
  await take("twice.jsonl", Array.from({ length: 60 }, (_, at) => `{"pk": "same", "sk": 1, "at": ${at}}\n`).join(""));
  assert.equal((await stored(console_, "other", keyOf(1, "same"))).at.N, "59");
  await close(page);
});

test("a governed table refuses in words, item by item; sensitive values are exported on request", async () => {
  const lines = Array.from({ length: 30 }, (_, at) => JSON.stringify({ Item: product(`p${at}`, { name: { S: "Lamp" }, price: { N: String(at === 7 ? -1 : at) }, supplier: { S: "Secret Ltd" } }) }));
  const page = await open("/t/shop/import");
  await choose(page, fileOf("shop.jsonl", `${lines.join("\n")}\n`));
  assert.match(await imported(page), /29 written[\s\S]*1 failed/);
  assert.match(await page.getByRole("table", { name: "What was not done" }).innerText(), /line 8\s+Refused\s+.*price/);
  await close(page);
  if (!features.includes("lenses")) return; // then no view knows what is sensitive
  const masked = readFileSync(await exported("/t/shop/export", "JSON"), "utf8");
  assert.equal(JSON.parse(masked).length, 29);
  assert.ok(!masked.includes("Secret"), "a sensitive value is in the file");
  assert.ok(readFileSync(await exported("/t/shop/export", "JSON", (view) => view.getByRole("checkbox", { name: "With sensitive values" }).check()), "utf8").includes("Secret Ltd"));
});

test("chosen rows and a question are exported, with the keyboard alone", async () => {
  const page = await open("/t/music/items");
  await page.getByRole("gridcell", { name: "every" }).first().waitFor();
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+a");
  await page.getByText("2 rows chosen").waitFor();
  await page.getByRole("checkbox", { name: "Choose all rows that were read" }).click();
  await page.getByText("2 rows chosen").waitFor({ state: "detached" });
  await page.getByRole("grid").focus();
  await page.keyboard.press("Space");
  await page.getByText("1 row chosen").waitFor();
  await page.getByRole("group", { name: "Chosen rows" }).getByRole("link", { name: "Export" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Writes the 1 chosen item to a file").waitFor();
  await page.getByRole("button", { name: "JSON", exact: true }).focus();
  await page.keyboard.press("Space");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+Enter")]);
  await download.saveAs(path.join(folder.path, "chosen.json"));
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder.path, "chosen.json"), "utf8")).map((item) => item.sk), [2]);
  await page.reload();
  await page.getByText("Writes the 1 chosen item to a file").waitFor(); // the choice stays
  await close(page);
  const file = await exported(`/t/music/export?pk=every&sk=${encodeURIComponent('["=","1"]')}&column=sk&column=yes`, "CSV");
  assert.equal(readFileSync(file, "utf8"), "sk:N',yes:BOOL'\n1,true\n");
});

test("many items: the page stays small, and the work can be stopped", async () => {
  const total = process.env.LONG ? 100_000 : 5000;
  await makeTable(console_, "long", { pk: "S", sk: "N" });
  const lines = Array.from({ length: total }, (_, at) => `{"Item":{"pk":{"S":"p${at % 50}"},"sk":{"N":"${at}"},"title":{"S":"Item ${at} ${"x".repeat(200)}"}}}\n`);
  const file = fileOf("long.jsonl", lines.join(""));
  const page = await open("/t/long/import");
  const devtools = await browser.context.newCDPSession(page);
  await devtools.send("HeapProfiler.enable");
  const usedBytes = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize;
  };
  await choose(page, file);
  const before = await usedBytes();
  // The twentieth batch waits until somebody has pressed the button, so that the work is in its middle.
  let [batches, release] = [0, undefined];
  const stopped = new Promise((resolve) => (release = resolve));
  await page.route("**/db", async (route) => {
    if (route.request().headers()["x-amz-target"]?.endsWith("BatchWriteItem") && ++batches >= 20) await stopped;
    await route.continue();
  });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText(/[1-9]\d* written/).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  release();
  await page.getByText("Import: Stopped").waitFor();
  await page.unroute("**/db");
  const part = await count("long");
  assert.ok(part > 0 && part < total, `${part} items are there`);
  // The work goes on while somebody looks at another view, which hears of its end.
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("link", { name: "Back to the items" }).click();
  await page.getByText("Work on many items is done").waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "Show", exact: true }).click();
  assert.match(await page.getByRole("region", { name: "Import" }).innerText(), new RegExp(`${total.toLocaleString("en-GB")} written`));
  const grown = (await usedBytes()) - before;
  assert.ok(grown < 8 * 1024 * 1024, `the import left ${grown} bytes`);
  await page.getByRole("link", { name: "Back to the items" }).click();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("link", { name: "Export what this request finds" }).click();
  await page.getByRole("button", { name: "DynamoDB JSON lines" }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export", exact: true }).click()]);
  await download.saveAs(path.join(folder.path, "long-out.jsonl"));
  const back = readFileSync(path.join(folder.path, "long-out.jsonl"), "utf8").trim().split("\n");
  assert.equal(back.length, total);
  assert.deepEqual(new Set(back.map((line) => JSON.parse(line).Item.sk.N)).size, total);
  assert.ok((await usedBytes()) - before < 8 * 1024 * 1024, "the export left much");
  await close(page);
});
