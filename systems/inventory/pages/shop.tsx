// The shop that the pages are about, and its products, which several views share.
import { computed, effect, signal, untracked } from "@preact/signals";
import * as inventory from "generated/InventorySystem";
import { changes, slowChanges } from "web/changes";
import { ask, service, session } from "web/session";

export interface ShopName {
  shopId: string;
  name: string;
}

export const shops = signal<ShopName[] | undefined>(undefined);
export const loadFailure = signal<Error | undefined>(undefined);
const chosen = signal(localStorage.getItem("shop") ?? "");
/** The id of the chosen shop; empty if the person works in none. */
export const shop = computed(() => shops.value?.find((one) => one.shopId === chosen.value)?.shopId ?? shops.value?.[0]?.shopId ?? "");
export const currency = computed(() => session.value?.settings["currency"] ?? "");

export async function loadShops(): Promise<void> {
  try {
    shops.value = await ask<ShopName[]>("/api/shops");
    loadFailure.value = undefined;
  } catch (error) {
    if (!shops.value) loadFailure.value = error as Error;
  }
}

export function choose(shopId: string): void {
  chosen.value = shopId;
  localStorage.setItem("shop", shopId);
}

/** All products of the shop that are not deleted, by name; undefined until they are loaded. */
export const products = signal<inventory.Product[] | undefined>(undefined);
export const productsFailure = signal<Error | undefined>(undefined);
export const nameOfProduct = (productId: string): string => products.value?.find((product) => product.productId === productId)?.name ?? productId;
let loading = 0;
let lastLoad = Promise.resolve();

export function loadProducts(): Promise<void> {
  return (lastLoad = loadAllProducts());
}

/** Returns when the products of the chosen shop are loaded, or cannot be loaded. */
export async function whenProductsAreLoaded(): Promise<void> {
  for (let awaited; awaited !== lastLoad; ) await (awaited = lastLoad);
}

async function loadAllProducts(): Promise<void> {
  const [mine, shopId] = [++loading, shop.value];
  if (!shopId) return;
  try {
    const all: inventory.Product[] = [];
    for await (const product of inventory.listProducts(service, { shopId })) all.push(product);
    if (mine !== loading) return;
    products.value = all.sort((a, b) => a.name.localeCompare(b.name));
    productsFailure.value = undefined;
  } catch (error) {
    if (mine === loading) productsFailure.value = error as Error;
  }
}

/** Shows a product as the server has just returned it. */
export function keepProduct(product: inventory.Product): void {
  const others = (products.value ?? []).filter((one) => one.productId !== product.productId);
  products.value = (product.deletedAt ? others : [...others, product]).sort((a, b) => a.name.localeCompare(b.name));
}

// Products are loaded when a shop is chosen, and when the person changes.
effect(() => {
  const shopId = shop.value;
  products.value = undefined;
  if (shopId) void loadProducts();
});

export { changes };
effect(() => {
  if (slowChanges.value > 0) void untracked(loadProducts);
});

export function ShopChooser() {
  if (!shops.value || shops.value.length === 0) return null;
  return (
    <label class="field">
      <span class="visually-hidden">Shop</span>
      <select value={shop.value} onChange={(event) => choose(event.currentTarget.value)}>
        {shops.value.map((one) => (
          <option key={one.shopId} value={one.shopId}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The words for a refusal of the design. */
export function inWords(error: unknown): string {
  if (!(error instanceof inventory.Refused)) return error instanceof Error ? error.message : String(error);
  const words: Record<string, string> = {
    INSUFFICIENT_STOCK: "There are not so many in stock.",
    DELETED: "This product is deleted; restore it first.",
    SKU_TAKEN: "Another product of this shop has this SKU.",
    FORBIDDEN: `You may not do this. ${error.message}`,
    NOTHING_TO_DO: "A change of 0 changes nothing.",
    SAME_SHOP: "Both shops are the same.",
    TARGET_NOT_FOUND: "The other shop does not have this product.",
    ALREADY_EXISTS: "There is one with this id already.",
    DIFFERENT_REQUEST: "Another sale has this number.",
    NOT_LOGGED_IN: "Your session has ended; log in again.",
  };
  return words[error.refusal] ?? error.message;
}
