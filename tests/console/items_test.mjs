// The editor of items: every type stays what it is, two people do not overwrite each other, and everything can be undone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

let console_;
let browser;

// 16 × 16 pixels, one red.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const everything = {
  pk: { S: "every" }, sk: { N: "1" },
  text: { S: "a\nb \"c\" <script>alert(1)</script>" }, empty: { S: "" },
  big: { N: "12345678901234567890" }, precise: { N: "0.1234567890123456789012345678901234567" }, tiny: { N: "-0.000000000000000000015" },
  yes: { BOOL: true }, no: { BOOL: false }, nothing: { NULL: true },
  bytes: { B: "AP+AgQ==" }, picture: { B: picture },
  words: { SS: ["a", "b,c", "<b>"] }, numbers: { NS: ["12345678901234567890", "0.1"] }, binaries: { BS: ["AA==", "//8="] },
  list: { L: [{ S: "x" }, { N: "98765432109876543210" }, { L: [] }, { M: {} }] },
  map: { M: { "a.b": { S: "dot" }, inner: { M: { n: { N: "3.10" } } }, "[0]": { BOOL: true } } },
  __proto: { S: "p" },
};

before(async () => {
  [console_, browser] = await Promise.all([startConsole(), startBrowser()]);
  await makeTable(console_, "music", { pk: "S", sk: "N" }, [everything]);
});

after(async () => {
  await browser?.close();
  await console_?.stop();
});

const keyOf = (pk, sk) => ({ pk: { S: pk }, sk: { N: sk } });
const itemAt = (pk, sk, view = "item") => `/t/music/${view}?key=${encodeURIComponent(JSON.stringify(keyOf(pk, sk)))}`;
const put = (Item) => console_.db("PutItem", { TableName: "music", Item });
const open = (where) => openPage(browser.context, console_.url, where);
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const save = async (page, said) => {
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(said).first().waitFor();
};
// Sets come back in the database's order.
const sorted = (item) => JSON.parse(JSON.stringify(item), (name, value) => (["SS", "NS", "BS"].includes(name) ? [...value].sort() : value));
const same = (item, expected) => assert.deepEqual(sorted(item), sorted(expected));

