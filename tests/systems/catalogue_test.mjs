// tavola-catalogue from the outside: a real process, a real browser.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { checkAccessibility, issuerOf, logIn, openAs, openPage, startBrowser, startDatabase, startProgram } from "../browser/harness.mjs";

const program = process.env.PROGRAM;
const v1 = "/v1/fus-main";
let catalogue;
let database;
let browser;
let anna; // nobody special
let ben; // a manager
let root; // an admin

async function done(answer) {
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

const guest = (where, options) => fetch(catalogue.url + where, options);
const siteOf = async (site) => done(await guest(`${v1}/getSite?site=${site}`));
const commentsOf = async (site) => (await done(await guest(`${v1}/commentsForSite?site=${site}`))).items;

before(async () => {
  // With ENDPOINT the same tests run on a database in another process.
  database = process.env.ENDPOINT ? await startDatabase() : undefined;
  catalogue = await startProgram(program, ...(database ? ["--endpoint", database.url] : ["--in-memory"]), "--dev-login", "--allow-private");
  browser = await startBrowser();
  anna = await logIn(catalogue.url, "anna", []);
  ben = await logIn(catalogue.url, "ben", ["manager"]);
  root = await logIn(catalogue.url, "root", ["admin"]);
  await done(await ben(`${v1}/createSite`, { site: "mdn", url: "https://developer.mozilla.org/", title: "MDN Web Docs", description: "The documentation of the web", tags: ["javascript", "css"], scrapedContent: "Guides and references.\nÜber Grundlagen." }));
  await done(await ben(`${v1}/createSite`, { site: "caniuse", url: "https://caniuse.com/", title: "Can I use", tags: ["css"] }));
});

after(async () => {
  await browser?.close();
  await catalogue?.stop();
  await database?.stop();
});

test("a guest reads and searches, sees no button of others, and returns after the login", async () => {
  await browser.context.clearCookies();
  const page = await openPage(browser.context, catalogue.url, "", [issuerOf(catalogue)]);
  await page.getByRole("link", { name: "MDN Web Docs" }).waitFor();
  assert.deepEqual((await page.locator(".site-card h2").allInnerTexts()).sort(), ["Can I use", "MDN Web Docs"]);
  assert.equal(await page.getByRole("button", { name: "Add a site" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "My ratings" }).count(), 0);
  await page.getByLabel("Search in titles, tags and text").fill("ÜBER guides"); // both are in the text alone
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sites found" }).waitFor();
  await page.getByRole("link", { name: "MDN Web Docs" }).waitFor();
  assert.equal(await page.locator(".site-card").count(), 1);
  await page.getByRole("link", { name: "javascript" }).click();
  await page.getByRole("heading", { name: "Sites about javascript" }).waitFor();
  await page.getByRole("link", { name: "MDN Web Docs" }).click();
  await page.getByText("Nobody has commented yet.").waitFor();
  assert.equal(await page.getByLabel("Your comment").count(), 0);
  await page.getByRole("main").getByRole("link", { name: "Log in" }).first().click();
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByRole("button", { name: "anna" }).click();
  await page.getByLabel("Your comment").waitFor();
  assert.equal(new URL(page.url()).search, "?id=mdn");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a guest changes nothing, and reads only what everybody may", async () => {
  const body = JSON.stringify({ site: "mdn", user: "anna", stars: 1 });
  assert.equal((await guest(`${v1}/rateSite`, { method: "POST", headers: { "Content-Type": "application/json" }, body })).status, 401);
  for (const where of ["/myRatings?user=anna", "/listGroups", "/allMyComments?user=anna", "/ratingsByStars?stars=5"]) assert.equal((await guest(v1 + where)).status, 401, where);
  assert.equal((await siteOf("mdn")).ratingCount, 0);
  const found = await guest("/api/search?q=%ff");
  assert.equal(found.status, 400);
});

test("rating twice counts once, and the average and the stars follow", async () => {
  await done(await ben(`${v1}/rateSite`, { site: "mdn", stars: 4 }));
  const page = await openAs(browser.context, catalogue.url, anna);
  await page.goto(`${catalogue.url}/site?id=mdn`);
  const stars = page.locator(".choose-stars label");
  await stars.nth(4).click();
  await page.getByLabel("Note", { exact: true }).fill("Always right");
  await page.getByRole("button", { name: "Rate", exact: true }).click();
  await page.getByLabel("4.5 of 5 stars").waitFor();
  await page.getByRole("button", { name: "Save my rating" }).waitFor();
  await stars.nth(1).click();
  await page.getByRole("button", { name: "Save my rating" }).click();
  await page.getByLabel("3 of 5 stars").waitFor();
  const { ratingSum, ratingCount } = await siteOf("mdn");
  assert.deepEqual([ratingSum, ratingCount], [6, 2]);
  const { items } = await done(await guest(`${v1}/starsOfSite?site=mdn`));
  assert.deepEqual(items.filter((one) => one.ratings > 0).map((one) => [one.stars, one.ratings]), [[2, 1], [4, 1]]);
  await page.goto(`${catalogue.url}/ratings`);
  await page.getByRole("cell", { name: "MDN Web Docs" }).waitFor();
  await page.getByText("Always right").waitFor();
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a comment is text, and its author's alone", async () => {
  const script = "<script>globalThis.hacked = 1</script><img src=x onerror=\"globalThis.hacked = 1\">";
  const page = await openAs(browser.context, catalogue.url, anna);
  await page.goto(`${catalogue.url}/site?id=caniuse`);
  await page.getByLabel("Your comment").fill(script);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".comments .body").waitFor();
  assert.equal(await page.locator(".comments .body").innerText(), script);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await page.locator(".comments").getByRole("button", { name: "Edit" }).click();
  await page.locator(".comments textarea").fill("Thank you");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Thank you", { exact: true }).waitFor();
  await page.close();

  const [written] = await commentsOf("caniuse");
  assert.deepEqual([written.user, written.body], ["anna", "Thank you"]);
  const cleos = await openAs(browser.context, catalogue.url, await logIn(catalogue.url, "cleo", []));
  await cleos.goto(`${catalogue.url}/site?id=caniuse`);
  await cleos.getByText("Thank you", { exact: true }).waitFor();
  assert.equal(await cleos.locator(".comments").getByRole("button").count(), 0);
  await cleos.close();
  for (const [name, more] of [["editComment", { body: "Mine" }], ["removeComment", {}]]) {
    const refused = await ben(`${v1}/${name}`, { user: "anna", site: "caniuse", comment: written.comment, ...more });
    assert.equal(refused.status, 403);
    assert.equal((await refused.json()).refusal, "FORBIDDEN");
  }
  assert.deepEqual((await commentsOf("caniuse")).map((one) => one.body), ["Thank you"]);
});

