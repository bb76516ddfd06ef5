// A program and a browser for the duration of a test. The kernel chooses the port; data is in memory or in a scratch folder; everything ends with
// the test. Set WEB_PACKAGES to the node_modules of web/ (CMake does).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const load = createRequire(path.join(process.env.WEB_PACKAGES, "index.js"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

// Any key will do for the server of a test; those of the machine stay where they are.
const keys = { AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", AWS_REGION: "local", AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null", NO_PROXY: "*" };
const startSeconds = 60; // far more than it takes: the machine may be busy

/** Starts a program that logs "listening url=…". Returns it with its url; stop() must end it with exit code 0. */
export async function startProgram(program, ...options) {
  const child = spawn(program, [...options, "--port", "0"], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...keys } });
  let log = "";
  child.stdout.resume();
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => (child.kill("SIGKILL"), reject(new Error(`the program does not listen:\n${log}`))), startSeconds * 1000);
    child.stderr.on("data", (bytes) => {
      log += bytes;
      const found = /listening url=(\S+)/.exec(log);
      if (found) clearTimeout(timer), resolve(found[1]);
    });
    child.once("exit", (code) => (clearTimeout(timer), reject(new Error(`the program ended with ${code}:\n${log}`))));
  });
  const ended = once(child, "exit");
  return {
    url,
    log: () => log,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      assert.equal(code, 0, log);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a database that applications use with --endpoint. It knows no design. */
export const startDatabase = () => startProgram(process.env.TAVOLA, "serve", "--in-memory", "--quiet");

export function scratchFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "tavola-systems-"));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts Chromium without its own windows, which takes a third less CPU than `chromium --headless`; it speaks to this machine only. CHROMIUM names another one. */
export async function startBrowser() {
  const folder = scratchFolder();
  const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const context = await chromium.launchPersistentContext(folder.path, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell", headless: true, args: quiet, locale: "en-GB", timezoneId: "Europe/Berlin", viewport: { width: 1280, height: 860 },
  });
  return { context, close: async () => (await context.close(), folder.remove()) };
}

/** A page that fails the test when it logs an error, or asks an origin for anything that is not its own, or one of `others`. */
export async function openPage(context, url, where = "", others = []) {
  const origins = [url, ...others];
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && !/Failed to load resource/.test(message.text()) && page.problems.push(message.text()));
  page.on("request", (request) => {
    if (!origins.includes(new URL(request.url()).origin) && !request.url().startsWith("data:")) page.problems.push(`a request to ${request.url()}`);
  });
  await page.goto(url + where);
  return page;
}

/** Fails if axe-core finds a serious problem in a theme. Themes differ in their colours only, so the second one is asked about these. */
export async function checkAccessibility(page, name) {
  assert.equal(await page.locator(".starting").count(), 0, "what a page shows until its first view is there stays");
  for (const [theme, rules] of [["light", undefined], ["dark", ["color-contrast", "link-in-text-block"]]]) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
    const found = await page.evaluate((runOnly) => globalThis.axe.run(document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) }), rules);
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const words = serious.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n  ")}`);
    assert.equal(words.join("\n"), "", `${name}, ${theme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** The address of the issuer that a program with --dev-login has. */
export const issuerOf = (program) => /issuer=(\S+)/.exec(program.log())[1];

/** Goes the way of a login at the issuer of --dev-login, as a browser would. Returns a function that sends requests of that session. */
export async function logIn(url, user, groups) {
  const begun = await fetch(`${url}/login/oidc`, { redirect: "manual" });
  assert.equal(begun.status, 303, await begun.text());
  const asked = new URL(begun.headers.get("location"));
  const choice = new URLSearchParams({ ...Object.fromEntries(asked.searchParams), user, groups: groups.join(",") });
  const chosen = await fetch(asked.origin + asked.pathname, { method: "POST", body: choice, redirect: "manual" });
  assert.equal(chosen.status, 303, await chosen.text());
  const back = await fetch(chosen.headers.get("location"), { redirect: "manual", headers: { Cookie: begun.headers.get("set-cookie").split(";")[0] } });
  assert.equal(back.status, 303, await back.text());
  const cookie = back.headers.getSetCookie().map((one) => one.split(";")[0]).find((one) => !one.includes("-login-"));
  const { csrf } = await (await fetch(`${url}/session`, { headers: { Cookie: cookie } })).json();
  const send = (where, body, headers = {}) =>
    fetch(url + where, {
      method: body === undefined ? "GET" : "POST", ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { Cookie: cookie, "X-Page-Token": csrf, ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    });
  send.cookie = cookie;
  return send;
}

/** Opens a page of somebody who is logged in: `person` comes from logIn. */
export async function openAs(context, url, person, where = "") {
  const [name, value] = person.cookie.split("=");
  await context.clearCookies();
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Strict" }]);
  return openPage(context, url, where);
}