test("an edit of one attribute leaves every other type as it is, to the last digit", async () => {
  const before = await stored(console_, "music", keyOf("every", "1"));
  const page = await open(itemAt("every", "1"));
  await page.getByLabel("yes", { exact: true }).uncheck();
  const changes = page.getByRole("complementary", { name: "Changes" });
  await changes.getByText("1 attribute").waitFor();
  await changes.getByText("The request: UpdateItem").click();
  await changes.getByRole("button", { name: "JSON" }).click();
  const request = JSON.parse(await changes.getByLabel("Code").innerText());
  assert.equal(request.UpdateExpression, "SET #yes = :new_yes");
  assert.match(request.ConditionExpression, /#yes = :yes/);
  for (const [language, part] of [["aws-cli", "aws dynamodb update-item"], ["boto3", "dynamodb.update_item("], ["JavaScript", "new UpdateItemCommand(input)"], ["C++", "table.update("]]) {
    await changes.getByRole("button", { name: language, exact: true }).click();
    assert.ok((await changes.getByLabel("Code").innerText()).includes(part), language);
  }
  await save(page, "Changed every · 1");
  same(await stored(console_, "music", keyOf("every", "1")), { ...before, yes: { BOOL: false } });
  // The inverse brings it back.
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Undone: Changed every · 1").waitFor();
  same(await stored(console_, "music", keyOf("every", "1")), before);
  await close(page);
});

test("every type is edited in the form", async () => {
  await put({ ...everything, ...keyOf("form", "1") });
  const page = await open(itemAt("form", "1"));
  await page.getByLabel("big", { exact: true }).fill("99999999999999999999999999999999999998");
  await page.getByLabel("text", { exact: true }).fill("<img src=x onerror=alert(1)>");
  await page.getByLabel("bytes", { exact: true }).fill("0x00ff10");
  await page.getByLabel("words[1]", { exact: true }).fill("changed");
  await page.getByRole("button", { name: "Add: element of numbers" }).click();
  await page.keyboard.type("7"); // the new field has the focus
  await page.getByLabel("list[0]: move down").click();
  await page.getByLabel("map.inner.n", { exact: true }).fill("4");
  await page.getByLabel('map."a.b": remove').click();
  await page.getByLabel("nothing: type").selectOption("BOOL");
  await page.getByRole("button", { name: "Add: attribute" }).click();
  await page.keyboard.type("added");
  await page.getByLabel("added: type").selectOption("N");
  await page.getByLabel("added", { exact: true }).fill("12345678901234567890.5");
  await page.getByLabel("empty: remove").click();
  await save(page, "Changed form · 1");
  const { empty: _, ...rest } = everything;
  same(await stored(console_, "music", keyOf("form", "1")), {
    ...rest, ...keyOf("form", "1"), big: { N: "99999999999999999999999999999999999998" }, text: { S: "<img src=x onerror=alert(1)>" }, bytes: { B: "AP8Q" },
    words: { SS: ["changed", "b,c", "<b>"] }, numbers: { NS: ["12345678901234567890", "0.1", "7"] }, nothing: { BOOL: true }, added: { N: "12345678901234567890.5" },
    list: { L: [{ N: "98765432109876543210" }, { S: "x" }, { L: [] }, { M: {} }] }, map: { M: { inner: { M: { n: { N: "4" } } }, "[0]": { BOOL: true } } },
  });
  await close(page);
});

test("what cannot be written is said at its field, and nothing is sent", async () => {
  await put({ ...keyOf("wrong", "1"), n: { N: "1" }, s: { SS: ["a", "b"] }, b: { B: "AA==" } });
  const page = await open(itemAt("wrong", "1"));
  const problem = async (label, text, words) => {
    const field = page.getByLabel(label, { exact: true });
    const before = await field.inputValue();
    await field.fill(text);
    await page.getByText(words).waitFor();
    assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
    await field.fill(before);
  };
  await problem("n", "1,5", "“1,5” is not a number");
  await problem("n", "1".repeat(39), "39 digits");
  await problem("n", "1e126", "1E-130 to 9.99E+125");
  await problem("s[1]", "a", "This element is there twice");
  await problem("b", "0xabc", "Hexadecimal bytes have two digits each");
  await close(page);
});

test("the draft is edited as JSON, too; what is no item is said with its line", async () => {
  await put({ ...keyOf("json", "1"), n: { N: "1" } });
  const page = await open(itemAt("json", "1"));
  await page.getByLabel("n", { exact: true }).fill("12345678901234567890123");
  await page.getByRole("button", { name: "DynamoDB JSON" }).click();
  const text = page.getByLabel("The item as DynamoDB JSON");
  assert.deepEqual(JSON.parse(await text.inputValue()).n, { N: "12345678901234567890123" });
  await text.fill('{"pk": {"S": "json"},\n "sk": {"N": "1"},\n "n": {"N": 98765432109876543210.1},\n "m": {"M": {"a": {"NS": ["1", 2]}}}');
  await page.getByText(/^Line 4, column \d+: a comma or } is expected/).waitFor();
  await text.fill('{"pk": {"S": "json"}, "sk": {"N": "1"}, "n": {"X": "1"}}');
  await page.getByText(/^n: a value is written with its type/).waitFor();
  await text.fill('{"pk": {"S": "other"}, "sk": {"N": "1"}}');
  await page.getByText("pk is in the key of the item, which stays").waitFor();
  await text.fill('{"pk": {"S": "json"}, "sk": {"N": "1"}, "n": {"N": 98765432109876543210.1}, "m": {"M": {"a": {"NS": ["1", 2]}}}}');
  await page.getByRole("button", { name: "Form" }).click();
  assert.equal(await page.getByLabel("m.a[1]", { exact: true }).inputValue(), "2");
  await save(page, "Changed json · 1");
  same(await stored(console_, "music", keyOf("json", "1")), { ...keyOf("json", "1"), n: { N: "98765432109876543210.1" }, m: { M: { a: { NS: ["1", "2"] } } } });
  await close(page);
});