test("managers keep the sites; others see no button and are refused when they send the request anyway", async () => {
  const page = await openAs(browser.context, catalogue.url, ben);
  await page.getByRole("button", { name: "Add a site" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Address").fill("https://www.w3.org/");
  await form.getByLabel("Title").fill("W3C");
  await form.getByLabel("Tags").fill("standards, css, standards");
  await form.getByLabel("Text of the page").fill("Recommendations of the consortium");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "W3C" }).waitFor();
  const id = new URL(page.url()).searchParams.get("id");
  assert.deepEqual((await siteOf(id)).tags, ["standards", "css"]);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Title").fill("World Wide Web Consortium");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "World Wide Web Consortium" }).waitFor();
  assert.equal((await done(await guest("/api/search?q=consortium")))[0].site, id);

  const annas = await openAs(browser.context, catalogue.url, anna);
  await annas.goto(`${catalogue.url}/site?id=${id}`);
  await annas.getByLabel("Your comment").waitFor();
  for (const name of ["Edit", "Delete"]) assert.equal(await annas.getByRole("button", { name }).count(), 0, name);
  await annas.goto(`${catalogue.url}/groups`);
  await annas.getByText("This page is for others").waitFor();
  await annas.close();
  for (const [name, body] of [["createSite", { url: "https://example.com/", title: "Mine" }], ["updateSite", { site: id, title: "Mine" }], ["deleteSite", { site: id }], ["createGroup", { name: "mine" }]])
    assert.equal((await anna(`${v1}/${name}`, body)).status, 403, name);
  for (const [name, body] of [["appoint", { groupName: "admin", userId: "ben" }], ["setStaffGroup", { name: "admin" }]]) assert.equal((await ben(`${v1}/${name}`, body)).status, 403, name);

  await openAs(browser.context, catalogue.url, ben).then((other) => other.close()); // the session of the first page again
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "MDN Web Docs" }).waitFor();
  assert.equal((await guest(`${v1}/getSite?site=${id}`)).status, 404);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a site is added by its address, and its page is read again", async () => {
  let html = `<title>Weather station</title><meta name="description" content="Rain and wind"><nav>Menu</nav><main><h1>Today</h1><p>No rain.</main>`;
  const web = createServer((request, answer) => {
    if (request.url === "/") return answer.writeHead(302, { Location: "/today" }).end();
    answer.writeHead(200, { "Content-Type": "text/html" }).end(html);
  }).listen(0, "127.0.0.1");
  await once(web, "listening");
  const address = `http://127.0.0.1:${web.address().port}/`;
  const page = await openAs(browser.context, catalogue.url, ben);
  await page.getByRole("button", { name: "Add a site" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Address").fill(address);
  await form.getByRole("button", { name: "Read the page" }).click();
  await form.getByText("From the page: title, description and text.").waitFor();
  assert.equal(await form.getByLabel("Text of the page").inputValue(), "Today\nNo rain.");
  await form.getByLabel("Title").fill("My weather station");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "My weather station" }).waitFor();
  const id = new URL(page.url()).searchParams.get("id");
  const added = await siteOf(id);
  assert.deepEqual([added.url, added.title, added.description, added.scrapedContent], [`${address}today`, "My weather station", "Rain and wind", "Today\nNo rain."]);

  html = `<title>My weather station</title><meta name="description" content="Rain and wind"><p>A storm comes.`;
  await page.getByRole("button", { name: "Edit" }).click();
  await form.getByRole("button", { name: "Read the page again" }).click();
  await form.getByText("From the page: text.").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("A storm comes.").waitFor();
  assert.equal((await siteOf(id)).scrapedContent, "A storm comes.");

  await page.getByRole("button", { name: "Edit" }).click();
  web.close();
  web.closeAllConnections();
  await form.getByLabel("Address").fill(address);
  await form.getByRole("button", { name: "Read the page again" }).click();
  await form.getByText("cannot be read").waitFor();
  assert.equal((await anna("/api/page", { url: address })).status, 403);
  assert.equal((await guest("/api/page", { method: "POST", body: "{}" })).status, 401);
  for (const url of ["", "ftp://127.0.0.1/", "file:///etc/passwd"]) assert.equal((await ben("/api/page", { url })).status, 422, url);
  assert.deepEqual(page.problems, []);
  await page.close();
  await done(await ben(`${v1}/deleteSite`, { site: id }));
});

