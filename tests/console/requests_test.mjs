// The request inspector: live rows with their patterns, refusals in words, filters, pause, sending again, code; ten thousand requests per second.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";
import { checkAccessibility, openPage, scratchFolder, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole, stored } from "./console.mjs";

const design = `
design: 1
name: library
table: { name: library, hash: PK, range: SK }
indexes:
  byYear: { hash: year, range: SK, project: all }
entities:
  Book:
    key: { PK: AUTHOR#<author>, SK: BOOK#<title> }
    index: { byYear: { hash: <year>, range: BOOK#<title> } }
    attributes:
      author: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: string }
      reader: { type: string, sensitive: true }
      pages: { type: number }
operations:
  addBook: { steps: [{ put: Book }] }
patterns:
  book: { get: Book }
  booksOf: { query: Book, via: table, hash: AUTHOR#<author>, range: begins_with BOOK# }
  booksOfYear: { query: Book, via: byYear, hash: <year> }
`;

let folder;
let console_;
let browser;

before(async () => {
  folder = scratchFolder();
  const file = path.join(folder.path, "library.yaml");
  writeFileSync(file, design);
  [console_, browser] = await Promise.all([startConsole("--design", file), startBrowser()]);
  const books = Array.from({ length: 40 }, (_, at) => ({
    PK: { S: "AUTHOR#ursula" }, SK: { S: `BOOK#${at}` }, author: { S: "ursula" }, title: { S: String(at) }, year: { S: String(1960 + (at % 4)) }, type: { S: "Book" },
  }));
  for (const Item of books) await console_.db("PutItem", { TableName: "library", Item });
  await makeTable(console_, "plain", { pk: "S", sk: "N" }, Array.from({ length: 50 }, (_, at) => ({ pk: { S: "a" }, sk: { N: String(at) }, n: { N: String(at) } })));
});

after(async () => {
  await browser?.close();
  await console_?.stop();
  folder?.remove();
});

async function open(where = "") {
  const page = await openPage(browser.context, console_.url, `/requests${where}`);
  await page.getByRole("status").getByText("Live").waitFor();
  await page.getByRole("button", { name: "Clear" }).click(); // the server may still have those of the test before
  return page;
}
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}
const row = (page, text) => page.getByRole("row").filter({ hasText: text }).first();
const panel = (page) => page.getByRole("complementary", { name: "Request" });
/** Sends an operation that is refused, as a program would. */
async function refused(operation, body) {
  await assert.rejects(console_.db(operation, body));
}

test("requests appear as they come: with the pattern that explains them, without one, and Scans", async () => {
  const page = await open();
  await page.getByText("No request yet").waitFor();
  await console_.db("Query", { TableName: "library", KeyConditionExpression: "PK = :p AND begins_with(SK, :s)", ExpressionAttributeValues: { ":p": { S: "AUTHOR#ursula" }, ":s": { S: "BOOK#" } } });
  await row(page, "booksOf").waitFor();
  await console_.db("Query", { TableName: "library", KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "AUTHOR#ursula" } } });
  await row(page, "no pattern").waitFor();
  await console_.db("Query", { TableName: "library", IndexName: "byYear", KeyConditionExpression: "#y = :y", ExpressionAttributeNames: { "#y": "year" }, ExpressionAttributeValues: { ":y": { S: "1961" } } });
  assert.match(await row(page, "booksOfYear").innerText(), /library · byYear/);
  await console_.db("Scan", { TableName: "plain", FilterExpression: "n = :n", ExpressionAttributeValues: { ":n": { N: "7" } } });
  assert.match(await row(page, "50 → 1").innerText(), /Scan[\s\S]*plain/);
  await console_.db("ExecuteStatement", { Statement: "SELECT * FROM plain WHERE n = 3" });
  assert.match(await row(page, "ExecuteStatement").innerText(), /plain[\s\S]*Scan/);
  await console_.db("TransactGetItems", { TransactItems: [{ Get: { TableName: "library", Key: { PK: { S: "AUTHOR#ursula" }, SK: { S: "BOOK#1" } } } }] });
  assert.match(await row(page, "TransactGetItems").innerText(), /book/);
  const answer = await fetch(`${console_.endpoint}/v1/library/booksOfYear?year=1962`);
  assert.equal(answer.status, 200);
  assert.match(await row(page, "GET /v1/library/booksOfYear").innerText(), /booksOfYear/);
  await checkAccessibility(page, "the requests");
  await close(page);
});

test("a refused request says why, in the list and in words", async () => {
  const page = await open("?status=refused");
  await refused("PutItem", { TableName: "plain", Item: { pk: { S: "a" }, sk: { N: "1" } }, ConditionExpression: "attribute_not_exists(pk)" });
  await refused("PutItem", { TableName: "library", Item: { PK: { S: "AUTHOR#x" }, SK: { S: "BOOK#y" }, author: { S: "x" }, year: { BOOL: true } } });
  await row(page, "ConditionalCheckFailed").click();
  await panel(page).getByText("The conditional request failed").waitFor();
  await page.keyboard.press("Escape");
  await row(page, "library").click();
  await panel(page).getByText(/year/).first().waitFor();
  await panel(page).getByRole("button", { name: "Close the request" }).click();
  await close(page);
});

