// Sends a recorded request once more.
import { call } from "../db/call";
import { askExactly } from "../designs/api";
import { exactText, parseExact } from "../designs/exact";
import type { Row } from "./feed";

export interface Answered {
  ms: number;
  text: string;
  items?: number;
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

export async function sendAgain(request: Sent): Promise<Answered> {
  const start = performance.now();
  if (request.path !== undefined) {
    const [method, target = ""] = request.path.split(" ");
    const answer = await askExactly<object | undefined>(target, method === "GET" ? undefined : parseExact(request.body || "{}"));
    return { ms: performance.now() - start, text: cut(answer === undefined ? "no content" : exactText(answer)) };
  }
  const answer = await call<{ Items?: unknown[] }>(request.operation, JSON.parse(request.body ?? "{}") as object, { doesRead: selects(request) });
  return { ms: performance.now() - start, text: cut(JSON.stringify(answer, null, 2)), ...(answer.Items ? { items: answer.Items.length } : {}) };
}
