// The URLs of the views of many items. They contain the request.
export type ManyView = "export" | "import" | "edit-many";

const own = ["of", "format", "do", "set", "remove"];

export const manyUrl = (table: string, view: ManyView, search = ""): string => `/t/${encodeURIComponent(table)}/${view}${search}`;

/** Returns the URL of the items that a view of many items is about. */
export function backUrl(table: string, query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  for (const name of own) rest.delete(name);
  const text = rest.toString();
  return `/t/${encodeURIComponent(table)}/items${text ? `?${text}` : ""}`;
}
