// The pages of tavola-text-analyzer from the outside: a real process, a real browser. With ENDPOINT the database and the bucket are in another process, so that
// the browser uploads to another origin.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, scratchFolder, startBrowser, startProgram } from "../browser/harness.mjs";

const program = process.env.PROGRAM;
const v1 = "/v1/text-analyzer-history";
const sample = "Don't stop: e-mail 3rd naïve café Café";
const folder = scratchFolder();
let elsewhere; // database and buckets
let bucketUrl;
let app;
let browser;

const sha256 = (content) => createHash("sha256").update(content).digest("hex");
const file = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
const open = (where = "") => openPage(browser.context, app.url, where, bucketUrl ? [bucketUrl] : []);
const ownerOf = (page) => page.evaluate(() => localStorage.getItem("ownerId"));
const uploadOf = (page, name) => page.locator(".upload", { hasText: name });
const rowOf = (page, name) => page.getByRole("table").getByRole("row", { name });
const choose = (page, ...files) => page.locator(".drop input[type=file]").setInputFiles(files);

async function announce(owner, name, content, fingerprint = sha256(content)) {
  const answer = await fetch(`${app.url}/files`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ownerId: owner, name, size: content.length, fingerprint }) });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

async function uploadFromElsewhere(owner, name, content) {
  const { fileId, upload } = await announce(owner, name, content);
  assert.equal((await fetch(upload.url, { method: "PUT", body: content })).status, 200);
  return fileId;
}

const filesOf = async (owner) => (await (await fetch(`${app.url}${v1}/listFilesByOwner?ownerId=${owner}`)).json()).items;

/** Drops files as a person does who drags them over the page. */
async function dropFiles(page, ...files) {
  const dragged = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const [name, content] of all) transfer.items.add(new File([content], name, { type: "text/plain" }));
    return transfer;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: dragged });
  await page.getByText("Let go to upload").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: dragged });
}

async function startElsewhere() {
  const keys = path.join(folder.path, "keys.txt");
  writeFileSync(keys, "x x\n", { mode: 0o600 });
  elsewhere = await startProgram(process.env.TAVOLA, "serve", "--in-memory", "--credentials", keys, "--buckets", path.join(folder.path, "buckets"), "--s3-port", "0");
  [, bucketUrl] = /serving buckets url=(\S+)/.exec(elsewhere.log());
  return ["--endpoint", elsewhere.url, "--s3", bucketUrl, "--poll", "50ms"];
}

before(async () => {
  app = await startProgram(program, "serve", ...(process.env.ENDPOINT ? await startElsewhere() : ["--in-memory"]), "--max-size", "8MB");
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  await app?.stop();
  await elsewhere?.stop();
  folder.remove();
});