test("the filter lets through what it says, and the URL has it", async () => {
  const page = await open();
  await console_.db("GetItem", { TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "1" } } });
  await console_.db("PutItem", { TableName: "plain", Item: { pk: { S: "b" }, sk: { N: "1" } } });
  await console_.db("GetItem", { TableName: "library", Key: { PK: { S: "AUTHOR#ursula" }, SK: { S: "BOOK#1" } } });
  await row(page, "library").waitFor();
  await page.getByLabel("Table", { exact: true }).selectOption("plain");
  await page.getByLabel("Operation").selectOption("GetItem");
  await page.getByText(/^1 of /).waitFor();
  assert.match(page.url(), /table=plain&operation=GetItem|operation=GetItem&table=plain/);
  // What comes later is filtered, too.
  await console_.db("PutItem", { TableName: "plain", Item: { pk: { S: "b" }, sk: { N: "2" } } });
  await console_.db("GetItem", { TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "2" } } });
  await page.getByText(/^2 of /).waitFor();
  await page.getByRole("button", { name: "No filter" }).click();
  await page.getByLabel("Pattern").selectOption("book");
  assert.match(await row(page, "library").innerText(), /GetItem/);
  await page.getByRole("button", { name: "No filter" }).click();
  await page.getByLabel("Text").fill("putitem plain");
  await page.getByText(/^2 of /).waitFor();
  await close(page);
});

test("the list stands still when somebody pauses it or reads, and goes on with what came", async () => {
  const page = await open();
  await console_.db("GetItem", { TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "1" } } });
  await row(page, "GetItem").waitFor();
  await page.keyboard.press("p");
  await page.getByText("Stands still").waitFor();
  await console_.db("DeleteItem", { TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "49" } } });
  await page.getByText("1 new").waitFor();
  assert.equal(await page.getByRole("row").filter({ hasText: "DeleteItem" }).count(), 0);
  await page.getByRole("button", { name: "Go on" }).click();
  await row(page, "DeleteItem").waitFor();
  // By keyboard alone: the row, its details, back.
  await page.getByRole("grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await panel(page).getByText("DeleteItem").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Live").waitFor();
  await close(page);
});

test("a request is sent again as it was, and copied as code", async () => {
  const page = await open();
  const put = { TableName: "plain", Item: { pk: { S: "again" }, sk: { N: "12345678901234567890" } } };
  await console_.db("PutItem", put);
  await console_.db("DeleteItem", { TableName: "plain", Key: put.Item });
  await row(page, "PutItem").click();
  await panel(page).getByText("12345678901234567890").waitFor();
  await panel(page).getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
  await panel(page).getByText("Answered", { exact: true }).waitFor();
  assert.ok(await stored(console_, "plain", put.Item));
  await page.keyboard.press("c");
  await page.getByRole("dialog").getByRole("button", { name: "boto3" }).click();
  await page.getByRole("dialog").getByText("dynamodb.put_item(").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).getByRole("button", { name: "Close the request" }).click();
  // A read asks nothing; what the console itself sends is hidden unless somebody wants it.
  await console_.db("Query", { TableName: "plain", KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "again" } } });
  await row(page, "Query").click();
  await panel(page).getByRole("button", { name: "Send again" }).waitFor();
  await page.keyboard.press("r");
  await panel(page).getByText("Answered", { exact: true }).waitFor();
  await panel(page).getByRole("button", { name: "Close the request" }).click();
  assert.equal(await page.getByRole("row").filter({ hasText: "Query" }).count(), 1);
  await page.getByLabel("console’s own").check();
  await page.getByRole("row").filter({ hasText: "Query" }).nth(1).waitFor();
  await close(page);
});

