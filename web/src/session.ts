// The session of the person who is logged in, and requests to the server: every one carries the token that the server gave this page.
import { signal } from "@preact/signals";

export interface Login {
  href: string; // where the browser goes to log in
}

export interface Session {
  user: string; // empty: nobody is logged in
  name: string; // of the user, to read
  groups: string[];
  csrf: string;
  login: Login[];
  guests?: string; // "read": who is not logged in may read
  settings: Record<string, string>; // of the program: its currency, for example
}

export const session = signal<Session | undefined>(undefined);
/** False as soon as a request got no answer; true again with the next answer. */
export const isOnline = signal(true);

/** A request that the program itself refused; /v1 has errors of its own (Refused). */
export class Failed extends Error {
  readonly status: number;
  readonly retryAfterSeconds: number;

  constructor(status: number, reason: string, retryAfterSeconds = 0) {
    super(reason);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

async function sendOnce(request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  if (session.value) headers.set("X-Page-Token", session.value.csrf);
  try {
    const answer = await fetch(new Request(request, { headers, credentials: "same-origin" }));
    isOnline.value = true;
    return answer;
  } catch (why) {
    isOnline.value = false;
    throw why;
  }
}

/** Sends a request with the page's token, and notes whether the server answers and still knows the person. */
export async function send(request: Request): Promise<Response> {
  const before = session.value;
  const again = request.clone();
  const answer = await sendOnce(request);
  if (!before?.user || (answer.status !== 401 && answer.status !== 403)) return answer;
  await loadSession();
  // After another login of the same person, in another tab, the token of this page is an old one.
  const isTokenNew = session.value?.user === before.user && session.value.csrf !== before.csrf;
  return answer.status === 403 && isTokenNew ? sendOnce(again) : answer;
}

/** For the clients that `tavola gen ts --v1` writes. */
export const service = { send };

/** Asks one of the program's own addresses. Without a body it is a GET. The answer has numbers only where they are small counts. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const url = new URL(path, location.origin);
  const answer = await send(
    body === undefined
      ? new Request(url)
      : new Request(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  ).catch(() => {
    throw new Failed(0, "The server cannot be reached");
  });
  const text = await answer.text();
  const content = answer.headers.get("Content-Type")?.includes("json") ? JSON.parse(text) : undefined;
  if (!answer.ok) throw new Failed(answer.status, content?.detail ?? `The server answered ${answer.status}`, Number(answer.headers.get("Retry-After") ?? 0));
  return content as T;
}

export async function loadSession(): Promise<void> {
  const answer = await fetch("/session", { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Failed(answer.status, `The server answered ${answer.status}`);
  session.value = await answer.json();
}

/** Ends the session here, and then the login where it began. */
export async function logOut(): Promise<void> {
  const { href } = await ask<{ href: string }>("/logout", {});
  if (href) location.assign(href);
  else await loadSession();
}

/** Returns whether the person has one of these groups. A page shows no button that the server would refuse; the server decides anyway. */
export function isIn(...groups: string[]): boolean {
  return session.value?.groups.some((group) => groups.includes(group)) ?? false;
}