test("a text that is dropped is uploaded, counted and shown, and the same one again is not repeated", async () => {
  const page = await open();
  await page.getByText("No texts yet").waitFor();
  await page.getByText("Up to 8 MB each").waitFor();
  await dropFiles(page, ["poem.txt", sample], ["other.txt", "one two"]);
  await uploadOf(page, "poem.txt").getByText("9 words, 8 different ones").waitFor();
  await uploadOf(page, "other.txt").getByText("2 words, 2 different ones").waitFor();
  await rowOf(page, "poem.txt").getByText("Analysed").waitFor();

  await uploadOf(page, "poem.txt").getByRole("link", { name: "poem.txt" }).click();
  await page.getByRole("heading", { name: "poem.txt" }).waitFor();
  await page.getByText("3.11").waitFor();
  const bars = await page.locator(".bars li").allInnerTexts();
  assert.equal(bars.length, 8);
  assert.match(bars[0], /^café\s+2 · 22\.2 %/);
  assert.deepEqual(bars.slice(1).map((bar) => bar.split(/\s/)[0]), ["don", "e", "mail", "naïve", "rd", "stop", "t"]);

  await page.getByRole("link", { name: "All texts" }).click();
  await choose(page, file("again.txt", sample));
  await uploadOf(page, "again.txt").getByText("analysed before").waitFor();
  const owner = await ownerOf(page);
  assert.deepEqual((await filesOf(owner)).map((one) => one.originalFileName).sort(), ["other.txt", "poem.txt"]);
  assert.ok((await filesOf(owner)).some((one) => one.fileId === sha256(`${owner}:${sha256(sample)}`)));
  await page.reload();
  await rowOf(page, "poem.txt").waitFor();
  assert.equal(await ownerOf(page), owner);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("an upload shows how far it is, and can be cancelled", async () => {
  const page = await open();
  const network = await browser.context.newCDPSession(page);
  await network.send("Network.enable");
  const slowly = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1 << 20 };
  await network.send("Network.emulateNetworkConditions", slowly);
  const content = "many words ".repeat(300_000); // 3.3 MB: more than one piece for the fingerprint
  await choose(page, file("large.txt", content));
  const progress = page.getByRole("progressbar", { name: "Uploading large.txt" });
  await progress.and(page.locator(":not([aria-valuenow='0'])")).waitFor();
  const share = Number(await progress.getAttribute("aria-valuenow"));
  assert.ok(share > 0 && share < 100, `${share} %`);
  await page.getByRole("button", { name: "Cancel large.txt" }).click();
  await uploadOf(page, "large.txt").waitFor({ state: "detached" });
  await rowOf(page, "large.txt").getByText("Not uploaded yet").waitFor();

  await network.send("Network.emulateNetworkConditions", { ...slowly, uploadThroughput: -1 });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload: choose large.txt" }).click();
  await (await chooser).setFiles([file("large.txt", content)]);
  await uploadOf(page, "large.txt").getByText("600,000 words, 2 different ones").waitFor();
  const owner = await ownerOf(page);
  assert.ok((await filesOf(owner)).some((one) => one.fileId === sha256(`${owner}:${sha256(content)}`)));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("what the server would refuse is refused before the upload, and the server refuses it, too", async () => {
  const page = await open();
  const asked = [];
  page.on("request", (request) => request.method() !== "GET" && asked.push(request.url()));
  await choose(page, file("photo.png", "x"), file("huge.txt", "a".repeat((8 << 20) + 1)));
  await uploadOf(page, "photo.png").getByText("A file .png is not taken for text.").waitFor();
  await uploadOf(page, "huge.txt").getByText("8 MB are allowed").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Try again: (photo|huge)/ }).count(), 0);
  assert.deepEqual(asked, []);
  await page.getByText("Kinds of files").click();
  const kinds = (await page.locator(".drop details p").innerText()).match(/\.\w+/g);
  assert.ok(kinds.length > 10);
  for (const kind of kinds) await announce("kinds", `a${kind}`, "x");
  await page.getByRole("button", { name: "Clear the list" }).click();
  assert.equal(await page.locator(".upload").count(), 0);
  await page.close();
});

