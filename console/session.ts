// The session of this page with the server of the console: what it serves, and the token that every change carries.
import { computed, signal } from "@preact/signals";

export interface Session {
  token: string;
  mode: "write" | "read-only";
  needsLogin: boolean;
  region: string;
  endpoint: string; // where applications reach this database
  designs: { name: string; table: string }[];
  features: string[];
  upstream?: string; // the server behind this console, if it is another one
}

export const session = signal<Session | undefined>(undefined);
/** False as soon as a request got no answer; true again with the next answer. */
export const isOnline = signal(true);

/** The switch of this browser. It is a guard against slips, and independent of the server's own read-only mode. */
export const isGuarded = signal(localStorage.getItem("read-only") === "yes");
export const isReadOnly = computed(() => isGuarded.value || session.value?.mode === "read-only");

export function setGuard(on: boolean): void {
  isGuarded.value = on;
  on ? localStorage.setItem("read-only", "yes") : localStorage.removeItem("read-only");
}

export const has = (feature: string): boolean => session.value?.features.includes(feature) ?? false;
export const designOf = (table: string): string | undefined => session.value?.designs.find((design) => design.table === table)?.name;

async function fetchNoting(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    isOnline.value = true;
    return answer;
  } catch (why) {
    if ((why as Error).name === "AbortError") throw why;
    isOnline.value = false;
    throw new Error("The server cannot be reached");
  }
}

export async function loadSession(): Promise<void> {
  const answer = await fetchNoting(new Request("/session", { headers: { Accept: "application/json" } }));
  if (!answer.ok) throw new Error(`The server answered ${answer.status} ${answer.statusText}`);
  session.value = await answer.json();
}

function withToken(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("X-Page-Token", session.peek()?.token ?? "");
  return new Request(request, { headers });
}

/** Sends a request with the page's token. After a restart of the server the token is a new one: then the request is sent once more. */
export async function send(request: Request): Promise<Response> {
  const before = session.peek()?.token;
  const again = request.clone();
  const answer = await fetchNoting(withToken(request));
  if (answer.status !== 401 && answer.status !== 403) return answer;
  await loadSession();
  return answer.status === 403 && session.peek()?.token !== before ? fetchNoting(withToken(again)) : answer;
}

export class Refused extends Error {
  readonly status: number;
  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** Asks one of the console's own addresses (docs/CONSOLE.md). Without a body it is a GET. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await send(new Request(new URL(path, location.origin), options));
  const content = answer.headers.get("Content-Type")?.includes("json") ? await answer.json() : undefined;
  if (!answer.ok) throw new Refused(answer.status, content?.detail ?? content?.message ?? `The server answered ${answer.status}`);
  return content as T;
}

export async function logIn(accessKeyId: string, secretAccessKey: string): Promise<void> {
  await ask("/login", { accessKeyId, secretAccessKey });
  await loadSession();
}

export async function logOut(): Promise<void> {
  await ask("/logout", {});
  await loadSession();
}
