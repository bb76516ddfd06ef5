// A request as a program or a shell would send it. Each text is complete: it runs as it is, reads all pages and prints the answer.
import { cpp } from "./code_cpp";

export type Language = "json" | "cli" | "python" | "javascript" | "cpp";
export const languages: readonly (readonly [Language, string])[] = [["json", "JSON"], ["cli", "aws-cli"], ["python", "boto3"], ["javascript", "JavaScript"], ["cpp", "C++"]];

export interface Request {
  operation: string;
  body: Record<string, unknown>;
}

export interface Place {
  endpoint: string;
  region: string;
}

type Body = Record<string, unknown>;
const isPaged = ({ operation }: Request): boolean => operation === "Query" || operation === "Scan";
const split = (name: string, between: string): string => name.replace(/[A-Z]/g, (letter, at: number) => (at > 0 ? between : "") + letter.toLowerCase());
/** A statement of PartiQL: the SDKs have no paginator for it. */
const statement = "ExecuteStatement";
const withoutLimit = ({ Limit: _, ...rest }: Body): Body => rest;

const json = ({ body }: Request): string => JSON.stringify(body, null, 2);

const shell = (text: string): string => (/^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const option = (name: string): string => `--${split(name, "-")}`;

function cli({ operation, body }: Request, { endpoint, region }: Place): string {
  const lines = [`aws dynamodb ${split(operation, "-")} --endpoint-url ${shell(endpoint)} --region ${shell(region)}`];
  for (const [name, value] of Object.entries(body)) {
    if (name === "Limit" && operation !== statement) lines.push(`--page-size ${value}`);
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

function python(request: Request, { endpoint, region }: Place): string {
  const { operation, body } = request;
  const given = Object.entries(operation === statement ? body : withoutLimit(body)).map(([name, value]) => `    ${name}=${literal(value, "    ", pythonLeaf, (base64) => `base64.b64decode("${base64}")`)},\n`);
  if (body["Limit"] && operation !== statement) given.push(`    PaginationConfig={"PageSize": ${body["Limit"]}},\n`);
  const text = given.join("");
  const start = `${text.includes("base64.") ? "import base64\n\n" : ""}import boto3

dynamodb = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint)}, region_name=${JSON.stringify(region)})
`;
  if (operation === statement) {
    return `${start}request = dict(
${text})
while True:
    page = dynamodb.execute_statement(**request)
    for item in page["Items"]:
        print(item)
    if "NextToken" not in page:
        break
    request["NextToken"] = page["NextToken"]
`;
  }
  if (!isPaged(request)) return `${start}answer = dynamodb.${split(operation, "_")}(\n${text})\nprint(answer)\n`;
  return `${start}pages = dynamodb.get_paginator("${operation.toLowerCase()}").paginate(
${text})
for page in pages:
    for item in page["Items"]:
        print(item)
`;
}

function javascript(request: Request, { endpoint, region }: Place): string {
  const { operation, body } = request;
  const input = literal(operation === statement ? body : withoutLimit(body), "", (value) => JSON.stringify(value), (base64) => `Buffer.from("${base64}", "base64")`);
  const size = body["Limit"] ? `, pageSize: ${body["Limit"]}` : "";
  const start = `import { DynamoDBClient, ${isPaged(request) ? `paginate${operation}` : `${operation}Command`} } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint)}, region: ${JSON.stringify(region)} });
const input = ${input};
`;
  if (operation === statement) {
    return `${start}let page;
do {
  page = await client.send(new ExecuteStatementCommand({ ...input, NextToken: page?.NextToken }));
  for (const item of page.Items ?? []) console.log(item);
} while (page.NextToken);
`;
  }
  if (!isPaged(request)) return `${start}console.log(await client.send(new ${operation}Command(input)));\n`;
  return `${start}for await (const page of paginate${operation}({ client${size} }, input)) {
  for (const item of page.Items ?? []) console.log(item);
}
`;
}

const writers: Record<Language, (request: Request, place: Place) => string> = { json, cli, python, javascript, cpp };
export const codeOf = (language: Language, request: Request, place: Place): string => writers[language](request, place);
