// The generated modules in use: the systems of designs/, by their functions alone, against a server: directly with the AWS SDK,
// or, if V1 is set, by /v1. If PLAIN is set, the server does not know the designs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { NumberValue } from "@aws-sdk/lib-dynamodb";
import * as aura from "./aura-historia-data.js";
import * as clinic from "./clinic.js";
import * as sites from "./fus-main.js";
import * as shops from "./InventorySystem.js";
import * as members from "./members.js";
import * as files from "./text-analyzer-history.js";

// The server has the tables of the designs.
const endpoint = process.env["ENDPOINT"] ?? "http://localhost:8000";
const client = new DynamoDBClient({ endpoint });
const isPlain = process.env["PLAIN"] !== undefined;
const isServed = process.env["V1"] !== undefined;
const tokens: Record<string, string> = JSON.parse(process.env["V1"] ?? "{}"); // of persons

interface Connects<Served, Direct, Options> {
  connect(served: { v1: string; token: string | undefined }): Served;
  connect(client: DynamoDBClient, options?: Options): Direct;
}
const connected = <Served, Direct, Options>(module: Connects<Served, Direct, Options>, options?: Options): Served | Direct =>
  isServed ? module.connect({ v1: endpoint, token: tokens["anna"] }) : module.connect(client, options);

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

const refused = (refusal: string) => (error: unknown) => (error as { refusal?: string }).refusal === refusal;