test("two editors collide: the change of the other one is shown and not overwritten", async () => {
  await put({ ...keyOf("two", "1"), price: { N: "1" }, name: { S: "Lamp" }, stock: { N: "5" } });
  const [anna, ben] = [await open(itemAt("two", "1")), await open(itemAt("two", "1"))];
  await anna.getByLabel("price", { exact: true }).fill("2");
  await anna.getByLabel("name", { exact: true }).fill("Big lamp");
  await ben.getByLabel("price", { exact: true }).fill("3");
  await ben.getByLabel("stock", { exact: true }).fill("4");
  await save(ben, "Changed two · 1");
  await anna.getByRole("button", { name: "Save" }).click();
  const conflict = anna.getByRole("region", { name: "Conflict" });
  await conflict.getByText("Somebody changed this item").waitFor();
  const price = conflict.getByRole("group", { name: "price" });
  assert.match(await price.innerText(), /As it was read\s+1\s+Theirs, stored now\s+3\s+Yours\s+2/);
  assert.match(await conflict.getByLabel("Their other changes").innerText(), /stock[\s\S]*5[\s\S]*4/);
  same(await stored(console_, "music", keyOf("two", "1")), { ...keyOf("two", "1"), price: { N: "3" }, name: { S: "Lamp" }, stock: { N: "4" } });
  await checkAccessibility(anna, "a conflict");
  await price.getByLabel("Yours").check();
  await conflict.getByRole("button", { name: "Go on with this choice" }).click();
  await save(anna, "Changed two · 1");
  same(await stored(console_, "music", keyOf("two", "1")), { ...keyOf("two", "1"), price: { N: "2" }, name: { S: "Big lamp" }, stock: { N: "4" } });
  // Ben's undo would take back what Anna has written since: it is refused.
  await ben.getByRole("button", { name: "Undo last change" }).click();
  await ben.getByText("Not undone: Somebody changed the item after this page wrote it").waitFor();
  await close(anna);
  await close(ben);
});

test("changes of different attributes both stay", async () => {
  await put({ ...keyOf("both", "1"), a: { N: "1" }, m: { M: { x: { N: "1" }, y: { N: "1" } } } });
  const [anna, ben] = [await open(itemAt("both", "1")), await open(itemAt("both", "1"))];
  await anna.getByLabel("m.x", { exact: true }).fill("2");
  await ben.getByLabel("m.y", { exact: true }).fill("3");
  await save(ben, "Changed both · 1");
  await save(anna, "Changed both · 1");
  await anna.getByText("These are also different now").waitFor();
  same(await stored(console_, "music", keyOf("both", "1")), { ...keyOf("both", "1"), a: { N: "1" }, m: { M: { x: { N: "2" }, y: { N: "3" } } } });
  await close(anna);
  await close(ben);
});