test("pages of this machine and its network are read for nobody, unless the program was told so", async () => {
  const strict = await startProgram(program, "--in-memory", "--dev-login");
  const manager = await logIn(strict.url, "ben", ["manager"]);
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    const refused = await manager("/api/page", { url: strict.url.replace("127.0.0.1", host) });
    assert.equal(refused.status, 422);
    assert.match((await refused.json()).detail, /is at a private address/);
  }
  await strict.stop();
});

test("a group makes its members moderators, and nobody else", async () => {
  const dora = await logIn(catalogue.url, "dora", []);
  await done(await ben(`${v1}/addComment`, { site: "mdn", comment: "c1", body: "Buy my lamps" }));
  const removal = { user: "ben", site: "mdn", comment: "c1" };
  assert.equal((await dora(`${v1}/removeComment`, removal)).status, 403);

  const page = await openAs(browser.context, catalogue.url, root);
  await page.goto(`${catalogue.url}/groups`);
  await page.getByRole("button", { name: "Create a group" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("moderators");
  await page.getByRole("dialog").getByLabel("Delete anybody's comments (moderators)").check();
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "moderators" }).waitFor();
  await page.getByText("Delete anybody's comments (moderators)").waitFor();
  await page.getByLabel("User").fill("dora");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("cell", { name: "dora", exact: true }).waitFor();
  await page.close();

  const doras = await openAs(browser.context, catalogue.url, dora);
  await doras.getByRole("link", { name: "Moderation" }).click();
  const comment = doras.locator(".comments li", { hasText: "Buy my lamps" });
  await comment.getByRole("button", { name: "Delete" }).click();
  await doras.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await doras.getByText("The comment of ben is deleted.").waitFor();
  assert.deepEqual(await commentsOf("mdn"), []);
  assert.equal((await siteOf("mdn")).commentCount, 0);
  assert.equal(await doras.locator(".comments").getByRole("button", { name: "Edit" }).count(), 0); // a moderator changes nobody's words
  assert.deepEqual(doras.problems, []);
  await doras.close();
  assert.equal((await dora(`${v1}/deleteSite`, { site: "mdn" })).status, 403);
});

test("pages have no serious problem of accessibility, in light and dark", async () => {
  await done(await root(`${v1}/addComment`, { site: "mdn", body: "Welcome" }));
  await done(await root(`${v1}/rateSite`, { site: "mdn", stars: 5, note: "Mine" }));
  const page = await openAs(browser.context, catalogue.url, root);
  for (const [where, ready] of [["/", "MDN Web Docs"], ["/site?id=mdn", "Welcome"], ["/ratings", "Mine"], ["/comments", "Welcome"], ["/groups", "moderators"], ["/groups?name=moderators", "dora"], ["/moderation", "Welcome"], ["/stars", "Mine"]]) {
    await page.goto(catalogue.url + where);
    await page.getByText(ready).first().waitFor();
    await checkAccessibility(page, where);
  }
  await page.goto(`${catalogue.url}/site?id=mdn`);
  await page.getByRole("button", { name: "Edit" }).first().click();
  await page.getByRole("dialog").waitFor();
  await checkAccessibility(page, "the form of a site");
  assert.deepEqual(page.problems, []);
  await page.close();
});
