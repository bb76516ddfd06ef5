// Alerts of tavola-inventory: a real mail server (aiosmtpd, STARTTLS, login), a webhook, programs that are killed; and reports.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { logIn, scratchFolder, startDatabase, startProgram } from "../browser/harness.mjs";

const program = process.env.PROGRAM;
const v1 = "/v1/InventorySystem";
let folder;

before(() => {
  folder = scratchFolder();
  const file = (name) => path.join(folder.path, name);
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", file("key.pem"), "-out", file("cert.pem")], { stdio: "ignore" });
  writeFileSync(file("password"), "open sesame\n");
  writeFileSync(file("secret"), "a secret of the webhook\n");
});
after(() => folder.remove());

/** Lines of JSON as they come; wait() returns when there are so many. */
class Received {
  all = [];
  #waiting = [];
  add(one) {
    this.all.push(one);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => this.all.length < count || (resolve(), false));
  }
  async wait(count) {
    if (this.all.length < count) await new Promise((resolve) => this.#waiting.push({ count, resolve }));
    return this.all;
  }
}

async function startMailServer(...options) {
  const file = (name) => path.join(folder.path, name);
  const child = spawn("/usr/bin/python3", ["-B", "tests/systems/smtp_server.py", file("cert.pem"), file("key.pem"), "till", "open sesame", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const received = new Received();
  const port = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the mail server ended with ${code}`)));
    let port;
    createInterface({ input: child.stdout }).on("line", (line) => (port === undefined ? resolve((port = Number(line))) : received.add(JSON.parse(line))));
  });
  const ended = once(child, "exit");
  return { port, received, stop: async () => (child.stdin.end(), await ended) };
}

async function startWebhook(refuse = 0) {
  const received = new Received();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      if (refuse-- > 0) return response.writeHead(503).end();
      response.writeHead(204).end();
      received.add({ headers: request.headers, body });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/messages`, received, stop: () => (server.closeAllConnections(), server.close()) };
}

const mailOptions = (port) => [
  "--smtp", `smtp://localhost:${port}`, "--smtp-user", "till", "--smtp-password-file", path.join(folder.path, "password"), "--smtp-ca", path.join(folder.path, "cert.pem"),
  "--mail-from", "till@example.com", "--retry-after", "1",
];

async function done(answer) {
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Opens a shop with a lamp: 5 in stock, to be ordered below 5. */
async function open(inventory) {
  const anna = await logIn(inventory.url, "anna", ["owner"]);
  await done(await anna(`${v1}/createShop`, { shopId: "s1", name: "Café am Eck", ownerId: "anna", notificationEmail: "alerts@example.com", notificationPhone: "+491701234567" }));
  await done(await anna(`${v1}/createProduct`, { shopId: "s1", productId: "p1", name: "Lamp", sku: "SKU-001", category: "Light", unitPrice: 29.99, currentStock: 5, reorderThreshold: 5 }));
  return anna;
}
const sell = async (anna, saleId) => done(await anna(`${v1}/recordSale`, { shopId: "s1", productId: "p1", saleId, quantity: 1 }));
async function statesOf(anna) {
  const { messages } = await done(await anna("/api/messages?shopId=s1"));
  return messages.map(({ channel, state }) => `${channel} ${state}`).sort();
}
async function until(what, isSo) {
  for (let attempt = 0; attempt < 600; ++attempt) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`it did not come to pass: ${what}`);
}

// covers INV4
test("stock that falls below the threshold is told once, by mail and to the webhook, also if both refuse at first", async () => {
  const mail = await startMailServer("--refuse", "1");
  const webhook = await startWebhook(1);
  const inventory = await startProgram(program, "--in-memory", "--dev-login", ...mailOptions(mail.port), "--webhook", webhook.url, "--webhook-secret-file", path.join(folder.path, "secret"));
  const anna = await open(inventory);
  await sell(anna, "a");
  const [letter] = await mail.received.wait(1);
  assert.deepEqual([letter.from, letter.to], ["till@example.com", ["alerts@example.com"]]);
  assert.equal(letter.subject, "Café am Eck: Lamp must be ordered");
  assert.match(letter.text, /Only 4 of Lamp are left in Café am Eck\. There should be at least 5\./);
  const [call] = await webhook.received.wait(1);
  assert.equal(call.headers["x-tavola-signature"], `sha256=${createHmac("sha256", "a secret of the webhook").update(call.body).digest("hex")}`);
  const { to, id } = JSON.parse(call.body);
  assert.deepEqual([to, call.headers["idempotency-key"]], ["+491701234567", id]);
  await until("both are marked as sent", async () => (await statesOf(anna)).join() === "email SENT,webhook SENT");
  // Another sale below the threshold is no crossing; after new stock there is one again.
  await sell(anna, "b");
  await done(await anna(`${v1}/adjustStock`, { shopId: "s1", productId: "p1", transactionId: "t1", quantityChange: 2, reason: "purchase" }));
  await sell(anna, "c");
  const letters = await mail.received.wait(2);
  await webhook.received.wait(2);
  await until("all are marked as sent", async () => (await statesOf(anna)).join() === "email SENT,email SENT,webhook SENT,webhook SENT");
  assert.equal(letters.length, 2);
  assert.notEqual(letters[0].id, letters[1].id);
  const ben = await logIn(inventory.url, "ben", ["staff", "shop:s9"]);
  assert.equal((await ben("/api/messages?shopId=s1")).status, 403);
  await inventory.stop();
  await mail.stop();
  webhook.stop();
});

// covers INV4, INV9
test("a message survives kill -9, and is sent once afterwards; reports read the same data", async () => {
  const data = path.join(folder.path, "data");
  const silent = createServer().listen(0, "127.0.0.1"); // a port on which nobody answers mail
  await once(silent, "listening");
  const { port } = silent.address();
  silent.close();
  await once(silent, "close");
  let inventory = await startProgram(program, "--data", data, "--dev-login", "--currency", "EUR", ...mailOptions(port));
  let anna = await open(inventory);
  await sell(anna, "a");
  await until("an attempt fails", async () => {
    const { messages } = await done(await anna("/api/messages?shopId=s1"));
    return messages.length === 1 && messages[0].state === "WAITING" && messages[0].lastError !== "";
  });
  await inventory.kill();
  const mail = await startMailServer();
  inventory = await startProgram(program, "--data", data, "--dev-login", ...mailOptions(mail.port));
  await mail.received.wait(1);
  anna = await logIn(inventory.url, "anna", ["owner"]);
  await until("it is marked as sent", async () => (await statesOf(anna)).join() === "email SENT");
  await inventory.stop();
  assert.equal(mail.received.all.length, 1);
  await mail.stop();

  const report = (...options) => execFileSync(program, ["report", "--data", data, "--currency", "EUR", ...options], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.match(report("--period", "today"), /Café am Eck, .*, in EUR\n\nSales by day\n[^]*all +1 +1 +29\.99\n[^]*Best products\n[^]*Lamp +1 +1 +29\.99\n[^]*Light +1 +4 +119\.96\n[^]*Lamp +SKU-001 +4 +5\n/);
  const { shops } = JSON.parse(report("--format", "json", "--period", "month"));
  assert.deepEqual([shops[0].shopId, shops[0].sales, shops[0].revenue, shops[0].low[0].sku], ["s1", 1, 29.99, "SKU-001"]);
  assert.match(report("--format", "csv", "--period", "week"), /^shop,day,sales,quantity,revenue,average\r\nCafé am Eck,\d{4}-\d\d-\d\d,1,1,29\.99,29\.99\r\n$/);
  assert.match(report("--format", "html"), /<h1>Café am Eck,[^]*<td class="n">29\.99<\/td>/);
  assert.throws(() => report("--period", "yesterday"), /Command failed/);
});

// covers INV9
test("a summary of the day is sent once", async () => {
  const mail = await startMailServer();
  const options = ["--in-memory", "--dev-login", "--summary-at", "00:00", "--zone", "Europe/Berlin", ...mailOptions(mail.port)];
  const inventory = await startProgram(program, ...options);
  const anna = await open(inventory);
  const [letter] = await mail.received.wait(1);
  assert.match(letter.subject, /^Café am Eck: the day \d{4}-\d\d-\d\d$/);
  assert.match(letter.text, /No sales\.\n\nNothing must be ordered\./);
  await sell(anna, "a"); // another message; the summary is not sent again with it
  await mail.received.wait(2);
  assert.match(mail.received.all[1].subject, /must be ordered/);
  await inventory.stop();
  assert.equal(mail.received.all.length, 2);
  await mail.stop();
});

// covers INV4
test("two programs on one database send a message once", async () => {
  const mail = await startMailServer();
  const database = await startDatabase();
  const options = ["--endpoint", database.url, "--dev-login", ...mailOptions(mail.port)];
  const first = await startProgram(program, ...options);
  const second = await startProgram(program, ...options);
  const anna = await open(first);
  const other = await logIn(second.url, "anna", ["owner"]);
  await Promise.all([sell(anna, "a"), sell(other, "b"), sell(anna, "c")]);
  await mail.received.wait(1);
  await until("it is marked as sent", async () => (await statesOf(other)).join() === "email SENT");
  await Promise.all([first.stop(), second.stop()]);
  assert.equal(mail.received.all.length, 1);
  await database.stop();
  await mail.stop();
});
