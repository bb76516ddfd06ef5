// The common part of all generated modules: exact numbers, parts of keys, and the checks of values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberValue } from "@aws-sdk/lib-dynamodb";
import { aggregated } from "./aggregates.js";
import { Invalid } from "./connection.js";
import { decode, type Kind } from "./entities.js";
import { accept, type Form, momentFor, read, readKey } from "./fields.js";
import { canonical, day, descending, endOf, exactJson, hostname, iso, month, startOf, week, is, join, lower, minus, over, padded, part, plus, text, times, upper } from "./values.js";

const exact = (value: string) => NumberValue.from(value);

test("numbers are exact", () => {
  assert.equal(plus(exact("0.1"), exact("0.2")).value, "0.3");
  assert.equal(minus(1, exact("1.50")).value, "-0.5");
  assert.equal(times(exact("29.99"), 2).value, "59.98");
  assert.equal(times(exact("1e20"), 10).value, "1000000000000000000000");
  assert.equal(over(1, 8).value, "0.125");
  assert.equal(over(-2, 3).value, "-0." + "6".repeat(37) + "7");
  assert.equal(over(100, -4).value, "-25");
  assert.equal(plus(1, undefined), undefined);
  assert.throws(() => over(1, 0), Invalid);
  assert.throws(() => plus(exact("one"), 1), Invalid);
});

test("comparisons are by value; what is missing is unequal to everything, as on the server", () => {
  assert.ok(is(exact("1.0"), "=", 1));
  assert.ok(is(9, "<", exact("10")));
  assert.ok(is("\u{10000}", ">", "\uFFFD"), "by bytes of UTF-8");
  assert.ok(is(undefined, "<>", 1));
  for (const other of ["=", "<", "<=", ">", ">="] as const) assert.ok(!is(undefined, other, 1));
});

test("periods are those of a time zone", () => {
  assert.equal(day("2024-03-31T22:30:00Z", "Europe/Berlin"), "2024-04-01");
  assert.equal(day("2024-11-04T04:30:00Z", "America/New_York", -6), "2024-10-28");
  assert.equal(week("2024-01-01T04:59:59Z", "America/New_York"), "2023-W52");
  assert.equal(month(Date.UTC(2024, 0, 31, 12), "UTC", -25), "2021-12");
  assert.equal(iso(startOf("2024-04", "Europe/Berlin")), "2024-03-31T22:00:00Z");
  assert.equal(iso(endOf("2024-03-31", "Europe/Berlin")), "2024-03-31T21:59:59Z");
  assert.equal(iso(startOf("2020-W53")), "2020-12-28T00:00:00Z");
  assert.equal(iso(startOf("2024-03-10", "America/Havana")), "2024-03-10T05:00:00Z", "00:00 did not exist");
  assert.equal(day("2024-03-31T22:30:00Z", undefined), undefined);
  assert.throws(() => day("2024-03-31T22:30:00Z", "Nowhere/Land"), Invalid);
  for (const wrong of ["2023-W53", "2024-02-30", "2024-13", "soon"]) assert.throws(() => startOf(wrong), Invalid, wrong);
});

test("the name of a host is in lower case, as far as it is ASCII", () => {
  assert.equal(hostname("https://ada@WWW.Example.com.:8080/A?b=c@d"), "www.example.com");
  assert.equal(hostname("http://[::1]:8000/"), "[::1]");
  assert.equal(hostname("https://ÄPFEL.de/"), "Äpfel.de", "as on the server");
});

test("rows are computed exactly, in their order", async () => {
  async function* sales() {
    for (const [product, amount] of [["a", "0.1"], ["b", "1"], ["a", "0.2"], ["c", undefined], [undefined, "5"]])
      yield { product, amount: amount === undefined ? undefined : exact(amount) };
  }
  const said = {
    by: { product: (it: any) => it.product },
    compute: [
      { name: "n", function: "count" as const },
      { name: "sum", function: "sum" as const, of: (it: any) => it.amount },
      { name: "mean", function: "avg" as const, of: (it: any) => it.amount },
      { name: "least", function: "min" as const, of: (it: any) => it.amount },
    ],
    order: "sum", backwards: true,
    row: { product: { type: "text" as const }, n: { type: "integer" as const }, sum: { type: "number" as const }, mean: { type: "number" as const }, least: { type: "number" as const } },
  };
  const shown = (rows: any[]) => rows.map((row) => [row.product, row.n, text(row.sum), text(row.mean), text(row.least)]);
  assert.deepEqual(shown(await aggregated(sales(), said, undefined)),
    [[undefined, 1, "5", "5", "5"], ["b", 1, "1", "1", "1"], ["a", 2, "0.3", "0.15", "0.1"], ["c", 1, "0", undefined, undefined]]);
  assert.equal((await aggregated(sales(), said, 2)).length, 2);
  await assert.rejects(aggregated(sales(), { ...said, compute: [{ name: "s", function: "sum", of: (it: any) => it.product }] }, undefined), Invalid);
});

