// Logins by OpenID Connect, in a browser: at the issuer of --dev-login, at one that makes mistakes, and with implementations of both sides that
// others wrote (oidc-provider, openid-client).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkAccessibility, issuerOf, openPage, scratchFolder, startBrowser, startProgram } from "../browser/harness.mjs";
import { newKey, signed, signedWithPublicKey, startIssuer, unsigned } from "./scripted_issuer.mjs";

const program = process.env.PROGRAM;
const load = createRequire(path.join(process.env.WEB_PACKAGES, "index.js"));
let browser;

before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const sessionIn = (page) => page.evaluate(async () => (await fetch("/session")).json());
const named = (cookies, name) => cookies.find((one) => one.name === name);

test("a person logs in at the local issuer, returns to the view, and logs out there", async (t) => {
  const catalogue = await startProgram(program, "--in-memory", "--dev-login");
  t.after(catalogue.stop);
  const issuer = issuerOf(catalogue);
  await browser.context.clearCookies();
  const page = await openPage(browser.context, catalogue.url, "/login?to=%2Fgroups", [issuer]);
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
  assert.equal(new URL(page.url()).origin, issuer);
  await checkAccessibility(page, "the page of the issuer");
  await page.getByRole("button", { name: "root" }).click();
  await page.waitForURL(`${catalogue.url}/groups`);
  await page.getByText("root", { exact: true }).first().waitFor();
  const { user, groups } = await sessionIn(page);
  assert.deepEqual([user, groups], ["root", ["admin"]]);
  const cookies = await browser.context.cookies(catalogue.url);
  assert.equal(cookies.length, 1, "that of the login is gone");
  assert.deepEqual([cookies[0].name, cookies[0].httpOnly, cookies[0].sameSite], ["tavola-catalogue", true, "Strict"]);

  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${catalogue.url}/`);
  assert.equal((await sessionIn(page)).user, "");

  // Somebody whom nobody proposed; by the keyboard alone.
  await page.goto(`${catalogue.url}/login/oidc`);
  await page.getByLabel("Somebody else").fill("cleo#1");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Somebody else").fill("cléo");
  await page.getByLabel("Groups").fill("manager, writers");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${catalogue.url}/`);
  assert.deepEqual((await sessionIn(page)).groups, ["manager", "writers"]);

  // The key changes while the program runs; and a person changes their mind.
  await page.goto(issuer);
  await page.getByRole("button", { name: "Make a new key" }).click();
  await page.waitForFunction(() => document.querySelectorAll("li").length === 2);
  await page.goto(`${catalogue.url}/login/oidc`);
  await page.getByRole("button", { name: "anna" }).click();
  await page.waitForURL(`${catalogue.url}/`);
  assert.equal((await sessionIn(page)).user, "anna");
  await page.goto(`${catalogue.url}/login/oidc?to=//evil.example/`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The login was declined.").waitFor();
  await checkAccessibility(page, "the page of a login that failed");
  await page.getByRole("link", { name: "Log in again" }).click();
  await page.getByRole("button", { name: "ben" }).click();
  await page.waitForURL(`${catalogue.url}/`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("tokens that are not for this login are refused, in words", async (t) => {
  const issuer = await startIssuer("shelf-of-sites", { sub: "anna", "cognito:groups": ["manager"], name: "Anna Bee" });
  const folder = scratchFolder();
  const secret = path.join(folder.path, "secret");
  writeFileSync(secret, "s3cr:et/+\n");
  const options = ["--in-memory", "--oidc-issuer", issuer.url, "--oidc-client-id", "shelf-of-sites"];
  const programs = [await startProgram(program, ...options), await startProgram(program, ...options, "--oidc-client-secret-file", secret)];
  t.after(async () => {
    for (const one of programs) await one.stop();
    folder.remove();
    issuer.stop();
  });
  const page = await openPage(browser.context, programs[0].url, "/", [issuer.origin, programs[1].url]);
  const attempt = async ({ url }, mistake) => {
    await browser.context.clearCookies();
    issuer.mistake = mistake;
    await page.goto(`${url}/login/oidc?to=/ratings`);
    return page.evaluate(() => document.body.innerText);
  };
  const succeeds = async (app, mistake = {}) => {
    const words = await attempt(app, mistake);
    assert.equal(new URL(page.url()).pathname, "/ratings", words);
    const { user, groups, name } = await sessionIn(page);
    assert.deepEqual([user, groups, name], ["anna", ["manager"], "Anna Bee"]);
  };
  const foreign = newKey();
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  const refusals = [
    [{ claims: { nonce: "another" } }, /nonce is not that of this login/],
    [{ claims: { nonce: undefined } }, /nonce is not that of this login/],
    [{ claims: { iss: "https://evil.example" } }, /iss must be http/],
    [{ claims: { aud: "another-client" } }, /aud must be shelf-of-sites/],
    [{ claims: { aud: undefined, client_id: "shelf-of-sites" } }, /has no aud/],
    [{ claims: { aud: ["shelf-of-sites", "another"] } }, /azp must be/],
    [{ claims: { azp: "another" } }, /azp must be/],
    [{ claims: { exp: hourAgo } }, /has expired/],
    [{ claims: { exp: undefined } }, /has no exp/],
    [{ claims: { nbf: Math.floor(Date.now() / 1000) + 3600 } }, /not valid yet/],
    [{ claims: { sub: undefined } }, /does not identify a person/],
    [{ claims: { sub: "a#b" } }, /1 to 128 bytes and no #/],
    [{ claims: { "cognito:groups": "manager" } }, /must be a list/],
    [{ sign: unsigned }, /not signed by an issuer/],
    [{ sign: signedWithPublicKey }, /not signed by an issuer/],
    [{ key: foreign }, /not signed by an issuer/], // its kid is unknown
    [{ sign: (claims, { keys: [key] }) => signed(claims, foreign, { kid: key.kid }) }, /not signed by an issuer/],
    [{ answer: { state: "another" } }, /not begun here/],
    [{ answer: { iss: "https://evil.example" } }, /not from the issuer/],
    [{ answer: { error: "access_denied", error_description: "<b>No</b>", code: undefined } }, /declined. It says: <b>No<\/b>/],
    [{ answer: { code: undefined } }, /neither a code nor an error/],
    [{ token: { error: "invalid_grant", error_description: "the code is old" } }, /invalid_grant: the code is old/],
  ];
  for (const [index, [mistake, words]] of refusals.entries()) {
    assert.match(await attempt(programs[index % 2], mistake), words, JSON.stringify(mistake));
    assert.equal((await sessionIn(page)).user, "", JSON.stringify(mistake));
  }
  const [exchange] = issuer.requests.filter(({ grant_type: type, authorization }) => type && authorization);
  assert.equal(exchange.authorization, `Basic ${Buffer.from("shelf-of-sites:s3cr%3Aet%2F%2B").toString("base64")}`);
  assert.equal(exchange.client_secret, undefined);

  // What is right is taken: also 30 s after its end, which is within the difference of clocks, and after a rotation to a key of another kind.
  await succeeds(programs[0]);
  const read = issuer.keysRead;
  await succeeds(programs[0], { claims: { exp: Math.floor(Date.now() / 1000) - 30, aud: ["shelf-of-sites"] } });
  assert.equal(issuer.keysRead, read, "keys are kept");
  issuer.keys = [newKey("ES256")];
  await succeeds(programs[0]);
  issuer.keys = [foreign];
  await succeeds(programs[1]);
  const asked = issuer.requests.filter(({ response_type: type }) => type).at(-1);
  const sent = issuer.requests.filter(({ grant_type: type }) => type).at(-1);
  assert.equal(asked.code_challenge, createHash("sha256").update(sent.code_verifier).digest("base64url"));
  assert.deepEqual([asked.redirect_uri, sent.redirect_uri], Array(2).fill(`${programs[1].url}/login/oidc/callback`));
  assert.equal(new Set(issuer.requests.filter(({ state }) => state).flatMap(({ state, nonce, code_challenge: challenge }) => [state, nonce, challenge])).size % 3, 0);

  // A way back that another browser began, or that was gone before.
  const begun = await fetch(`${programs[0].url}/login/oidc`, { redirect: "manual" });
  const state = new URL(begun.headers.get("location")).searchParams.get("state");
  const back = (cookie) => fetch(`${programs[0].url}/login/oidc/callback?code=x&state=${state}`, { redirect: "manual", headers: cookie ? { Cookie: cookie } : {} });
  assert.match(await (await back()).text(), /another browser/);
  const cookie = begun.headers.get("set-cookie");
  assert.match(cookie, /; HttpOnly; SameSite=Lax; Max-Age=600$/);
  issuer.mistake = { token: { error: "invalid_grant" } };
  assert.equal((await back(cookie.split(";")[0])).status, 403);
  assert.match(await (await back(cookie.split(";")[0])).text(), /completed already/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("an issuer that cannot be used is named, and used as soon as it can be", async (t) => {
  const issuer = await startIssuer("c", { sub: "anna" });
  issuer.mistake = { unavailable: 500 };
  const catalogue = await startProgram(program, "--in-memory", "--oidc-issuer", issuer.url, "--oidc-client-id", "c");
  t.after(async () => (await catalogue.stop(), issuer.stop()));
  const words = async () => (await fetch(`${catalogue.url}/login/oidc`, { redirect: "manual" })).text();
  assert.match(await words(), /answered 500/);
  issuer.mistake = { metadata: { issuer: "https://evil.example" } };
  assert.match(await words(), /is that of the issuer/);
  issuer.mistake = { metadata: { token_endpoint: "http://evil.example/token" } };
  assert.match(await words(), /token_endpoint is not an https address/);
  issuer.mistake = {};
  assert.equal(await words(), "");
});

test("the certificate of an issuer is checked", async (t) => {
  const folder = scratchFolder();
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(folder.path, name));
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], { stdio: "ignore" });
  const issuer = await startIssuer("c", { sub: "anna" }, { key: readFileSync(key), cert: readFileSync(cert) });
  const options = ["--in-memory", "--oidc-issuer", issuer.url, "--oidc-client-id", "c"];
  const programs = [await startProgram(program, ...options), await startProgram(program, ...options, "--oidc-ca", cert)];
  t.after(async () => {
    for (const one of programs) await one.stop();
    issuer.stop();
    folder.remove();
  });
  const [unknown, known] = await Promise.all(programs.map(({ url }) => fetch(`${url}/login/oidc`, { redirect: "manual" })));
  assert.equal(unknown.status, 503);
  assert.match(await unknown.text(), /cannot be used: cannot reach https:.*certificate/);
  assert.equal(known.status, 303);
  assert.ok(known.headers.get("location").startsWith(`${issuer.origin}/`));
});

test("behind a proxy, people and the issuer know the application by its public address", async (t) => {
  const issuer = await startIssuer("c", { sub: "anna" });
  const catalogue = await startProgram(program, "--in-memory", "--oidc-issuer", issuer.url, "--oidc-client-id", "c", "--public-url", "https://sites.example");
  t.after(async () => (await catalogue.stop(), issuer.stop()));
  const ask = async (host) => {
    const sent = get(`${catalogue.url}/login/oidc?to=%2Fgroups`, { headers: { Host: host } });
    const [answer] = await once(sent, "response");
    answer.resume();
    return answer;
  };
  const asked = await ask("sites.example");
  assert.equal(new URL(asked.headers.location).searchParams.get("redirect_uri"), "https://sites.example/login/oidc/callback");
  assert.match(asked.headers["set-cookie"][0], /; Secure$/);
  const elsewhere = await ask(new URL(catalogue.url).host);
  assert.equal(elsewhere.headers.location, "https://sites.example/login/oidc?to=%2Fgroups");
  assert.equal((await ask("evil.example")).statusCode, 403);
});

test("people log in at oidc-provider", async (t) => {
  const { default: Provider } = await import(pathToFileURL(load.resolve("oidc-provider")));
  let provider;
  const server = createServer((request, response) => provider.callback()(request, response));
  server.listen(0, "localhost");
  await once(server, "listening");
  const issuer = `http://localhost:${server.address().port}`;
  const folder = scratchFolder();
  const secret = path.join(folder.path, "secret");
  writeFileSync(secret, "a-secret-of-this-test");
  const catalogue = await startProgram(program, "--in-memory", "--oidc-issuer", issuer, "--oidc-client-id", "catalogue", "--oidc-client-secret-file", secret, "--oidc-groups-claim", "https://example.com/groups");
  t.after(async () => {
    await catalogue.stop();
    server.closeAllConnections();
    server.close();
    folder.remove();
  });
  const quietly = console.warn;
  console.warn = () => {};
  console.info = () => {};
  provider = new Provider(issuer, {
    clients: [{ client_id: "catalogue", client_secret: "a-secret-of-this-test", redirect_uris: [`${catalogue.url}/login/oidc/callback`], post_logout_redirect_uris: [`${catalogue.url}/`], token_endpoint_auth_method: "client_secret_basic" }],
    claims: { openid: ["sub", "https://example.com/groups"] },
    conformIdTokenClaims: false,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, "https://example.com/groups": ["admin"] }) }),
  });
  console.warn = quietly;
  await browser.context.clearCookies();
  const page = await browser.context.newPage();
  await page.goto(`${catalogue.url}/login/oidc?to=/groups`);
  await page.locator("input[name=login]").fill("rosa");
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click(); // consent
  await page.waitForURL(`${catalogue.url}/groups`);
  const { user, groups } = await sessionIn(page);
  assert.deepEqual([user, groups], ["rosa", ["admin"]]);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.locator("button[name=logout]").click(); // it asks
  await page.waitForURL(`${catalogue.url}/`);
  assert.equal((await sessionIn(page)).user, "");
  await page.close();
});