test("InventorySystem", async (context) => {
  const db = connected(shops);
  const sell = (saleId: string, quantity: number) => shops.recordSale(db, { shopId: "s1", productId: "p1", saleId, quantity });
  const lamp = { shopId: "s1", productId: "p1" };

  await shops.createShop(db, { shopId: "s1", name: "Corner Shop", ownerId: "anna", notificationEmail: "a@example.com" });
  await shops.createProduct(db, {
    ...lamp, name: "Lamp", sku: "SKU-001", category: "Light", unitPrice: NumberValue.from("29.99"), currentStock: 10, reorderThreshold: 3,
  });

  await context.test("a sale is recorded once, however often it is sent", async () => {
    const sale = await sell("a", 2);
    assert.equal(sale.totalAmount.value, "59.98");
    assert.equal(sale.productName, "Lamp");
    assert.equal((await sell("a", 2)).timestamp, sale.timestamp);
    assert.equal((await shops.getProduct(db, lamp))?.currentStock, 8);
    const [change, ...others] = await all(shops.productHistory(db, { productId: "p1" }));
    assert.deepEqual([change?.type, change?.quantityChange, others.length], ["OUT", -2, 0]);
    await assert.rejects(sell("a", 3), refused("DIFFERENT_REQUEST"));
  });

  await context.test("a call is the same call in whatever language it is sent", { skip: isPlain }, async () => {
    const overHttp = async (given: object) => {
      const answer = await fetch(`${endpoint}/v1/InventorySystem/recordSale`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const stock = async () => (await shops.getProduct(db, lamp))?.currentStock;
    const before = (await stock())!;
    const here = await sell("here-first", 1);
    const again = await overHttp({ quantity: 1, saleId: "here-first", ...lamp, notes: null });
    assert.deepEqual([again.status, again.body["timestamp"]], [200, here.timestamp], JSON.stringify(again.body));
    const there = await overHttp({ ...lamp, saleId: "there-first", quantity: 1.0 });
    assert.equal(there.status, 200, JSON.stringify(there.body));
    assert.equal((await sell("there-first", 1)).timestamp, there.body["timestamp"]);
    assert.equal((await overHttp({ ...lamp, saleId: "here-first", quantity: 2 })).body["refusal"], "DIFFERENT_REQUEST");
    assert.equal(await stock(), before - 2);
    await shops.adjustStock(db, { ...lamp, quantityChange: 2, transactionId: "back" });
  });

  await context.test("refusals have names, and change nothing", async () => {
    await assert.rejects(sell("b", 9), refused("INSUFFICIENT_STOCK"));
    await assert.rejects(sell("b", 0), shops.Invalid);
    await assert.rejects(shops.createShop(db, { shopId: "s1", name: "Again" }), refused("ALREADY_EXISTS"));
    await assert.rejects(
      shops.createProduct(db, { shopId: "s1", name: "Other", sku: "SKU-001", unitPrice: NumberValue.from("1") }), refused("SKU_TAKEN"));
    await assert.rejects(
      shops.createProduct(db, { shopId: "s9", name: "Other", sku: "x", unitPrice: NumberValue.from("1") }), refused("SHOP_NOT_FOUND"));
    assert.equal((await shops.getProduct(db, lamp))?.currentStock, 8);
  });

  await context.test("a refusal is an error of its own class, with a name and the wrong parameter", async () => {
    const wrong: unknown = await sell("b", 0).catch((error: unknown) => error);
    assert.ok(wrong instanceof shops.Invalid && wrong instanceof shops.Refused);
    assert.deepEqual([wrong.refusal, wrong.parameter], ["INVALID", "quantity"]);
    const refusal: unknown = await sell("b", 9).catch((error: unknown) => error);
    assert.ok(refusal instanceof shops.Refused && !(refusal instanceof shops.Invalid));
    assert.deepEqual([refusal.refusal, refusal.parameter], ["INSUFFICIENT_STOCK", undefined]);
    assert.match(refusal.message, /^INSUFFICIENT_STOCK: .* does not hold$/);
  });

  await context.test("a page has a limit, and the token of the next one", async () => {
    await shops.createShop(db, { shopId: "pages", name: "Pages" });
    for (const name of ["a", "b", "c", "d", "e"])
      await shops.createProduct(db, { shopId: "pages", productId: name, name, sku: name, unitPrice: NumberValue.from("98765432109876543.21") });
    const first = await shops.listProductsPage(db, { shopId: "pages" }, { limit: 2 });
    assert.deepEqual(first.items.map(({ productId }) => productId), ["a", "b"]);
    assert.equal(first.items[0]?.unitPrice.value, "98765432109876543.21", "no digit is lost");
    const second = await shops.listProductsPage(db, { shopId: "pages" }, { limit: 2, token: first.next });
    const last = await shops.listProductsPage(db, { shopId: "pages" }, { token: second.next });
    assert.deepEqual([...second.items, ...last.items].map(({ productId }) => productId), ["c", "d", "e"]);
    assert.equal(last.next, undefined);
    await assert.rejects(shops.listProductsPage(db, { shopId: "pages" }, { limit: 0 }), shops.Invalid);
    await assert.rejects(shops.listProductsPage(db, { shopId: "pages" }, { token: "nonsense" }), shops.Invalid);
  });

  await context.test("of sales at the same time none is lost, and none sells what is not there", async () => {
    const sold = await Promise.allSettled(["c", "d", "e", "f", "g"].map((id) => sell(id, 2)));
    assert.equal(sold.filter(({ status }) => status === "fulfilled").length, 4);
    assert.equal((await shops.getProduct(db, lamp))?.currentStock, 0);
    assert.equal((await all(shops.notifications(db, { shopId: "s1" }))).length, 1);
    assert.deepEqual((await all(shops.lowStock(db, { shopId: "s1" }))).map((one) => one.productId), ["p1"]);
  });

  await context.test("what follows from a change is written along", async () => {
    await shops.changeCategory(db, { ...lamp, category: "Garden" });
    assert.equal((await all(shops.productsByCategory(db, { shopId: "s1", category: "Light" }))).length, 0);
    assert.equal((await all(shops.productsByCategory(db, { shopId: "s1", category: "Garden" }))).length, 1);
    await shops.changeOwner(db, { shopId: "s1", ownerId: "ben" });
    assert.equal((await all(shops.shopsByOwner(db, { ownerId: "anna" }))).length, 0);
    assert.deepEqual((await all(shops.shopsByOwner(db, { ownerId: "ben" }))).map((one) => one.name), ["Corner Shop"]);
    await shops.deleteProduct(db, lamp);
    assert.equal((await all(shops.listProducts(db, { shopId: "s1" }))).length, 0);
    await assert.rejects(sell("h", 1), refused("DELETED"));
  });

  await context.test("a range of days has all of its last day", async () => {
    const today = new Date().toISOString().slice(0, 10);
    assert.equal((await all(shops.salesByDate(db, { shopId: "s1", start: today, end: today }))).length, isPlain ? 5 : 7); // two by /v1
  });

  await context.test("reports are computed in a time zone", async () => {
    await shops.createShop(db, { shopId: "s7", name: "Reports" });
    await shops.createProduct(db, { shopId: "s7", productId: "pen", name: "Pen", sku: "PEN", unitPrice: NumberValue.from("0.1"), currentStock: 100 });
    await shops.createProduct(db, { shopId: "s7", productId: "ink", name: "Ink", sku: "INK", category: "Office", unitPrice: NumberValue.from("2.55"), currentStock: 9 });
    const sales: [string, string, number][] = [["2024-03-30T22:59:59Z", "pen", 1], ["2024-03-30T23:00:00Z", "ink", 2], ["2024-03-31T21:59:59Z", "pen", 3], ["2024-03-31T22:00:00Z", "pen", 4]];
    for (const [at, productId, quantity] of sales) await shops.recordSale(db, { shopId: "s7", productId, saleId: at, quantity, timestamp: at });
    const rows = await shops.salesReport(db, { shopId: "s7", zone: "Europe/Berlin", firstDay: "2024-03-31", lastDay: "2024-04-01" });
    assert.deepEqual(rows.map((row) => [row.day, row.sales, row.quantity, row.revenue.value, row.average?.value, row.smallest?.value]),
      [["2024-03-31", 2, 5, "5.4", "2.7", "0.3"], ["2024-04-01", 1, 4, "0.4", "0.4", "0.4"]]);
    const march = await shops.salesOfMonth(db, { shopId: "s7", zone: "Europe/Berlin", month: "2024-03" });
    assert.deepEqual(march.map((row) => [row.sales, row.revenue.value, row.average?.value]), [[3, "5.5", "1.83"]]);
    assert.deepEqual((await shops.salesToday(db, { shopId: "s7" })).map((row) => [row.sales, row.revenue.value]), [[0, "0"]]);
    const top = await shops.topProducts(db, { shopId: "s7", start: "2024-03-01", end: "2024-04-30" }, 1);
    assert.deepEqual(top.map((row) => [row.productId, row.productName, row.revenue.value]), [["ink", "Ink", "5.1"]]);
    assert.deepEqual((await shops.stockByCategory(db, { shopId: "s7" })).map((row) => [row.category, row.products, row.units, row.value.value]),
      [[undefined, 1, 92, "9.2"], ["Office", 1, 7, "17.85"]]);
    await assert.rejects(shops.salesToday(db, { shopId: "s7", zone: "Europe/Belrin" }), shops.Invalid);
  });

  await context.test("keys are those of the table", () => {
    assert.deepEqual(shops.productKey(lamp), { PK: "SHOP#s1", SK: "PRODUCT#p1" });
    assert.throws(() => shops.productKey({ shopId: "a#b", productId: "p1" }), shops.Invalid);
  });
});

test("fus-main", async (context) => {
  const db = connected(sites);
  const as = (user: string) => (isServed ? sites.connect({ v1: endpoint, token: tokens[user] }) : db);
  await sites.createSite(db, { site: "mdn", url: "https://developer.mozilla.org/", title: "MDN", tags: ["css", "html"] });

  await context.test("ratings are summed up on the site", async () => {
    await sites.rateSite(db, { site: "mdn", user: "anna", stars: 3 });
    await Promise.all(["ben", "cleo", "dora"].map((user) => sites.rateSite(as(user), { site: "mdn", user, stars: 4 })));
    await sites.rateSite(db, { site: "mdn", user: "anna", stars: 5, note: "On second thoughts" });
    await sites.removeRating(as("dora"), { site: "mdn", user: "dora" });
    const site = await sites.getSite(db, { site: "mdn" });
    assert.deepEqual([site?.ratingCount, site?.ratingSum], [3, 13]);
    assert.deepEqual((await all(sites.ratingsByStars(db, { stars: 5 }))).map(({ user }) => user), ["anna"]);
    assert.deepEqual((await sites.siteRating(db, { site: "mdn" })).map((one) => [one.ratings, one.average?.value]), [[3, "4.33"]]);
    assert.deepEqual((await all(sites.starsOfSite(db, { site: "mdn" }))).map((one) => [one.stars, one.ratings]), [[3, 0], [4, 2], [5, 1]]);
    await assert.rejects(sites.rateSite(db, { site: "none", user: "anna", stars: 1 }), refused("SITE_NOT_FOUND"));
    await assert.rejects(sites.rateSite(db, { site: "mdn", user: "anna", stars: 6 }), sites.Invalid);
  });

  await context.test("tags and comments go with their site", async () => {
    await sites.createSite(db, { site: "w3c", url: "https://www.w3.org/", title: "W3C", tags: ["svg", "xml"] });
    await sites.updateSite(db, { site: "w3c", tags: ["xml", "rdf"] });
    assert.equal((await all(sites.sitesByTag(db, { tag: "svg" }))).length, 0);
    assert.deepEqual((await all(sites.sitesByTag(db, { tag: "rdf" }))).map(({ site, title }) => [site, title]), [["w3c", "W3C"]]);
    assert.deepEqual((await all(sites.siteIdsByTag(db, { tag: "rdf" }))).map(({ site, tag }) => [site, tag]), [["w3c", "rdf"]]);
    const comment = await sites.addComment(db, { site: "w3c", user: "anna", body: "Thank you" });
    await sites.editComment(db, { site: "w3c", user: "anna", comment: comment.comment, body: "Thanks" });
    assert.deepEqual((await all(sites.commentsForSite(db, { site: "w3c" }))).map(({ body }) => body), ["Thanks"]);
    await sites.rateSite(db, { site: "w3c", user: "anna", stars: 2 });
    await sites.deleteSite(db, { site: "w3c" });
    assert.equal((await all(sites.commentsForSite(db, { site: "w3c" }))).length, 0);
    assert.equal((await all(sites.myComments(db, { site: "w3c", user: "anna" }))).length, 0);
    assert.equal((await all(sites.sitesByTag(db, { tag: "rdf" }))).length, 0);
    await sites.removeRating(db, { site: "w3c", user: "anna" });
    await assert.rejects(sites.updateSite(db, { site: "w3c", title: "Ghost" }), refused("NOT_FOUND"));
  });
});

test("text-analyzer-history", async (context) => {
  const db = connected(files);

  await context.test("a known upload is the file that exists", async () => {
    const upload = { ownerId: "carl", s3Bucket: "texts", s3Key: "a", originalFileName: "a.txt", fingerprint: "abc" };
    const both = await Promise.all([files.presign(db, upload), files.presign(db, upload)]);
    assert.deepEqual(both[0], both[1]);
    await files.claim(db, { fileId: both[0].fileId });
    const found = await files.presign(db, { ...upload, originalFileName: "b.txt" });
    assert.deepEqual([found.fileId, found.originalFileName, found.status], [both[0].fileId, "a.txt", "IN_PROGRESS"]);
    await files.presign(db, { ...upload, ownerId: "carl:abc", fingerprint: "d" });
    await assert.rejects(files.presign(db, { ...upload, fingerprint: "abc:d" }), refused("ALREADY_EXISTS"));
    assert.deepEqual((await all(files.listFilesByOwner(db, { ownerId: "carl" }))).map((one) => one.fileId), [found.fileId]);
  });

  await context.test("of two workers one gets the file", async () => {
    const { fileId, status } = await files.presign(db, { ownerId: "anna", s3Bucket: "texts", s3Key: "a", originalFileName: "a.txt", fingerprint: "abc" });
    assert.equal(status, "PENDING");
    const claims = await Promise.allSettled([files.claim(db, { fileId }), files.claim(db, { fileId })]);
    assert.deepEqual(claims.map((one) => one.status).sort(), ["fulfilled", "rejected"]);
    assert.ok(claims.some((one) => one.status === "rejected" && refused("WRONG_STATE")(one.reason)));
    const result = { totalWords: 3, uniqueWords: 2, avgWordLength: NumberValue.from("2.33"), top10Words: [{ word: "b", count: 1 }] };
    assert.equal((await files.complete(db, { fileId, result })).result?.avgWordLength.value, "2.33");
    assert.deepEqual((await all(files.listFilesByOwner(db, { ownerId: "anna" }))).map((one) => one.status), ["COMPLETED"]);
    await assert.rejects(files.fail(db, { fileId, errorMessage: "too late" }), refused("WRONG_STATE"));
  });
});

test("members", async (context) => {
  const db = connected(members);
  const refusedWithout = (refusal: string, secret: string) => (error: unknown) =>
    refused(refusal)(error) && !(error as Error).message.includes(secret);

  await context.test("an item that exists is returned if it is the same one", async () => {
    assert.equal((await members.enrol(db, { id: "m1", club: "chess", phone: "555-1" })).phone, "555-1");
    assert.equal((await members.enrol(db, { id: "m1", club: "chess", phone: "555-2" })).phone, "555-1");
    await assert.rejects(members.enrol(db, { id: "m1", club: "go" }), refused("ALREADY_EXISTS"));
    await members.leave(db, { id: "m1" });
    await assert.rejects(members.enrol(db, { id: "m1", club: "chess" }), refused("ALREADY_EXISTS"));
  });

  await context.test("of concurrent calls one creates the item, and all get it", async () => {
    const calls = Array.from({ length: 8 }, () => members.enrol(db, { id: "m2", club: "chess", phone: "555-3" }));
    const joined = await Promise.all(calls);
    assert.deepEqual(joined, joined.map(() => joined[0]));
  });

  await context.test("no message shows a sensitive value that is taken", async () => {
    await members.enrol(db, { id: "m3", club: "chess", phone: "555-4" });
    await assert.rejects(members.enrol(db, { id: "m4", club: "chess", phone: "555-4" }), refusedWithout("NOT_UNIQUE", "555-4"));
  });
});

test("aura-historia-data", async (context) => {
  const db = connected(aura, { coreDomain: (domain) => domain.split(".").at(-3) ?? domain });

  await context.test("a shop is in one state, and in the index of its country", async () => {
    const domain = "www.example.co.uk";
    assert.equal((await aura.registerShop(db, { domain, shop_country: "DE" })).crawl, "NEVER");
    assert.equal((await all(aura.neverCrawled(db, { shop_country: "DE" }))).length, 1);
    await aura.startCrawl(db, { domain });
    await assert.rejects(aura.startCrawl(db, { domain }), refused("WRONG_STATE"));
    await assert.rejects(aura.startCrawl(db, { domain }), { message: "WRONG_STATE: crawl: startCrawl is possible from NEVER or DONE" });
    assert.deepEqual((await all(aura.crawlsInProgress(db, { shop_country: "COUNTRY#DE" }))).map((one) => one.domain), [domain]);
    assert.equal((await aura.finishCrawl(db, { domain })).crawl, "DONE");
    const shop = await aura.getShop(db, { domain });
    assert.deepEqual([shop?.crawl, shop?.scrape, shop?.core_domain_name], ["DONE", "NEVER", "example"]);
  });

  await context.test("a server that governs the table refuses by the same error", { skip: isServed || isPlain }, async () => {
    const wrong = aura.connect(client, { coreDomain: () => "other" });
    const refusal: unknown = await aura.registerShop(wrong, { domain: "www.d.co.uk", shop_country: "DE" }).catch((error: unknown) => error);
    assert.ok(refusal instanceof aura.Invalid);
    assert.equal(refusal.parameter, "core_domain_name");
  });

  await context.test("a page of a union goes on with the next pattern", async () => {
    for (const domain of ["www.b.co.uk", "www.c.co.uk"]) await aura.registerShop(db, { domain, shop_country: "FR" });
    await aura.startCrawl(db, { domain: "www.c.co.uk" });
    await aura.finishCrawl(db, { domain: "www.c.co.uk" });
    const due = { shop_country: "FR", cutoff: new Date(Date.now() + 1000).toISOString().slice(0, 19) + "Z" };
    const first = await aura.shopsNeedingCrawlPage(db, due, { limit: 1 });
    assert.deepEqual(first.items.map(({ domain }) => domain), ["www.b.co.uk"]);
    const rest = await aura.shopsNeedingCrawlPage(db, due, { token: first.next });
    assert.deepEqual([rest.items.map(({ domain }) => domain), rest.next], [["www.c.co.uk"], undefined]);
  });

  await context.test("a page keeps its hash, and an unchanged one is no news", async () => {
    const page = { domain: "www.example.co.uk", url: "https://www.example.co.uk/a#b" };
    await aura.upsertUrl(db, { ...page, type: "product" });
    const { hash } = await aura.recordHash(db, { ...page, status: "in_stock", price: "99.99" });
    assert.equal(hash, "6e74ec8d33d1c00ffc74de5cff6ea992a58a7cdad3bad329a3cccaf89e788801");
    await assert.rejects(aura.recordHash(db, { ...page, status: "in_stock", price: "99.99" }), refused("UNCHANGED"));
    assert.equal((await aura.upsertUrl(db, page)).hash, hash);
    assert.equal((await all(aura.urlsByType(db, { domain: page.domain, type: "product" }))).length, 1);
  });
});

test("clinic", async (context) => {
  const db = connected(clinic);
  const phone = "+491";

  await context.test("a trail shows no sensitive value", async () => {
    await clinic.register(db, {
      id: "p1", name: "Anna", mail: "mango@example.com", code: "mango", weight: NumberValue.from("60"), contact: { city: "Rome", phone },
      calls: [{ about: "pain", number: phone }], file: { word: "mango" },
    });
    await clinic.correct(db, { id: "p1", name: "Anne", code: "mango-tree" });
    const masked = {
      id: "p1", mail: "***", code: "***", loud: "***", weight: "***", contact: { city: "Rome", phone: "***" },
      calls: [{ about: "pain", number: "***" }], file: "***", status: "WAITING", ...(isServed ? { doctor: "***" } : {}), // the caller
    };
    const shown = (image: Record<string, unknown> | undefined) =>
      image && Object.fromEntries(Object.entries(image).filter(([name]) => name !== "since" && name !== "moved"));
    const entries = (await all(clinic.trail(db, { what: "PATIENT#p1|META" }))).sort((a, b) => (a.how! < b.how! ? -1 : 1));
    assert.deepEqual(entries.map(({ how, before, after }) => [how, shown(before), shown(after)]), [
      ["create", undefined, { name: "Anna", ...masked }],
      ["update", { name: "Anna", ...masked }, { name: "Anne", ...masked }],
    ]);
  });

  await context.test("no refusal shows a sensitive value", async () => {
    const wrong: object[] = [
      { code: "mango 1" }, { mail: "mango" }, { kind: "mango" }, { weight: 98765 }, { weight: 1.98765 }, { contact: { phone: "mango" } },
      { calls: [{ number: "mango" }] }, { file: { word: "mango 1" } }, { mail: "mango@example.com" },
    ];
    for (const given of wrong) {
      const refusal: unknown = await clinic.register(db, { id: "p2", ...given }).catch((error: unknown) => error);
      assert.ok(refusal instanceof clinic.Refused, JSON.stringify(given));
      assert.doesNotMatch(refusal.message, /mango|9876/);
    }
  });
});
