// ---- Patterns and operations under /v1 ----

import { Invalid, type Page, type PageRequest, Refused, type Served } from "./connection.js";
import { designName } from "./design.js";
import { type Kind, readEntity } from "./entities.js";
import { type Forms, readAll } from "./fields.js";
import { canonical, exactJson, type Fields, has, text } from "./values.js";

export async function servedGet<T>(db: Served, pattern: string, kind: Kind<T>, p: Fields): Promise<T | undefined> {
  return servedEntity(kind, await send(db, pattern + queryString(p)));
}

export async function servedPage<T>(db: Served, pattern: string, kind: Kind<T>, p: Fields, page: PageRequest): Promise<Page<T>> {
  const { items, next } = await send(db, pattern + queryString({ ...p, limit: page.limit, page: page.token }));
  return { items: items.map((one: Fields) => servedEntity(kind, one)), next: next ?? undefined };
}

export async function servedRows<T>(db: Served, pattern: string, row: Forms, p: Fields, limit: number | undefined): Promise<T[]> {
  const { items } = await send(db, pattern + queryString({ ...p, limit }));
  return items.map((one: Fields) => readAll(row, one));
}

export async function servedOperation<T = void>(db: Served, operation: string, given: Fields, returns?: Kind<T>): Promise<T> {
  const result = await send(db, operation, canonical(given));
  return (returns && servedEntity(returns, result)) as T;
}

const servedEntity = <T>(kind: Kind<T>, fields: Fields | undefined): T | undefined => fields && (readEntity(kind, fields) as T);

function queryString(p: Fields): string {
  const given = Object.entries(p).filter(([, value]) => has(value));
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, text(value)]))}`;
}

// Without a body it is a GET. Returns undefined for an entity that is missing.
async function send(db: Served, path: string, body?: string): Promise<any> {
  const url = `${db.v1.replace(/\/+$/, "")}/v1/${encodeURIComponent(designName)}/${path}`;
  const headers: Record<string, string> = { Accept: "application/json" };
  if (db.token !== undefined) headers["Authorization"] = `Bearer ${db.token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body });
  const answer = await response.text();
  if (response.ok) return answer === "" ? undefined : exactJson(answer);
  const isProblem = response.headers.get("Content-Type")?.includes("json") ?? false;
  const { type, refusal, parameter, detail = answer } = isProblem ? JSON.parse(answer) : ({} as Fields);
  if (type === "urn:tavola:not-found") return undefined;
  if (has(refusal)) throw new Refused(refusal, detail, parameter);
  if (response.status === 400 || response.status === 422) throw new Invalid(detail, parameter);
  throw new Error(`${url} answered ${response.status}: ${detail}`);
}
