// A module of `tavola gen ts --v1` in use, against a server whose designs anybody may use. The types are part of the test: tsc compiles it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as shops from "./InventorySystem.v1.js";

const server: shops.Service = { url: process.env["ENDPOINT"] ?? "http://localhost:8000" };
const lamp = { shopId: "v1", productId: "v1-lamp" };
const exact = "12345678901234567890.123456789";

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

test("decimals are exact", () => {
  const { Decimal } = shops;
  assert.equal(Decimal.of("0.1").plus(Decimal.of("0.2")).toString(), "0.3");
  assert.equal(Decimal.of(exact).times(10n).toString(), "123456789012345678901.23456789");
  assert.equal(Decimal.of("-1.5e3").toString(), "-1500");
  assert.equal(Decimal.of("1e-3").minus(1).toString(), "-0.999");
  assert.equal(Decimal.of("2.345").round(2).toText(2), "2.35");
  assert.equal(Decimal.of("-0.5").round(0).toString(), "-1");
  assert.equal(Decimal.of(5).toText(2), "5.00");
  assert.deepEqual([Decimal.of("1.0").compare(1), Decimal.of("2").compare(10), Decimal.of(3n).compare(2)], [0, -1, 1]);
  for (const wrong of ["", ".", "1,5", "abc", "1e99999"]) assert.throws(() => Decimal.of(wrong), RangeError, wrong);
  assert.throws(() => Decimal.of(0.1), /may not be exact/);
});

test("JSON keeps numbers, texts that look like numbers, and nesting", () => {
  const text = `{"a":[${exact},"1",{"b":null}],"c":"\\"[{,:}]","d":-0,"e":true}`;
  assert.equal(shops.exactText(shops.exactJson(text)), text.replace("-0", "0"));
  assert.equal(shops.exactText({ left: undefined, none: null, big: 2n ** 70n }), `{"none":null,"big":${2n ** 70n}}`);
  assert.throws(() => shops.exactJson("{"), SyntaxError);
});

test("patterns and operations", async () => {
  await shops.createShop(server, { shopId: "v1", name: "By name", ownerId: "v1-owner" });
  const made = await shops.createProduct(server, { ...lamp, name: "Lamp", sku: "V1", unitPrice: shops.Decimal.of("29.99"), currentStock: 10 });
  assert.equal(made.unitPrice.toString(), "29.99");
  const sale = await shops.recordSale(server, { ...lamp, saleId: "v1-a", quantity: 2 });
  assert.equal(sale.totalAmount.toString(), "59.98");
  assert.equal((await shops.getProduct(server, lamp))?.currentStock.toString(), "8");
  assert.equal(await shops.getProduct(server, { ...lamp, productId: "none" }), undefined);
  assert.deepEqual((await all(shops.shopsByOwner(server, { ownerId: "v1-owner" }))).map((one) => one.shopId), ["v1"]);
  const [today] = await shops.salesToday(server, { shopId: "v1" });
  assert.equal(today?.revenue.toString(), "59.98");
  const renamed = await shops.updateProduct(server, { ...lamp, name: "Desk lamp", location: "A1" });
  assert.deepEqual([renamed.name, renamed.location], ["Desk lamp", "A1"]);
  assert.equal((await shops.updateProduct(server, { ...lamp, location: null })).location, undefined);
});

test("pages follow one another", async () => {
  for (const saleId of ["v1-b", "v1-c"]) await shops.recordSale(server, { ...lamp, saleId, quantity: 1 });
  const first = await shops.shopSalesPage(server, { shopId: "v1" }, { limit: 2 });
  assert.equal(first.items.length, 2);
  const rest = await shops.shopSalesPage(server, { shopId: "v1" }, { limit: 2, after: first.next });
  assert.equal(rest.items.length, 1);
  assert.equal(rest.next, undefined);
});

test("refusals have their names, and no answer is another error", async () => {
  const refusal: shops.RecordSaleRefusal = "INSUFFICIENT_STOCK";
  await assert.rejects(shops.recordSale(server, { ...lamp, saleId: "v1-z", quantity: 99 }), (error) => error instanceof shops.Refused && error.refusal === refusal && error.status === 409);
  await assert.rejects(shops.recordSale(server, { ...lamp, saleId: "v1-y", quantity: 0 }), (error) => error instanceof shops.Refused && error.refusal === "INVALID" && error.parameter === "quantity");
  const nowhere: shops.Service = { url: "http://127.0.0.1:9" };
  await assert.rejects(shops.getProduct(nowhere, lamp), (error) => error instanceof shops.Unanswered && error.status === 0);
  const failing: shops.Service = { url: "http://127.0.0.1:9", send: async () => new Response("", { status: 503 }) };
  await assert.rejects(shops.getProduct(failing, lamp), (error) => error instanceof shops.Unanswered && error.status === 503);
});