test("the body of a request under /v1 keeps every digit, in the list and when it is sent again", async () => {
  const page = await open();
  const body = '{"author":"ursula","title":"40","pages":12345678901234567890.10}';
  const answer = await fetch(`${console_.endpoint}/v1/library/addBook`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  assert.equal(answer.status, 200, await answer.text());
  await row(page, "POST /v1/library/addBook").click();
  assert.match(await panel(page).getByLabel("The body of the request").innerText(), /"pages": 12345678901234567890\.10/);
  await close(page);
});

test("sensitive values of a request are hidden until asked for", async () => {
  const page = await open("?table=library&operation=UpdateItem");
  await console_.db("UpdateItem", { TableName: "library", Key: { PK: { S: "AUTHOR#ursula" }, SK: { S: "BOOK#1" } }, UpdateExpression: "SET reader = :r", ExpressionAttributeValues: { ":r": { S: "anna@example.org" } } });
  await row(page, "UpdateItem").click();
  await panel(page).getByText("***").waitFor();
  assert.equal(await page.getByText("anna@example.org").count(), 0);
  await panel(page).getByRole("button", { name: "Show reader" }).click();
  await panel(page).getByText("anna@example.org").waitFor();
  await close(page);
});

for (const [name, request] of [
  ["of an operation", () => console_.db("GetItem", { TableName: "library", Key: { PK: { S: "AUTHOR#ursula" }, SK: { S: "BOOK#1" } } })],
  ["under /v1", () => fetch(`${console_.endpoint}/v1/library/book?author=ursula&title=1`)],
]) {
  test(`sensitive values of the answer to a request ${name} that is sent again are hidden until asked for`, async () => {
    const page = await open();
    await console_.db("UpdateItem", { TableName: "library", Key: { PK: { S: "AUTHOR#ursula" }, SK: { S: "BOOK#1" } }, UpdateExpression: "SET reader = :r", ExpressionAttributeValues: { ":r": { S: "anna@example.org" } } });
    await request();
    await row(page, name.endsWith("v1") ? "GET /v1/library/book" : "GetItem").click();
    await panel(page).getByRole("button", { name: "Send again" }).click();
    await panel(page).getByText("Answered", { exact: true }).waitFor();
    assert.equal(await page.getByText("anna@example.org").count(), 0);
    await panel(page).getByRole("button", { name: "Show the answer, also reader" }).click();
    await panel(page).getByText("anna@example.org").waitFor();
    await close(page);
  });
}

test("a script reads what the page reads", async () => {
  const ask = (where) => fetch(console_.url + where).then((answer) => answer.json());
  const { last } = await ask("/console/requests");
  await console_.db("GetItem", { TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "1" } } });
  const { requests, missed } = await ask(`/console/requests?after=${last}`);
  assert.deepEqual(requests.map(({ operation, tables, status, scanned, key }) => ({ operation, tables, status, scanned, key })), [{ operation: "GetItem", tables: ["plain"], status: 200, scanned: 1, key: "x" }]);
  assert.equal(missed, 0);
  const whole = await ask(`/console/requests/${requests[0].id}`);
  assert.equal(JSON.parse(whole.body).TableName, "plain");
  for (const [where, status, words] of [["/nonsense", 400, /ids are whole numbers/], ["?after=-1", 400, /ids are whole numbers/], ["/1", 404, /no longer kept/]]) {
    const answer = await fetch(`${console_.url}/console/requests${where}`);
    assert.equal(answer.status, status);
    assert.match((await answer.json()).detail, words);
  }
});

/** Sends `count` GetItem requests on some connections, each in batches one after the other. Resolves when all are answered. */
async function burst(count, connections) {
  const { hostname, port } = new URL(console_.endpoint);
  const body = JSON.stringify({ TableName: "plain", Key: { pk: { S: "a" }, sk: { N: "1" } } });
  const request = [
    "POST / HTTP/1.1", `Host: ${hostname}:${port}`, "X-Amz-Target: DynamoDB_20120810.GetItem", "Content-Type: application/x-amz-json-1.0", "X-Amz-Date: 20260101T000000Z",
    "Authorization: AWS4-HMAC-SHA256 Credential=load/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=x", `Content-Length: ${body.length}`, "", body,
  ].join("\r\n");
  const batch = 25;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = net.connect(Number(port), hostname);
      let wanted = 0;
      let wake = () => undefined;
      socket.on("data", (bytes) => {
        for (let at = bytes.indexOf("HTTP/1.1 200"); at >= 0; at = bytes.indexOf("HTTP/1.1 200", at + 1)) wanted--;
        if (wanted <= 0) wake();
      });
      for (let sent = 0; sent < count / connections; sent += batch) {
        wanted = batch;
        await new Promise((resolve, reject) => {
          wake = resolve;
          socket.once("error", reject);
          socket.write(request.repeat(batch));
        });
        socket.removeAllListeners("error");
      }
      socket.destroy();
    }),
  );
}

test("ten thousand requests per second: the page stays small, answers, and accounts for every request", async () => {
  const page = await open();
  await page.evaluate(() => {
    globalThis.frames_ = 0;
    const count = () => (globalThis.frames_++, requestAnimationFrame(count));
    requestAnimationFrame(count);
  });
  const start = performance.now();
  const total = 30_000;
  const sending = burst(total, 4);
  let isOver = false;
  void sending.then(() => (isOver = true));
  await row(page, "GetItem").waitFor();
  let clicks = 0;
  let rowsMost = 0;
  for (; !isOver || clicks < 2; clicks++) {
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Stands still").waitFor();
    rowsMost = Math.max(rowsMost, await page.getByRole("row").count());
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Live").waitFor();
  }
  await sending;
  console.log(`${Math.round(total / ((performance.now() - start) / 1000))} requests per second, ${clicks} pauses, ${await page.evaluate(() => globalThis.frames_)} frames`);
  assert.ok(rowsMost < 100, `${rowsMost} rows`);
  assert.ok((await page.evaluate(() => globalThis.frames_)) > clicks);
  await page.waitForFunction((wanted) => Number(/([\d,]+) requests/.exec(document.querySelector(".found .bar").textContent)?.[1].replaceAll(",", "")) >= wanted, total);
  await close(page);
});
