// `make demo` in a browser: its links lead to the applications, people can log in, and its page and the crawler's have no serious problem of accessibility.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { checkAccessibility, startBrowser } from "../browser/harness.mjs";

const build = process.env.BUILD;
const ports = [8000, 8001, 8002, 8010, 8011, 8012, 8013, 8014];
let shift;
let demo;
let browser;

async function isFree(port) {
  const probe = createServer().listen(port, "127.0.0.1");
  return Promise.race([once(probe, "listening").then(() => true), once(probe, "error").then(() => false)]).finally(() => probe.close());
}

async function freeShift() {
  for (let candidate = 20_048; candidate < 50_000; candidate += 97) {
    const free = await Promise.all(ports.map((port) => isFree(port + candidate)));
    if (free.every(Boolean)) return candidate;
  }
  throw new Error("no free ports");
}

const urlOf = (port) => `http://127.0.0.1:${port + shift}`;

before(async () => {
  shift = await freeShift();
  demo = spawn("python3", ["-B", "systems/demo.py", build, "--shift", String(shift)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(demo, "exit").then(() => assert.fail("the demo does not start"));
  await Promise.race([once(demo.stdout, "data"), ended]);
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  const ended = once(demo, "exit");
  demo.kill("SIGINT");
  const [code] = await ended;
  assert.equal(code, 0);
});

async function checkPage(page, name) {
  await checkAccessibility(page, name);
  await page.setViewportSize({ width: 390, height: 800 });
  const { whole, shown } = await page.evaluate(() => ({ whole: document.documentElement.scrollWidth, shown: innerWidth }));
  assert.ok(whole <= shown, `${name} is ${whole} px wide on a phone of ${shown}`);
  await page.setViewportSize({ width: 1280, height: 860 });
}

test("the links of the demo lead to its applications", async () => {
  const page = await browser.context.newPage();
  await page.goto(urlOf(8010));
  await page.screenshot({ path: "/tmp/demo-links.png" });
  await checkPage(page, "the links");
  for (const [name, port, words] of [["Inventory", 8014, "Log in"], ["Catalogue", 8013, "ratings"], ["Text analyzer", 8012, "Texts"], ["Crawler", 8011, "Shops"], ["Console", 8001, "InventorySystem"]]) {
    await page.getByRole("link", { name, exact: true }).click();
    await page.waitForURL(`${urlOf(port)}/**`);
    await page.getByText(words).first().waitFor();
    await page.goBack();
  }
  await page.getByRole("link", { name: "Inventory", exact: true }).click();
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByRole("button", { name: "owner" }).first().click();
  await page.waitForURL(`${urlOf(8014)}/**`);
  await page.getByRole("heading", { name: "Stock by category" }).waitFor(); // of a shop that the sample data has
  await page.close();
});

test("the crawler's status page shows its shops", async () => {
  const page = await browser.context.newPage();
  await page.goto(urlOf(8011));
  await page.getByText("DE", { exact: true }).first().waitFor();
  await checkPage(page, "the crawler's status");
  const counted = () => page.getByText("Shops counted at").innerText();
  const before = await counted();
  await page.waitForFunction((known) => !document.body.innerText.includes(known), before); // it reads itself again
  await page.getByLabel("Update every 5 seconds").uncheck();
  await page.close();
});
