// The pictures of the pages: node screenshots.mjs FOLDER, in light and dark, wide and on a phone. `make screenshots` runs it.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { issuerOf, logIn, openPage, startBrowser, startProgram } from "../browser/harness.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const inventory = await startProgram(process.env.PROGRAM, "--in-memory", "--dev-login", "--currency", "EUR");
const browser = await startBrowser();
const anna = await logIn(inventory.url, "anna", ["owner"]);
const ben = await logIn(inventory.url, "ben", ["staff", "shop:s1"]);
const post = async (name, body, who = anna) => {
  const answer = await who(`/v1/InventorySystem/${name}`, body);
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
};

await post("createShop", { shopId: "s1", name: "Corner Shop", ownerId: "anna", address: "12 Mill Lane", notificationEmail: "alerts@example.com" });
await post("createShop", { shopId: "s2", name: "Market Stall", ownerId: "anna", address: "Old Market 3" });
const goods = [
  ["Desk lamp", "LMP-100", "Light", 29.99, 42, 10], ["Reading lamp", "LMP-220", "Light", 54.5, 12, 5], ["Bulb, warm white", "BLB-001", "Light", 3.5, 180, 40],
  ["Notebook A5, dotted", "NTB-A5D", "Paper", 6.9, 95, 30], ["Fountain pen", "PEN-F01", "Writing", 38, 11, 6], ["Ink, midnight blue", "INK-MB", "Writing", 9.8, 4, 8],
  ["Desk organiser", "ORG-03", "Desk", 24.9, 19, 5], ["Cork board", "BRD-60", "Desk", 18.75, 2, 4], ["Wooden ruler", "RUL-30", "Desk", 4.2, 61, 10],
];
for (const [index, [name, sku, category, unitPrice, currentStock, reorderThreshold]] of goods.entries()) {
  await post("createProduct", { shopId: "s1", productId: `p${index}`, name, sku, category, unitPrice, currentStock, reorderThreshold, location: `Shelf ${"ABC"[index % 3]}${(index % 4) + 1}` });
}
// Sales of the last days, always the same.
const day = 86_400_000;
for (let number = 0; number < 46; ++number) {
  const ago = (number * 7) % 7;
  const moment = new Date(Date.now() - ((number % 7) + ago) * day - (number % 5) * 3_600_000 - 60_000);
  await post("recordSale", { shopId: "s1", productId: `p${[0, 3, 2, 1, 4, 8, 6, 3, 2][number % 9]}`, saleId: `sale${number}`, quantity: 1 + (number % 3 === 0 ? 1 : 0), performedBy: number % 2 ? "anna" : "ben", timestamp: moment.toISOString().replace(/\.\d+Z/, "Z") }, number % 2 ? anna : ben);
}

const views = [["dashboard", "/", "To be ordered"], ["sell", "/sell", "Just now"], ["products", "/products", "Cork board"], ["history", "/history", "Revenue"], ["alerts", "/alerts", "Notices"], ["shops", "/shops", "Mill Lane"]];
const sizes = [["wide", 1280, 860], ["phone", 390, 844]];
for (const theme of ["light", "dark"]) {
  for (const [size, width, height] of sizes) {
    await browser.context.clearCookies();
    const page = await openPage(browser.context, inventory.url, "", [issuerOf(inventory)]);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    const save = (name) => page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`), fullPage: true });
    await page.getByRole("link", { name: "Log in" }).click();
    await page.getByRole("button", { name: "anna" }).waitFor();
    await save("login");
    await page.getByRole("button", { name: "anna" }).click();
    for (const [name, where, ready] of views) {
      await page.goto(inventory.url + where);
      const found = await page.getByText(ready).first().waitFor({ timeout: 10_000 }).then(() => true, () => false);
      if (!found) continue;
      await save(name);
      if (name === "products") {
        await page.getByRole("button", { name: "Edit Cork board" }).click();
        await page.getByRole("dialog").waitFor();
        await page.screenshot({ path: path.join(folder, `edit-${size}-${theme}.png`) });
        await page.keyboard.press("Escape");
      }
    }
    await page.close();
  }
}
await browser.close();
await inventory.stop();
