// A console with the design workshop.yaml, and a few items: two products of which one is in no index, two orders, and an item of no entity.
import assert from "node:assert/strict";
import { startConsole } from "./console.mjs";

export async function startWorkshop(...options) {
  const console_ = await startConsole("--design", "tests/console/workshop.yaml", ...options);
  const post = async (where, body, method = "POST") => {
    const answer = await fetch(console_.endpoint + where, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${where}: ${answer.status} ${await answer.text()}`);
  };
  const perform = (operation, parameters) => post(`/v1/workshop/${operation}`, parameters);
  await perform("addWorkshop", { shopId: "a", name: "Anvil", email: "anna@example.com" });
  await perform("addProduct", { shopId: "a", productId: "hammer", name: "Hammer", category: "tools", stock: 3 });
  await perform("addProduct", { shopId: "a", productId: "nail", name: "Nail <b>", category: "tools" });
  await perform("order", { shopId: "a", orderId: "o1", productId: "hammer" });
  await perform("order", { shopId: "a", orderId: "o2", productId: "nail" });
  await perform("beginOrder", { shopId: "a", orderId: "o2", worker: "ben" });
  const enforce = (word) => post("/admin/designs/workshop", { enforce: word }, "PUT");
  /** Puts an item without asking the design. */
  const putAsIs = async (Item) => {
    await enforce("off");
    await console_.db("PutItem", { TableName: "workshop", Item });
    await enforce("strict");
  };
  await putAsIs({ PK: { S: "VAN#1" }, SK: { S: "META" }, email: { S: "ben@example.com" } });
  return { ...console_, perform, putAsIs };
}

export const keyOf = (sk, pk = "SHOP#a") => ({ PK: { S: pk }, SK: { S: sk } });
export const itemAt = (sk) => `/t/workshop/item?key=${encodeURIComponent(JSON.stringify(keyOf(sk)))}`;
