// Many tills sell the same products at once: stock is never negative, and the sums equal the sales that were answered. It prints the latencies and
// asserts nothing about them. LONG=yes is 200 tills for a minute: in memory, on a disk, and on a database in another process.
import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { test } from "node:test";
import { logIn, scratchFolder, startDatabase, startProgram } from "../browser/harness.mjs";

const isLong = Boolean(process.env.LONG);
const tills = Number(process.env.TILLS ?? (isLong ? 200 : 20));
const seconds = Number(process.env.SECONDS ?? (isLong ? 60 : 2));
const products = 50;
const stock = Number(process.env.STOCK ?? (isLong ? 1000 : 8)); // of each product: low, so that products sell out
const v1 = "/v1/InventorySystem";

// covers INV3, INV4
test("many tills sell the same products", () => sellEverything("--in-memory"));

test("the same on a disk", { skip: !isLong }, async () => {
  const folder = scratchFolder();
  await sellEverything("--data", folder.path);
  folder.remove();
});

test("the same on a database in another process", { skip: !isLong }, async () => {
  const database = await startDatabase();
  await sellEverything("--endpoint", database.url);
  await database.stop();
});

async function sellEverything(...where) {
  const inventory = await startProgram(process.env.PROGRAM, ...where, "--dev-login");
  const anna = await logIn(inventory.url, "anna", ["owner"]);
  const { csrf } = await (await anna("/session")).json();
  const create = async (name, body) => assert.equal((await anna(`${v1}/${name}`, body)).status, 200, name);
  await create("createShop", { shopId: "s1", name: "Market", ownerId: "anna" });
  for (let index = 0; index < products; ++index) {
    await create("createProduct", { shopId: "s1", productId: `p${index}`, name: `Product ${index}`, sku: `SKU-${index}`, unitPrice: 1.25, currentStock: stock, reorderThreshold: 5, category: `c${index % 5}` });
  }
  const agent = new Agent({ keepAlive: true, maxSockets: tills });
  const post = (body) =>
    new Promise((resolve, reject) => {
      const asked = request(`${inventory.url}${v1}/recordSale`, { method: "POST", agent, headers: { "Content-Type": "application/json", Cookie: anna.cookie, "X-Page-Token": csrf } }, (answer) => {
        let text = "";
        answer.on("data", (bytes) => (text += bytes)).on("end", () => resolve({ status: answer.statusCode, text }));
      });
      asked.on("error", reject).end(JSON.stringify(body));
    });

  const until = performance.now() + seconds * 1000;
  const latencies = [];
  const sold = new Array(products).fill(0);
  let refused = 0;
  const till = async (number) => {
    for (let sale = 0; performance.now() < until; ++sale) {
      const product = (number * 7 + sale * 13) % products;
      const begun = performance.now();
      const { status, text } = await post({ shopId: "s1", productId: `p${product}`, saleId: `${number}-${sale}`, quantity: 1 });
      latencies.push(performance.now() - begun);
      if (status === 200) ++sold[product];
      else if (status === 409 && JSON.parse(text).refusal === "INSUFFICIENT_STOCK") ++refused;
      else assert.equal(status, 503, text); // too many concurrent writes to one product: nothing was changed
    }
  };
  await Promise.all(Array.from({ length: tills }, (_one, number) => till(number)));
  agent.destroy();

  const everything = async (name) => {
    const all = [];
    for (let page = ""; page !== null; ) {
      const answer = await (await anna(`${v1}/${name}?shopId=s1${page && `&page=${encodeURIComponent(page)}`}`)).json();
      all.push(...answer.items);
      page = answer.next;
    }
    return all;
  };
  for (const product of await everything("listProducts")) {
    const index = Number(product.productId.slice(1));
    assert.ok(product.currentStock >= 0, product.productId);
    assert.equal(product.currentStock, stock - sold[index], product.productId);
  }
  const total = sold.reduce((sum, count) => sum + count, 0);
  const sales = await everything("shopSales");
  assert.equal(sales.length, total);
  assert.equal((await everything("shopTransactions")).length, total);
  // One notice for each product that fell below its threshold: once per crossing.
  assert.equal((await everything("notifications")).length, sold.filter((count) => stock - count < 5).length);
  const [today] = (await (await anna(`${v1}/salesToday?shopId=s1`)).json()).items;
  assert.equal(today.revenue, total * 1.25);
  latencies.sort((a, b) => a - b);
  const at = (part) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))]?.toFixed(1);
  console.log(`${tills} tills, ${seconds} s: ${total} sales, ${refused} refused for lack of stock; ms: median ${at(0.5)}, 99th percentile ${at(0.99)}, greatest ${at(1)}`);
  await inventory.stop();
}