test("openid-client uses the issuer of --dev-login", async (t) => {
  const { Issuer, generators } = load("openid-client");
  const catalogue = await startProgram(program, "--in-memory", "--dev-login");
  t.after(catalogue.stop);
  const redirectUri = `${catalogue.url}/login/oidc/callback`;
  let client;
  const begin = (changes = {}) => {
    const checks = { state: generators.state(), nonce: generators.nonce(), code_verifier: generators.codeVerifier() };
    const request = { scope: "openid", state: checks.state, nonce: checks.nonce, code_challenge: generators.codeChallenge(checks.code_verifier), code_challenge_method: "S256", ...changes };
    return { checks, url: new URL(client.authorizationUrl(request)) };
  };
  const choose = async (url, choice) => {
    const body = new URLSearchParams({ ...Object.fromEntries(url.searchParams), ...choice });
    return (await fetch(url.origin + url.pathname, { method: "POST", body, redirect: "manual" })).headers.get("location");
  };
  for (const rotate of [false, true]) {
    if (rotate) await fetch(`${issuerOf(catalogue)}/rotate`, { method: "POST", redirect: "manual" });
    const issuer = await Issuer.discover(issuerOf(catalogue)); // it keeps keys for a minute
    client = new issuer.Client({ client_id: "tavola-catalogue", token_endpoint_auth_method: "none", redirect_uris: [redirectUri], response_types: ["code"] });
    const { checks, url } = begin();
    const back = client.callbackParams(await choose(url, { user: "anna", groups: "a, b" }));
    const tokens = await client.callback(redirectUri, back, { ...checks, response_type: "code" });
    assert.equal(tokens.claims().sub, "anna");
    assert.deepEqual(tokens.claims()["cognito:groups"], ["a", "b"]);
    await assert.rejects(client.callback(redirectUri, back, { ...checks, response_type: "code" }), /invalid_grant/, "a code is used once");
  }
  const { checks, url } = begin();
  const back = client.callbackParams(await choose(url, { user: "anna" }));
  await assert.rejects(client.callback(redirectUri, back, { ...checks, code_verifier: randomBytes(32).toString("hex"), response_type: "code" }), /invalid_grant/);
  const cancelled = begin();
  await assert.rejects(client.callback(redirectUri, client.callbackParams(await choose(cancelled.url, { cancel: "yes" })), cancelled.checks), /access_denied/);

  const answered = async (changes) => fetch(begin(changes).url, { redirect: "manual" });
  for (const changes of [{ redirect_uri: "https://evil.example/" }, { redirect_uri: `${redirectUri}/` }, { client_id: "another" }]) {
    const page = await answered(changes);
    assert.equal(page.status, 400);
    assert.equal(page.headers.get("location"), null);
  }
  for (const [changes, error] of [[{ response_type: "token" }, "unsupported_response_type"], [{ scope: "profile" }, "invalid_scope"], [{ code_challenge_method: "plain" }, "invalid_request"], [{ prompt: "none" }, "login_required"]]) {
    assert.equal(new URL((await answered(changes)).headers.get("location")).searchParams.get("error"), error);
  }
});