test("the same values have the same text", () => {
  const value = { b: exact("1.50"), a: ["x", true], none: undefined, bytes: new Uint8Array([1, 2]), set: new Set(["z", "y"]) };
  assert.equal(canonical(value), `{"a":["x",true],"b":1.5,"bytes":"AQI=","set":["y","z"]}`);
  assert.equal(canonical({ n: 1e21, zero: -0 }), `{"n":1000000000000000000000,"zero":0}`);
});

test("the numbers of a JSON text keep their digits", () => {
  const written = `{"n": [12345678901234567890.5, -1e2, 0], "text": "a \\"1\\" , {\\u00e9", "none": {}, "yes": [true, null, []]}`;
  assert.deepEqual(exactJson(written), {
    n: [exact("12345678901234567890.5"), exact("-1e2"), exact("0")], text: 'a "1" , {é', none: {}, yes: [true, null, []],
  });
  assert.throws(() => exactJson("{"), SyntaxError);
});

test("an integer that a number cannot hold is not rounded", () => {
  assert.equal(read({ type: "integer" }, exact("9007199254740991")), 9007199254740991);
  assert.throws(() => read({ type: "integer" }, exact("9007199254740993")), Invalid);
});

test("lower and upper change ASCII letters, as on the server", () => {
  assert.deepEqual([lower("ÀBC"), upper("àbc"), lower(undefined)], ["Àbc", "àBC", undefined]);
});

test("parts of keys", () => {
  assert.equal(padded(42, "count", 6), "000042");
  for (const wrong of [-1, 1.5, 1234567]) assert.throws(() => padded(wrong, "count", 6), Invalid);
  assert.equal(descending(1, "n"), "999999999999998");
  assert.throws(() => descending("yesterday", "at"), Invalid);
  assert.throws(() => descending(-1, "n"), Invalid);
  assert.throws(() => part("a#b", "id"), Invalid);
  assert.equal(part("a#b", "id", true), "a#b");
  assert.equal(join("#", "a", undefined, exact("2.0")), "a##2");
});

test("values are what their fields say", () => {
  const wrong = (form: Form, ...values: unknown[]) =>
    values.forEach((value) => assert.throws(() => accept("it", form, value), Invalid, JSON.stringify(value)));
  wrong({ type: "iso" }, "yesterday", "2024-01-31");
  wrong({ type: "email" }, "anna", "a@b@c", "a b@c");
  wrong({ type: "url" }, "example.com", "https:///x");
  wrong({ type: "integer", min: "1" }, 0, 1.5, "2", NaN);
  wrong({ type: "set", element: "text" }, []);
  wrong({ type: "list", element: "text", values: ["a", "b"], maxItems: 2 }, ["c"], ["a", "a", "a"]);
  wrong({ type: "text", maxLength: 2 }, "abc");
  assert.deepEqual(accept("it", { type: "list", element: "text", values: ["a", "b"], maxLength: 1 }, ["a", "b"]), ["a", "b"]);
  assert.equal(accept("it", { type: "text", maxLength: 2 }, "\u{1F600}b"), "\u{1F600}b", "characters, not code units");
  assert.equal(accept("it", { type: "text", format: ["COUNTRY#", ""] }, "DE"), "COUNTRY#DE");
  assert.throws(() => accept("r", { type: "map", of: { n: { type: "integer", required: true } } }, {}), /r\.n is required/);
});

test("moments are written as their type does", () => {
  const now = Date.UTC(2024, 0, 31, 12, 0, 0, 999);
  assert.equal(momentFor({ type: "iso" }, now), "2024-01-31T12:00:00Z");
  assert.equal(momentFor({ type: "ms" }, now), now);
  assert.equal(momentFor({ type: "s" }, now), 1706702400);
});

test("what lives in keys alone comes back", () => {
  const at = Date.UTC(2024, 0, 31, 12);
  assert.equal(readKey({ type: "iso" }, "2024-01-31T12:00:00Z"), "2024-01-31T12:00:00Z");
  assert.equal(readKey({ type: "iso", inKey: "desc" }, descending("2024-01-31T12:00:00Z", "at")), "2024-01-31T12:00:00Z");
  assert.equal(readKey({ type: "ms", inKey: "iso" }, "2024-01-31T12:00:00Z"), at);
  assert.equal(readKey({ type: "s", inKey: "ms" }, String(at)), at / 1000);
  assert.equal(readKey({ type: "integer" }, "000042"), 42);
  assert.equal(text(readKey({ type: "number" }, "1.50")), "1.5");
});

test("what is stored is read as it is, also what the design would refuse", () => {
  assert.equal(read({ type: "iso" }, "yesterday"), "yesterday");
  const song: Kind<unknown> = {
    name: "Song",
    fields: { title: { type: "text", stored: false }, year: { type: "integer", min: "1860" } },
    key: () => ({}),
    pattern: { PK: /^SONG#(?<title>[^#]+)$/s },
  };
  assert.deepEqual(decode(song, { PK: "SONG#So What", year: exact("12") }), { title: "So What", year: 12 });
  assert.equal(decode(song, { PK: "ARTIST#Miles" }), undefined);
});
