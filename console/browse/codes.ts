// A request as a program or a shell would send it. Each text is complete: it runs as it is, reads all pages and prints the items.
import type { Value } from "../db/value";
import type { Request } from "./question";

export type Language = "json" | "cli" | "python" | "javascript" | "cpp";
export const languages: readonly (readonly [Language, string])[] = [["json", "JSON"], ["cli", "aws-cli"], ["python", "boto3"], ["javascript", "JavaScript"], ["cpp", "C++"]];

export interface Place {
  endpoint: string;
  region: string;
}

type Body = Record<string, unknown>;
const withoutLimit = ({ Limit: _, ...rest }: Body): Body => rest;

const json = ({ body }: Request): string => JSON.stringify(body, null, 2);

const shell = (text: string): string => (/^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const option = (name: string): string => `--${name.replace(/[A-Z]/g, (letter, at: number) => (at > 0 ? "-" : "") + letter.toLowerCase())}`;

function cli({ operation, body }: Request, { endpoint, region }: Place): string {
  const lines = [`aws dynamodb ${operation.toLowerCase()} --endpoint-url ${shell(endpoint)} --region ${shell(region)}`];
  for (const [name, value] of Object.entries(body)) {
    if (name === "Limit") lines.push(`--page-size ${value}`);
    else if (value === true) lines.push(option(name));
    else if (value === false) lines.push(option(`No${name}`));
    else lines.push(`${option(name)} ${shell(typeof value === "string" ? value : JSON.stringify(value))}`);
  }
  return lines.join(" \\\n    ");
}

// Writes JSON as a literal of another language: `leaf` writes what is no object and no list; an attribute value that is binary is written by `binary`.
function literal(value: unknown, indent: string, leaf: (value: unknown) => string, binary: (base64: string) => string, key?: string): string {
  if (key === "B" && typeof value === "string") return binary(value);
  if (key === "BS" && Array.isArray(value)) return `[${value.map((one) => binary(one as string)).join(", ")}]`;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, indent, leaf, binary)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return leaf(value);
  const inner = `${indent}    `;
  const isFlat = Object.values(value).every((one) => typeof one !== "object");
  const entries = Object.entries(value).map(([name, one]) => `${leaf(name)}: ${literal(one, inner, leaf, binary, name)}`);
  return isFlat && entries.length < 2 ? `{${entries.join(", ")}}` : `{\n${entries.map((line) => `${inner}${line},\n`).join("")}${indent}}`;
}

const pythonLeaf = (value: unknown): string => (value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value));

function python({ operation, body }: Request, { endpoint, region }: Place): string {
  const given = Object.entries(withoutLimit(body)).map(([name, value]) => `    ${name}=${literal(value, "    ", pythonLeaf, (base64) => `base64.b64decode("${base64}")`)},\n`);
  if (body["Limit"]) given.push(`    PaginationConfig={"PageSize": ${body["Limit"]}},\n`);
  const text = given.join("");
  return `${text.includes("base64.") ? "import base64\n\n" : ""}import boto3

dynamodb = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)}, region_name=${JSON.stringify(region)})
pages = dynamodb.get_paginator("${operation.toLowerCase()}").paginate(
${text})
for page in pages:
    for item in page["Items"]:
        print(item)
`;
}

function javascript({ operation, body }: Request, { endpoint, region }: Place): string {
  const input = literal(withoutLimit(body), "", (value) => JSON.stringify(value), (base64) => `Buffer.from("${base64}", "base64")`);
  const size = body["Limit"] ? `, pageSize: ${body["Limit"]}` : "";
  return `import { DynamoDBClient, paginate${operation} } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)}, region: ${JSON.stringify(region)} });
const input = ${input};
for await (const page of paginate${operation}({ client${size} }, input)) {
  for (const item of page.Items ?? []) console.log(item);
}
`;
}

// A text of C++: JSON's escapes are C++'s, except for \\u of what is no letter, which becomes three octal digits of its byte.
const cppText = (text: string): string => JSON.stringify(text).replace(/\\u00([01][\da-f])/g, (_, byte: string) => `\\${parseInt(byte, 16).toString(8).padStart(3, "0")}`);

function cppValue(value: Value): string {
  if ("S" in value) return cppText(value.S);
  if ("N" in value) return `*tavola::Number::parse("${value.N}")`;
  if ("BOOL" in value) return String(value.BOOL);
  if ("B" in value) return `tavola::Binary{std::string(${cppBytes(value.B)})}`;
  return "nullptr";
}

function cppBytes(base64: string): string {
  const bytes = atob(base64);
  const octal = Array.from(bytes, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
  return `"${octal}", ${bytes.length}`;
}

const cppMap = (entries: [string, string][]): string => `{${entries.map(([name, value]) => `{${cppText(name)}, ${value}}`).join(", ")}}`;

function cpp({ operation, body }: Request, { endpoint }: Place): string {
  const fields: string[] = [];
  const text = (field: string, name: string): unknown => body[name] !== undefined && fields.push(`.${field} = ${cppText(String(body[name]))}`);
  text("index", "IndexName");
  text("filter", "FilterExpression");
  if (body["ExpressionAttributeValues"]) fields.push(`.values = ${cppMap(Object.entries(body["ExpressionAttributeValues"] as Record<string, Value>).map(([name, value]) => [name, cppValue(value)]))}`);
  if (body["ExpressionAttributeNames"]) fields.push(`.names = ${cppMap(Object.entries(body["ExpressionAttributeNames"] as Record<string, string>).map(([name, value]) => [name, cppText(value)]))}`);
  if (body["Limit"]) fields.push(`.page_limit = ${body["Limit"]}`);
  if (body["ScanIndexForward"] === false) fields.push(".forward = false");
  if (body["ConsistentRead"]) fields.push(".consistent = true");
  const options = fields.length > 0 ? `{\n      ${fields.join(",\n      ")}}` : "";
  const condition = body["KeyConditionExpression"] === undefined ? "" : cppText(String(body["KeyConditionExpression"]));
  return `#include <iostream>

#include <tavola/connect.h>
#include <tavola/table.h>

tavola::Result<void> print_items() {
  TAVOLA_TRY(const auto db, tavola::connect({.address = ${cppText(endpoint)}}, tavola::default_credentials()));
  tavola::Table table(*db, ${cppText(String(body["TableName"]))});
  for (const tavola::Result<tavola::Item>& item : table.${operation.toLowerCase()}(${[condition, options].filter(Boolean).join(", ")})) {
    if (!item) return tavola::fail(item.error());
    std::cout << tavola::to_json(*item) << '\\n';
  }
  return {};
}
`;
}

const writers: Record<Language, (request: Request, place: Place) => string> = { json, cli, python, javascript, cpp };
export const codeOf = (language: Language, request: Request, place: Place): string => writers[language](request, place);
