// Two shops of tavola-inventory and what happens over months: transfers, searches, ranges of days, the archive in a folder and in a bucket.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { checkAccessibility, logIn, openAs, scratchFolder, startBrowser, startDatabase, startProgram } from "../browser/harness.mjs";

const program = process.env.PROGRAM;
const v1 = "/v1/InventorySystem";
let database;
let folder;
let inventory;
let browser;
let anna;

async function done(answer) {
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
const stockOf = async (shopId, productId) => (await done(await anna(`${v1}/getProduct?shopId=${shopId}&productId=${productId}`))).currentStock;
const daysAgo = (days) => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)}T12:00:00Z`;
const sell = async (saleId, productId, days) => done(await anna(`${v1}/recordSale`, { shopId: "s1", saleId, productId, quantity: 1, timestamp: daysAgo(days) }));

before(async () => {
  // With ENDPOINT the same tests run on a database in another process.
  database = process.env.ENDPOINT ? await startDatabase() : undefined;
  folder = scratchFolder();
  inventory = await startProgram(program, ...(database ? ["--endpoint", database.url] : ["--data", path.join(folder.path, "data")]), "--dev-login", "--currency", "EUR");
  browser = await startBrowser();
  anna = await logIn(inventory.url, "anna", ["owner"]);
  for (const [shopId, name] of [["s1", "Corner Shop"], ["s2", "Mill Lane"]]) await done(await anna(`${v1}/createShop`, { shopId, name, ownerId: "anna" }));
  const products = [["p1", "Lamp", "Light"], ["p2", "Bulb", "Light"], ["p3", "Pen", "Paper"]];
  for (const [productId, name, category] of products) await done(await anna(`${v1}/createProduct`, { shopId: "s1", productId, name, sku: `SKU-${productId}`, category, unitPrice: 10, currentStock: 50, reorderThreshold: 2 }));
});

after(async () => {
  await browser?.close();
  await inventory?.stop();
  await database?.stop();
  folder?.remove();
});

// covers INV3, INV8
test("an owner opens a further shop, and stock moves between shops as a whole or not at all", async () => {
  const page = await openAs(browser.context, inventory.url, anna, "/shops");
  await page.getByRole("button", { name: "Open a shop" }).click();
  await page.getByLabel("Name").fill("Harbour");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Edit Harbour" }).waitFor();
  await page.goto(`${inventory.url}/products`);
  await page.locator("header select").selectOption({ label: "Corner Shop" });
  const move = async (to, amount) => {
    await page.getByRole("button", { name: "Move Lamp to another shop" }).click();
    await page.getByRole("dialog").getByLabel("To the shop").selectOption({ label: to });
    await page.getByRole("dialog").getByLabel("How many").fill(amount);
    await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  };
  await move("Mill Lane", "5");
  await page.getByText("The other shop has no product with the SKU SKU-p1").waitFor();
  await checkAccessibility(page, "the form of a transfer");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await done(await anna(`${v1}/createProduct`, { shopId: "s2", productId: "q1", name: "Lamp", sku: "SKU-p1", category: "Light", unitPrice: 12, currentStock: 1 }));
  await move("Mill Lane", "51");
  await page.getByText("There are not so many in stock.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual([await stockOf("s1", "p1"), await stockOf("s2", "q1")], [50, 1]);
  await move("Mill Lane", "5");
  await page.getByText("5 × Lamp moved to Mill Lane.").waitFor();
  assert.deepEqual([await stockOf("s1", "p1"), await stockOf("s2", "q1")], [45, 6]);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// covers INV1, INV2, INV5
test("products are found by words and by category; sales and changes of stock by their days", async () => {
  await sell("today", "p1", 0);
  await sell("lastMonth", "p2", 40);
  const page = await openAs(browser.context, inventory.url, anna, "/products");
  await page.locator("header select").selectOption({ label: "Corner Shop" });
  const rows = (name) => page.getByRole("table", { name }).locator("tbody tr").count();
  await page.getByRole("cell", { name: "Pen SKU-p3" }).waitFor();
  assert.equal(await rows("Products"), 3);
  await page.getByLabel("Search").fill("ul");
  await page.getByRole("cell", { name: "Pen SKU-p3" }).waitFor({ state: "detached" });
  assert.equal(await rows("Products"), 1);
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Category").selectOption("Light");
  await page.getByRole("cell", { name: "Bulb SKU-p2" }).waitFor();
  assert.equal(await rows("Products"), 2);

  await page.goto(`${inventory.url}/history?from=${daysAgo(45).slice(0, 10)}&through=${daysAgo(35).slice(0, 10)}`);
  await page.getByRole("cell", { name: "Bulb" }).waitFor();
  assert.equal(await rows("Sales"), 1);
  await page.getByRole("button", { name: "Changes of stock" }).click();
  await page.getByRole("cell", { name: "sale" }).waitFor();
  assert.equal(await rows("Changes of stock"), 1);
  await page.goto(`${inventory.url}/history?show=stock`);
  await page.getByRole("cell", { name: "transfer" }).waitFor();
  assert.deepEqual(await page.getByRole("table", { name: "Changes of stock" }).locator("tbody tr td:nth-child(3)").allInnerTexts().then((all) => all.sort()), ["sale", "transfer"]);
  await checkAccessibility(page, "changes of stock");
  assert.deepEqual(page.problems, []);
  await page.close();
});

// covers INV6
test("old changes of stock go to a folder and to a bucket, once; sales stay", async () => {
  const buckets = path.join(folder.path, "buckets");
  const storage = await startProgram(process.env.TAVOLA, "serve", "--in-memory", "--quiet", "--buckets", buckets, "--s3-port", "0");
  const s3 = /serving buckets url=(\S+)/.exec(storage.log())[1];
  await (await fetch(`${s3}/archive`, { method: "PUT", headers: { Authorization: "AWS4-HMAC-SHA256 Credential=x/20260101/local/s3/aws4_request, SignedHeaders=host, Signature=0", "x-amz-date": "20260101T000000Z", "x-amz-content-sha256": "UNSIGNED-PAYLOAD" } })).text();
  const archives = path.join(folder.path, "archive");
  for (const [saleId, options, find] of [
    ["old1", ["--archive-to", archives], () => readdirSync(archives, { recursive: true })],
    ["old2", ["--archive-to", "s3://archive/shops", "--archive-s3-endpoint", s3], () => readdirSync(path.join(buckets, "archive"), { recursive: true })],
  ]) {
    await sell(saleId, "p3", 100);
    const transactions = async () => (await done(await anna(`${v1}/shopTransactions?shopId=s1`))).items.map((one) => one.transactionId);
    assert.ok((await transactions()).includes(saleId));
    await inventory.stop();
    inventory = await startProgram(program, ...(database ? ["--endpoint", database.url] : ["--data", path.join(folder.path, "data")]), "--dev-login", "--currency", "EUR", ...options);
    anna = await logIn(inventory.url, "anna", ["owner"]);
    for (let looks = 0; (await done(await anna("/api/retention"))).lastRun === ""; ++looks) {
      assert.ok(looks < 600, "the archive is looked after at the start");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const page = await openAs(browser.context, inventory.url, anna, "/shops");
    await page.getByText(/The archive is .*, with 1 record in 1 batch\./).waitFor();
    await page.getByText("archived after 90 days").first().waitFor();
    await page.close();
    assert.ok(!(await transactions()).includes(saleId), "it is in the archive");
    assert.ok(find().length > 0);
    const { items } = await done(await anna(`${v1}/shopSales?shopId=s1`));
    assert.ok(items.some((sale) => sale.saleId === saleId), "sales stay");
  }
  await storage.stop();
});
