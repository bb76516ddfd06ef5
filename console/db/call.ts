// Calls of DynamoDB's protocol through the console's server: the same bodies as at the database itself.
import { signal } from "@preact/signals";
import { isReadOnly, send } from "../session";

/** A call that the database refused; `kind` is the name of DynamoDB's exception. */
export class DbError extends Error {
  readonly kind: string;
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(String(body["message"] ?? body["Message"] ?? body["detail"] ?? `The server answered ${status}`));
    this.kind = String(body["__type"] ?? "").split("#").pop() ?? "";
    this.status = status;
    this.body = body;
  }
}

const reads = /^(Get|BatchGet|TransactGet|Query$|Scan$|List|Describe)/;
const streamOperations = ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"];

/** How many calls are on their way. */
export const running = signal(0);

/**
 * Sends one operation and returns its answer. Numbers of items stay text: DynamoDB's JSON writes them as strings. While the page is read-only,
 * only operations that read are sent; a PartiQL statement is sent if the caller says that it reads.
 */
export async function call<Answer>(operation: string, body: object, options: { signal?: AbortSignal; doesRead?: boolean } = {}): Promise<Answer> {
  if (isReadOnly.peek() && !reads.test(operation) && !options.doesRead) throw new Error("This console is read-only. The switch is at the end of the navigation.");
  const service = streamOperations.includes(operation) ? "DynamoDBStreams_20120810" : "DynamoDB_20120810";
  const request = new Request(new URL("/db", location.origin), {
    method: "POST", headers: { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": `${service}.${operation}` }, body: JSON.stringify(body),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  running.value++;
  try {
    const answer = await send(request);
    const text = await answer.text();
    const content = text.startsWith("{") ? JSON.parse(text) : {};
    if (!answer.ok) throw new DbError(answer.status, content);
    return content as Answer;
  } catch (why) {
    if (why instanceof TypeError) throw new Error("The server cannot be reached");
    throw why;
  } finally {
    running.value--;
  }
}
