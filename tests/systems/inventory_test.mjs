// tavola-inventory from the outside: a real process, a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { checkAccessibility, issuerOf, logIn, openAs, openPage, startBrowser, startDatabase, startProgram } from "../browser/harness.mjs";

const program = process.env.PROGRAM;
let database;
let inventory;
let browser;
let anna;

const v1 = "/v1/InventorySystem";
async function done(answer) {
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

before(async () => {
  // With ENDPOINT the same tests run on a database in another process.
  const startInventory = async () => {
    database = process.env.ENDPOINT ? await startDatabase() : undefined;
    const where = database ? ["--endpoint", database.url] : ["--in-memory"];
    return startProgram(program, ...where, "--dev-login", "--currency", "EUR");
  };
  [inventory, browser] = await Promise.all([startInventory(), startBrowser()]);
  anna = await logIn(inventory.url, "anna", ["owner"]);
  await done(await anna(`${v1}/createShop`, { shopId: "s1", name: "Corner Shop", ownerId: "anna", notificationEmail: "alerts@example.com" }));
  const lamp = { shopId: "s1", productId: "p1", name: "Lamp", sku: "SKU-001", category: "Light", unitPrice: 29.99, currentStock: 10, reorderThreshold: 3 };
  await done(await anna(`${v1}/createProduct`, lamp));
  await done(await anna(`${v1}/createProduct`, { ...lamp, productId: "p2", name: "Bulb", sku: "SKU-002", unitPrice: 3.5, currentStock: 4, reorderThreshold: 5 }));
});

after(async () => {
  await browser?.close();
  await inventory?.stop();
  await database?.stop();
});

const sessions = new Map();

/** Opens a page of the application as somebody, who keeps one session for all tests. */
async function openFor(user, groups, where) {
  const name = [user, ...groups].join();
  if (!sessions.has(name)) sessions.set(name, logIn(inventory.url, user, groups));
  return openAs(browser.context, inventory.url, await sessions.get(name), where);
}
const openAsStaff = (where) => openFor("ben", ["staff", "shop:s1"], where);
const openAsOwner = (where) => openFor("anna", ["owner"], where);

/** Opens the till with its products: it can be used without a network from now on. */
async function openTill() {
  const page = await openAsStaff("/sell");
  await page.locator("option", { hasText: "Corner Shop" }).waitFor({ state: "attached" });
  return page;
}

const stockOf = async (productId) => (await done(await anna(`${v1}/getProduct?shopId=s1&productId=${productId}`))).currentStock;

// covers INV3, INV9
test("a sale is recorded with the keyboard alone, and the dashboard shows it", async () => {
  await browser.context.clearCookies();
  const page = await openPage(browser.context, inventory.url, "/sell", [issuerOf(inventory)]);
  await page.getByRole("link", { name: "Log in" }).press("Enter");
  await page.getByLabel("Somebody else").fill("ben");
  await page.getByLabel("Groups").fill("staff, shop:s1");
  await page.keyboard.press("Enter");
  await page.getByLabel("SKU or barcode").waitFor();
  await page.keyboard.type("sku-001");
  await page.keyboard.press("Enter");
  await page.getByLabel("Quantity").waitFor();
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await page.getByText("recorded", { exact: true }).waitFor();
  assert.equal(await stockOf("p1"), 8);
  await page.goto(inventory.url);
  const today = page.locator(".figure", { hasText: "Today" });
  await today.getByText("€59.98", { exact: true }).waitFor();
  assert.match(await today.innerText(), /1 sale · €59\.98 on average/);
  await page.getByRole("cell", { name: "Bulb SKU-002" }).waitFor(); // it must be ordered: 4 of at least 5
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a sale is recorded after the same person has logged in once more, in another tab", async () => {
  const page = await openTill();
  const before = await stockOf("p1");
  const [name, value] = (await logIn(inventory.url, "ben", ["staff", "shop:s1"])).cookie.split("=");
  await browser.context.addCookies([{ name, value, url: inventory.url, httpOnly: true, sameSite: "Strict" }]);
  await page.keyboard.type("sku-001");
  await page.keyboard.press("Enter");
  await page.getByLabel("Quantity").waitFor();
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  await page.getByText("recorded", { exact: true }).waitFor();
  assert.equal(await stockOf("p1"), before - 1);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// covers INV3
test("a sale without a network waits, and is recorded once", async () => {
  const page = await openTill();
  const before = await stockOf("p1");
  // The first attempt reaches the server, and its answer is lost; the second one never leaves.
  let attempts = 0;
  const ids = new Set();
  await page.route("**/recordSale", async (route) => {
    ids.add(JSON.parse(route.request().postData()).saleId);
    ++attempts;
    if (attempts === 1) await route.fetch();
    if (attempts <= 2) return route.abort();
    return route.continue();
  });
  await page.getByLabel("SKU or barcode").fill("SKU-001");
  await page.keyboard.press("Enter");
  await page.getByLabel("Quantity").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("1 waiting to be sent").waitFor();
  const secondAttempt = page.waitForEvent("requestfailed");
  await page.reload(); // what waits survives
  await secondAttempt;
  await page.getByText("1 waiting to be sent").waitFor();
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.getByText("recorded", { exact: true }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("waiting-sale"))), []);
  assert.equal(ids.size, 1);
  assert.equal(attempts, 3);
  assert.equal(await stockOf("p1"), before - 1);
  await page.close();
});

// covers INV3
test("more than the stock is refused in words, and nothing changes", async () => {
  const page = await openTill();
  const before = await stockOf("p1");
  await page.getByLabel("SKU or barcode").fill("SKU-001");
  await page.keyboard.press("Enter");
  await page.getByLabel("Quantity").fill("999");
  await page.keyboard.press("Enter");
  await page.getByText("There are not so many in stock.").waitFor();
  assert.equal(await stockOf("p1"), before);
  await page.close();
});

// covers INV8
test("staff sees no button for what only owners may do, and is refused when sending it anyway", async () => {
  const page = await openAsStaff("/products");
  await page.getByRole("cell", { name: "Lamp SKU-001" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Add a product" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "Delete Lamp" }).count(), 0);
  await page.close();
  const ben = await logIn(inventory.url, "ben", ["staff", "shop:s1"]);
  const refused = await ben(`${v1}/deleteProduct`, { shopId: "s1", productId: "p1" });
  assert.equal(refused.status, 403);
  assert.equal((await refused.json()).refusal, "FORBIDDEN");
  const dora = await logIn(inventory.url, "dora", ["staff", "shop:s9"]);
  for (const [where, body] of [
    ["/listProducts?shopId=s1"], ["/productHistory?productId=p1"], ["/shopsByOwner?ownerId=anna"], ["/lowStockScan"],
    ["/recordSale", { shopId: "s1", productId: "p1", saleId: "x", quantity: 1 }], ["/recordSale", { shopId: "s9", productId: "p1", saleId: "x", quantity: 1, fromShopId: "s1" }],
  ]) assert.equal((await dora(v1 + where, body)).status, 403, where);
  assert.equal((await ben(`${v1}/recordSale`, { shopId: "s1", productId: "p1", saleId: "y", quantity: 1, performedBy: "anna" })).status, 403);
  // An owner has the rights of an owner in their own shops only.
  const eve = await logIn(inventory.url, "eve", ["owner"]);
  assert.equal((await eve(`${v1}/deleteProduct`, { shopId: "s1", productId: "p1" })).status, 403);
  assert.equal((await eve(`${v1}/createShop`, { name: "Of anna", ownerId: "anna" })).status, 403);
});

test("requests without a session, without the page's token or from other origins are refused", async () => {
  const sale = { shopId: "s1", productId: "p1", saleId: "forged", quantity: 1 };
  const send = (headers) =>
    fetch(`${inventory.url}${v1}/recordSale`, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(sale) });
  const before = await stockOf("p1");
  assert.equal((await send({})).status, 401);
  assert.equal((await fetch(`${inventory.url}${v1}/listProducts?shopId=s1`)).status, 401);
  assert.equal((await send({ Cookie: anna.cookie })).status, 403);
  assert.equal((await send({ Cookie: anna.cookie, "X-Page-Token": "wrong" })).status, 403);
  const forged = await anna(`${v1}/recordSale`, sale, { Origin: "https://evil.example" });
  assert.equal(forged.status, 403);
  const rebound = await anna(`${v1}/listProducts?shopId=s1`, undefined, { Origin: "http://localhost:1" });
  assert.equal(rebound.status, 403);
  assert.equal(await stockOf("p1"), before);
  const page = await fetch(inventory.url);
  assert.match(page.headers.get("content-security-policy"), /default-src 'self'.*frame-ancestors 'none'/);
  assert.equal(page.headers.get("x-content-type-options"), "nosniff");
});

test("a session ends with the logout", async () => {
  const cleo = await logIn(inventory.url, "cleo", ["staff"]);
  assert.equal((await cleo("/api/shops")).status, 200);
  assert.equal((await cleo("/logout", {})).status, 200);
  assert.equal((await cleo("/api/shops")).status, 401);
});

// covers INV1, INV5
test("products go out as CSV and come in again; what is wrong is shown, and nothing is a formula", async () => {
  const page = await openAsOwner("/products");
  await page.getByRole("button", { name: "Import" }).click();
  const file = 'sku;name;unitPrice;currentStock;category\nSKU-001;Lamp;31,50;;Light\nSKU-900;"Shade; ""white""";1.299,00;7;=Light\nSKU-901;Broken;many;1;\nSKU-902;Dear;1,299;1;\n';
  await page.getByLabel("CSV file").setInputFiles({ name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  await page.getByText("unitPrice is no number: many").waitFor();
  await page.getByText("unitPrice can be read in two ways: 1,299").waitFor();
  await page.getByRole("button", { name: "Import 2" }).click();
  await page.getByText("2 products imported.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  const lamp = await done(await anna(`${v1}/getProduct?shopId=s1&productId=p1`));
  assert.equal(lamp.unitPrice, 31.5);
  await page.getByRole("cell", { name: 'Shade; "white" SKU-900' }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  assert.match(text, /^\ufeffsku,name,category,unitPrice,currentStock,reorderThreshold,location,description\r\n/);
  assert.match(text, /SKU-900,"Shade; ""white""",'=Light,1299,7,0,,\r\n/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// covers INV1, INV2, INV3, INV5, INV6
test("a product is added, edited, deleted and restored, and its stock corrected", async () => {
  const page = await openAsOwner("/products");
  await page.getByRole("button", { name: "Add a product" }).click();
  await page.getByLabel("Name").fill("Ruler");
  await page.getByLabel("SKU").fill("SKU-001");
  await page.getByLabel("Price").fill("4,20");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Another product of this shop has this SKU.").waitFor();
  await page.getByLabel("SKU").fill("SKU-777");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "Ruler SKU-777" }).waitFor();
  await page.getByRole("button", { name: "Correct the stock of Ruler" }).click();
  await page.getByLabel("How many").fill("12");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Ruler: 12 in stock.").waitFor();
  await page.getByRole("button", { name: "Delete Ruler" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("cell", { name: "Ruler SKU-777" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Deleted" }).click();
  await page.getByRole("button", { name: "Restore Ruler" }).click();
  await page.getByText("Ruler is back.").waitFor();
  await page.getByRole("button", { name: "In the lists" }).click();
  await page.getByRole("cell", { name: "Ruler SKU-777" }).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByRole("button", { name: "Stock" }).click();
  await page.getByRole("cell", { name: "+12" }).waitFor();
  await page.getByRole("button", { name: "Today" }).click();
  const [, from, through] = /from=([\d-]+)&through=([\d-]+)/.exec(page.url());
  assert.equal(from, through);
  await page.getByRole("cell", { name: "+12" }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  assert.match(readFileSync(await (await download).path(), "utf8"), /^\ufefftimestamp,transactionId,productId,product,type,quantityChange,[^]*,Ruler,IN,12,purchase,,anna\r\n/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("pages have no serious problem of accessibility, in light and dark", async () => {
  const page = await openAsOwner();
  const places = { Dashboard: "To be ordered", Sell: "Just now", History: "Revenue", Alerts: "Notices of low stock", Shops: "alerts@example.com", Products: "Lamp" };
  for (const [place, ready] of Object.entries(places)) {
    await page.getByRole("link", { name: place, exact: true }).click();
    await page.getByText(ready).first().waitFor();
    await checkAccessibility(page, place);
  }
  await page.getByRole("button", { name: "Edit Lamp" }).click();
  await page.getByRole("dialog").waitFor();
  await checkAccessibility(page, "the form of a product");
  await page.keyboard.press("Escape");
  assert.equal(await page.title(), "Products · Inventory");
  for (const [button, name] of [["Correct the stock of Lamp", "the form of stock"], ["Import", "the form of an import"]]) {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("dialog").waitFor();
    await checkAccessibility(page, name);
    await page.keyboard.press("Escape");
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("logins from one address are limited", async () => {
  const attempt = () => fetch(`${inventory.url}/login/oidc`, { redirect: "manual" });
  let answer;
  for (let attempts = 0; attempts <= 20 && answer?.status !== 429; ++attempts) answer = await attempt();
  assert.equal(answer.status, 429);
  assert.match(answer.headers.get("retry-after"), /^[1-9]\d?$/);
});
