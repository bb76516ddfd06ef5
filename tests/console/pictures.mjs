// Pictures of the console's main views, wide in both themes and on a phone: `make screenshots` runs it.
//
//     TAVOLA=… WEB_PACKAGES=… node tests/console/pictures.mjs FOLDER
import { mkdirSync } from "node:fs";
import path from "node:path";
import { openPage, startBrowser } from "../browser/harness.mjs";
import { makeTable, startConsole } from "./console.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const [server, browser] = await Promise.all([startConsole("--design", "designs/InventorySystem.yaml", "--sample", "medium"), startBrowser()]);

const songs = ["Call me today", "No one you know", "Somewhere down the road", "Scared of my shadow", "Look out, world", "Still in love", "A thousand miles", "Night train"];
const albums = Array.from({ length: 240 }, (_, at) => ({
  Artist: { S: ["The Acme Band", "No One You Know", "The Beagles", "Cactus Club"][at % 4] }, Song: { S: `${songs[at % songs.length]}${at < songs.length ? "" : ` (take ${Math.floor(at / songs.length) + 1})`}` },
  Year: { N: String(1968 + ((at * 7) % 52)) }, Price: { N: (0.99 + (at % 9)).toFixed(2) }, Genres: { SS: [["pop", "rock"], ["country"], ["jazz", "soul"]][at % 3] }, Plays: { N: String((at * 7919) % 100000) },
  Live: { BOOL: at % 5 === 0 }, Credits: { M: { Label: { S: "Acme Records" }, Producers: { L: [{ S: "A. Smith" }] } } }, ISRC: { S: `QZES5${String(1000000 + at * 37).slice(1)}` },
  // A number with more digits than a double has.
  Fingerprint: { N: `12345678901234567${String(890 + at)}` },
}));
await makeTable(server, "Music", { Artist: "S", Song: "S" }, albums);
await server.db("UpdateTable", {
  TableName: "Music", AttributeDefinitions: [{ AttributeName: "Year", AttributeType: "N" }, { AttributeName: "Plays", AttributeType: "N" }],
  GlobalSecondaryIndexUpdates: [{ Create: { IndexName: "ByYear", KeySchema: [{ AttributeName: "Year", KeyType: "HASH" }, { AttributeName: "Plays", KeyType: "RANGE" }], Projection: { ProjectionType: "ALL" } } }],
});
await server.db("UpdateContinuousBackups", { TableName: "Music", PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
for (const [Plays, Price] of [["120", "1.29"], ["4711", "1.29"], ["4712", "0.99"]]) {
  await server.db("UpdateItem", { TableName: "Music", Key: { Artist: { S: "The Beagles" }, Song: { S: "Somewhere down the road" } }, UpdateExpression: "SET Plays = :p, Price = :q", ExpressionAttributeValues: { ":p": { N: Plays }, ":q": { N: Price } } });
}
await makeTable(server, "Sessions", { Id: "S" }, Array.from({ length: 60 }, (_, at) => ({ Id: { S: `s-${at}` }, User: { S: `user-${at % 7}` }, Expires: { N: String(1900000000 + at) } })));
await server.db("UpdateTimeToLive", { TableName: "Sessions", TimeToLiveSpecification: { AttributeName: "Expires", Enabled: true } });

// What an application may ask: reads by key, a query of an index, a scan, a write that is refused.
async function useDatabase() {
  const key = (at) => ({ Artist: albums[at].Artist, Song: albums[at].Song });
  for (let at = 0; at < 12; at++) {
    await server.db("GetItem", { TableName: "Music", Key: key(at * 5) });
    await server.db("Query", { TableName: "Music", IndexName: "ByYear", KeyConditionExpression: "#y = :y", ExpressionAttributeNames: { "#y": "Year" }, ExpressionAttributeValues: { ":y": { N: String(1970 + at) } } });
    await server.db("UpdateItem", { TableName: "Music", Key: key(at * 3), UpdateExpression: "ADD Plays :one", ExpressionAttributeValues: { ":one": { N: "1" } } });
    if (at % 4 === 1) await server.db("Scan", { TableName: "InventorySystem", Limit: 100 });
    if (at % 4 === 2) await server.db("PutItem", { TableName: "Music", Item: key(at), ConditionExpression: "attribute_not_exists(Artist)" }).catch(() => undefined);
    if (at % 4 === 3) await server.db("ExecuteStatement", { Statement: "SELECT Song FROM Music WHERE Artist = 'Cactus Club'" });
  }
}

const { features } = await (await fetch(`${server.url}/session`)).json();
const item = encodeURIComponent(JSON.stringify({ Artist: { S: "The Beagles" }, Song: { S: "Somewhere down the road" } }));
const filter = encodeURIComponent(JSON.stringify(["Plays", "N", ">", "20000"]));
const open = (where, ready) => ({ where, ready });
const views = {
  tables: open("/", (page) => page.getByRole("link", { name: "Music", exact: true }).last()),
  items: open(`/t/Music/items?pk=The+Beagles&filter=${filter}`, (page) => page.locator(".grid-row").nth(3)),
  item: open(`/t/Music/item?key=${item}`, (page) => page.getByRole("heading", { name: "The Beagles" })),
  structure: open("/t/Music", (page) => page.getByRole("heading", { name: "Settings" })),
  partiql: open(`/partiql?q=${encodeURIComponent("SELECT Song, Plays, Year FROM Music.ByYear\nWHERE Year = 1975 AND Plays > 100")}`, (page) => page.getByRole("textbox", { name: "PartiQL statements" })),
  new: open("/new", (page) => page.getByRole("button", { name: "Create the table" })),
  governed: open("/t/InventorySystem/items", (page) => page.locator(".grid-row").nth(3)),
  keys: { ...open("/t/InventorySystem/keys", (page) => page.getByRole("heading", { name: "InventorySystem" })), needs: "lenses" },
  design: { ...open("/d/InventorySystem", (page) => page.getByRole("heading", { name: "InventorySystem" })), needs: "designs" },
  run: { ...open("/d/InventorySystem/run", (page) => page.getByRole("heading", { name: "InventorySystem" })), needs: "lenses" },
  board: { ...open("/d/InventorySystem/board", (page) => page.getByRole("heading", { name: "InventorySystem" })), needs: "lenses" },
  requests: { ...open("/requests", (page) => page.getByRole("main")), needs: "requests", then: async (page) => (await useDatabase(), await page.getByText("ExecuteStatement").locator("visible=true").first().waitFor()) },
  history: { ...open(`/t/Music/history?key=${item}`, (page) => page.getByRole("heading", { name: "Versions" })), needs: "history" },
  help: open("/help", (page) => page.getByRole("heading", { name: "Help" })),
  palette: { ...open("/", (page) => page.getByRole("link", { name: "Music", exact: true }).last()), then: (page) => page.keyboard.press("Control+k") },
};

const looks = [["wide", "light", { width: 1280, height: 860 }], ["wide", "dark", { width: 1280, height: 860 }], ["phone", "light", { width: 390, height: 844 }], ["phone", "dark", { width: 390, height: 844 }]];
for (const [name, { where, ready, needs, then }] of Object.entries(views)) {
  if (needs && !features.includes(needs)) continue;
  const page = await openPage(browser.context, server.url, where);
  for (const [size, theme, viewport] of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await ready(page).waitFor({ state: "attached" });
    if (then && !(await page.locator("dialog[open]").count())) await then(page);
    await page.waitForFunction(() => !document.querySelector("progress, .loading"));
    await page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`) });
  }
  if (page.problems.length > 0) throw new Error(`${name}: ${page.problems.join("; ")}`);
  await page.close();
}
await browser.close();
await server.stop();
