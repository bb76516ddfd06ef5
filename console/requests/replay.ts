// Sends a recorded request once more.
import { call } from "../db/call";
import { askExactly, loadDesign } from "../designs/api";
import { exactText, parseExact } from "../designs/exact";
import { secretsOf } from "../lens/entity";
import { designOf } from "../session";
import type { Row } from "./feed";

export interface Answered {
  ms: number;
  text: string;
  items?: number;
  secrets: string[]; // attributes in the answer, perhaps, that a design marks as sensitive
}

interface Sent extends Row {
  path?: string;
  body?: string;
}

const reads = /^(Get|BatchGet|TransactGet|Query$|Scan$|List|Describe)/;

const selects = (request: Sent): boolean => request.operation === "ExecuteStatement" && /^\s*select\b/i.test((JSON.parse(request.body ?? "{}") as { Statement?: string }).Statement ?? "");

/** Whether the request may change something. Several statements are taken to. */
export const changesSomething = (request: Sent): boolean => (request.operation.includes(" ") ? !request.operation.startsWith("GET ") : !reads.test(request.operation) && !selects(request));

const lettersMost = 20_000;
const cut = (text: string): string => (text.length > lettersMost ? `${text.slice(0, lettersMost)}\n… ${text.length - lettersMost} characters more` : text);

/** Returns what the designs of the request's tables mark as sensitive. */
async function secretsOfTables({ tables = [], path = "" }: Sent): Promise<string[]> {
  const served = /^\S+ \/v1\/([^/?]+)/.exec(path)?.[1];
  const names = new Set([...tables.flatMap((table) => designOf(table) ?? []), ...(served ? [decodeURIComponent(served)] : [])]);
  const designs = await Promise.all([...names].map(loadDesign));
  return [...new Set(designs.flatMap((design) => secretsOf(design, design.entities.map(({ name }) => name))))];
}

export async function sendAgain(request: Sent): Promise<Answered> {
  const secrets = await secretsOfTables(request);
  const start = performance.now();
  if (request.path !== undefined) {
    const [method, target = ""] = request.path.split(" ");
    const answer = await askExactly<object | undefined>(target, method === "GET" ? undefined : parseExact(request.body || "{}"));
    return { ms: performance.now() - start, secrets, text: cut(answer === undefined ? "no content" : exactText(answer)) };
  }
  const answer = await call<{ Items?: unknown[] }>(request.operation, JSON.parse(request.body ?? "{}") as object, { doesRead: selects(request) });
  return { ms: performance.now() - start, secrets, text: cut(JSON.stringify(answer, null, 2)), ...(answer.Items ? { items: answer.Items.length } : {}) };
}