test("an upload that is interrupted and an analysis that fails are tried again", async () => {
  const page = await open();
  let interruptions = 1;
  await page.route(/\/texts\/uploads\//, (route) => (interruptions-- > 0 ? route.abort("connectionreset") : route.continue()));
  await choose(page, file("train.txt", "in a tunnel"));
  await uploadOf(page, "train.txt").getByText("The upload was interrupted").waitFor();
  await page.getByRole("button", { name: "Try again: train.txt" }).click();
  await uploadOf(page, "train.txt").getByText("3 words").waitFor();
  await page.unroute(/\/texts\/uploads\//);

  await choose(page, { name: "broken.txt", mimeType: "text/plain", buffer: Buffer.from([0x61, 0xff, 0xfe, 0x62]) });
  const why = "The file is not text: byte 2";
  await uploadOf(page, "broken.txt").getByText(why).waitFor();
  const [before] = await filesOf(await ownerOf(page));
  const uploaded = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await page.getByRole("button", { name: "Try again: broken.txt" }).click();
  await uploaded;
  await uploadOf(page, "broken.txt").getByText(why).waitFor();
  const [afterwards] = await filesOf(await ownerOf(page));
  assert.equal(afterwards.fileId, before.fileId);
  assert.notEqual(afterwards.s3Key, before.s3Key);
  assert.ok(afterwards.updatedAt > before.updatedAt);

  await page.reload();
  await rowOf(page, "broken.txt").getByText("Failed").waitFor();
  await rowOf(page, "broken.txt").getByRole("link").click();
  await page.getByText(why).waitFor();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Try again: choose broken.txt" }).click();
  await (await chooser).setFiles([file("mended.txt", "now it is text")]);
  await uploadOf(page, "mended.txt").getByText("4 words").waitFor();
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a page learns of what other programs do with its owner's files, and of nobody else's", async () => {
  const page = await open();
  const owner = await ownerOf(page);
  await page.getByRole("table").waitFor();
  const requests = [];
  page.on("request", (request) => request.url().includes("listFilesByOwner") && requests.push(request.url()));
  await uploadFromElsewhere("somebody", "theirs.txt", "not mine");
  const id = await uploadFromElsewhere(owner, "mine.txt", "by another program");
  await rowOf(page, "mine.txt").getByText("Analysed").waitFor();
  assert.equal(await rowOf(page, "theirs.txt").count(), 0);
  assert.ok(requests.length > 0 && requests.every((url) => url.includes(owner)));
  await page.getByRole("link", { name: "this link" }).waitFor();
  await page.goto(`${app.url}/?owner=somebody`);
  await rowOf(page, "theirs.txt").getByText("Analysed").waitFor();
  assert.equal(await page.getByRole("button", { name: "Choose files" }).count(), 0);
  await uploadFromElsewhere("somebody", "more.txt", "while others look");
  await rowOf(page, "more.txt").getByText("Analysed").waitFor();
  await page.getByRole("link", { name: "Your own texts" }).click();
  await rowOf(page, "mine.txt").waitFor();
  assert.equal(await ownerOf(page), owner);
  await page.goto(`${app.url}/file?id=${id}`);
  await page.getByText("different").first().waitFor();
  await page.goto(`${app.url}/file?id=nothing`);
  await page.getByText("There is no such text").waitFor();
  await page.close();
});

test("the history is the newest first, in pages; another browser has another one", async () => {
  const page = await open();
  await page.getByRole("table").waitFor();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByText("No texts yet").waitFor();
  const owner = await ownerOf(page);
  for (let number = 1; number <= 45; ++number) await announce(owner, `text ${number}.txt`, `${number}`);
  await page.reload();
  await rowOf(page, "text 45.txt").waitFor();
  const rows = page.locator("tbody tr");
  const names = async () => (await rows.locator("a").allInnerTexts()).map((name) => Number(/\d+/.exec(name)[0]));
  for (const count of [20, 40, 45]) {
    await rows.nth(count - 1).waitFor();
    assert.deepEqual(await names(), Array.from({ length: count }, (_, index) => 45 - index));
    const more = page.getByRole("button", { name: "Show more" });
    if (count < 45) await more.click();
    else assert.equal(await more.count(), 0);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the page works with the keyboard, on a phone, and has no serious problem of accessibility in light and dark", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Choose files" }).waitFor();
  const chooser = page.waitForEvent("filechooser");
  for (let presses = 0; presses < 10 && (await page.evaluate(() => document.activeElement.textContent)) !== "Choose files"; ++presses) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const name = `${"a-very-long-name-".repeat(8)}.txt`;
  await (await chooser).setFiles([file(name, `${sample} ${"longestwordofall".repeat(12)}`), file("bad.txt", "x"), { name: "broken.txt", mimeType: "", buffer: Buffer.from([0xff]) }]);
  await uploadOf(page, name).getByText("10 words").waitFor();
  await uploadOf(page, "broken.txt").getByText("not text").waitFor();
  await checkAccessibility(page, "texts");
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await fits(), "the texts on a phone");
  await uploadOf(page, name).getByRole("link").click();
  await page.getByText("café", { exact: true }).waitFor();
  assert.ok(await fits(), "the result on a phone");
  await page.setViewportSize({ width: 1280, height: 860 });
  await checkAccessibility(page, "the result");
  await page.goBack();
  await rowOf(page, "broken.txt").getByRole("link").click();
  await page.getByText("not text").waitFor();
  await checkAccessibility(page, "a failure");
  assert.deepEqual(page.problems, []);
  await page.close();
});