test("what somebody types while an item is saved stays, and is the next change", async () => {
  await put({ ...keyOf("typed", "1"), a: { S: "old" }, b: { S: "old" } });
  const page = await open(itemAt("typed", "1"));
  let letThrough;
  const isHeld = new Promise((resume) => (letThrough = resume));
  await page.route("**/db", async (route) => {
    if (/UpdateItem/.test(route.request().headers()["x-amz-target"])) await isHeld;
    await route.continue();
  });
  await page.getByLabel("a", { exact: true }).fill("new");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("b", { exact: true }).fill("typed meanwhile");
  letThrough();
  await page.getByText("Changed typed · 1").first().waitFor();
  await page.getByRole("complementary", { name: "Changes" }).getByText("1 attribute").waitFor();
  assert.equal(await page.getByLabel("b", { exact: true }).inputValue(), "typed meanwhile");
  same(await stored(console_, "music", keyOf("typed", "1")), { ...keyOf("typed", "1"), a: { S: "new" }, b: { S: "old" } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("What you change shows here").waitFor();
  same(await stored(console_, "music", keyOf("typed", "1")), { ...keyOf("typed", "1"), a: { S: "new" }, b: { S: "typed meanwhile" } });
  await close(page);
});

test("a new item, a copy and a deletion; each can be undone; keys of items stay", async () => {
  const page = await open("/t/music/items");
  await page.getByRole("link", { name: "New item" }).click();
  await page.getByText("The item can be written as soon as its key is there").waitFor();
  assert.equal(await page.locator("[aria-invalid]").count(), 0, "nothing is wrong before somebody has typed");
  assert.ok(await page.getByRole("button", { name: "Create the item" }).isDisabled());
  await page.getByLabel("pk", { exact: true }).fill("new");
  await page.getByLabel("sk", { exact: true }).fill("7");
  await page.getByRole("button", { name: "Create the item" }).click();
  await page.getByRole("heading", { name: "new · 7" }).waitFor();
  same(await stored(console_, "music", keyOf("new", "7")), keyOf("new", "7"));
  assert.equal(await page.getByLabel("pk", { exact: true }).getAttribute("readonly"), "");
  await page.getByRole("link", { name: "Duplicate" }).click();
  await page.getByRole("heading", { name: "New item" }).waitFor();
  await page.getByRole("button", { name: "Create the item" }).click(); // under the same key
  await page.getByText("There is already an item with this key").waitFor();
  same(await stored(console_, "music", keyOf("new", "7")), keyOf("new", "7"));
  await page.getByLabel("sk", { exact: true }).fill("8");
  await page.getByRole("button", { name: "Create the item" }).click();
  await page.getByRole("heading", { name: "new · 8" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Deleted new · 8").waitFor();
  assert.equal(await stored(console_, "music", keyOf("new", "8")), undefined);
  await page.locator(".toast", { hasText: "Deleted new · 8" }).getByRole("button", { name: "Undo" }).click();
  await page.getByText("Undone: Deleted new · 8").waitFor();
  same(await stored(console_, "music", keyOf("new", "8")), keyOf("new", "8"));
  await close(page);
});

test("an item is found, opened, changed and saved with the keyboard alone", async () => {
  await put({ ...keyOf("keys", "1"), title: { S: "Before" } });
  const page = await open("/t/music/items");
  await page.locator(".grid-row").nth(1).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("keys");
  await page.keyboard.press("Control+Enter");
  await page.getByText("1 item", { exact: true }).waitFor();
  const tabTo = async (locator) => {
    for (let at = 0; at < 80; at++) {
      if (await locator.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail("the keyboard does not reach it");
  };
  await tabTo(page.getByRole("grid"));
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "Item" }).waitFor();
  await tabTo(page.getByRole("link", { name: "Open" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "keys · 1" }).waitFor();
  await tabTo(page.getByLabel("title", { exact: true }));
  await page.keyboard.press("Control+A");
  await page.keyboard.type("After");
  await page.keyboard.press("Control+S");
  await page.getByText("Changed keys · 1").waitFor();
  assert.deepEqual((await stored(console_, "music", keyOf("keys", "1"))).title, { S: "After" });
  await close(page);
});

test("text that looks like a page stays text, in every view", async () => {
  const evil = "<script>globalThis.hacked = true</script><img src=x onerror='globalThis.hacked = true'>";
  await put({ pk: { S: evil }, sk: { N: "1" }, [evil]: { M: { [evil]: { S: evil } } } });
  const page = await open(`/t/music/item?key=${encodeURIComponent(JSON.stringify({ pk: { S: evil }, sk: { N: "1" } }))}`);
  await page.getByRole("heading", { name: /<script>/ }).waitFor();
  await page.goto(`${console_.url}/t/music/items?pk=${encodeURIComponent(evil)}`);
  await page.getByRole("gridcell", { name: evil, exact: true }).click();
  await page.getByRole("complementary", { name: "Item" }).getByText(evil, { exact: true }).first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await close(page);
});

test("binary shows its picture, and changes its form without changing its bytes", async () => {
  const page = await open(itemAt("every", "1"));
  await page.getByRole("img", { name: "Picture: png, 1 × 1" }).waitFor();
  const group = page.getByRole("group", { name: "bytes: binary" });
  await group.getByRole("button", { name: "hex" }).click();
  assert.equal(await page.getByLabel("bytes", { exact: true }).inputValue(), "0x00ff8081");
  await page.getByText("What you change shows here").waitFor(); // it is the same value
  const download = page.waitForEvent("download");
  await page.getByRole("group", { name: "picture: binary" }).getByRole("button", { name: "Download" }).click();
  assert.equal((await download).suggestedFilename(), "picture.png");
  await group.locator("input[type=file]").setInputFiles({ name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from([1, 2, 3]) });
  await page.getByText("1 attribute").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await close(page);
});

test("the editor has no serious accessibility problem", async () => {
  const page = await open(itemAt("every", "1"));
  await page.getByLabel("big", { exact: true }).fill("x");
  await checkAccessibility(page, "an item");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "DynamoDB JSON" }).click();
  await checkAccessibility(page, "an item as JSON");
  await close(page);
});
