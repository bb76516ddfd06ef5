// Requests that this browser keeps: the recent ones by themselves, others under a name that somebody gave them. A request is the URL of its view.
import { signal } from "@preact/signals";

export interface Kept {
  table: string;
  search: string; // the query of the URL
  name?: string;
}

const recentMost = 30;

/** Returns the list that the browser keeps under a name; an empty one if there is none. */
export function storedList<T>(where: string): T[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(where) ?? "[]");
    return Array.isArray(list) ? (list as T[]) : [];
  } catch {
    return [];
  }
}

export const recent = signal<readonly Kept[]>(storedList("requests.recent"));
export const saved = signal<readonly Kept[]>(storedList("requests.saved"));

function keep(where: "recent" | "saved", list: readonly Kept[]): void {
  (where === "recent" ? recent : saved).value = list;
  localStorage.setItem(`requests.${where}`, JSON.stringify(list));
}

const isSame = (a: Kept, b: Kept): boolean => a.table === b.table && a.search === b.search;

/** Notes a request that was sent. One without any condition is not kept. */
export function noteRecent(request: Kept): void {
  if (request.search !== "") keep("recent", [request, ...recent.peek().filter((one) => !isSame(one, request))].slice(0, recentMost));
}

export const save = (request: Kept): void => keep("saved", [...saved.peek().filter((one) => one.name !== request.name || one.table !== request.table), request]);
export const forget = (request: Kept): void => keep("saved", saved.peek().filter((one) => one !== request));
export const keptUrl = ({ table, search }: Kept): string => `/t/${encodeURIComponent(table)}/items${search}`;
