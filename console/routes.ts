// The views of the console and their URLs. A view is one line here and one file, whose default export is the component. It becomes a chunk of its
// own, which is loaded when somebody opens it. A part of a URL after a colon is a parameter.
import type { ComponentType } from "preact";
import { designOf, has } from "./session";

export interface ViewProps {
  params: Record<string, string>;
  query: URLSearchParams;
}

export interface View {
  url: string;
  name: string; // in the title of the page, the navigation and the palette
  icon?: string; // of its entry in the navigation; without one it has none
  tab?: string; // its name among the views of its table or design, which show as tabs
  tool?: string; // what it does with a table, as the palette calls it
  needs?: string; // a feature of the server (GET /session), without which the view is not offered
  isOfDesign?: boolean; // it is offered for tables that a design governs
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

export const views: View[] = [
  { url: "/", name: "Tables", icon: "table", load: () => import("./tables/list") },
  { url: "/partiql", name: "PartiQL", icon: "code", load: () => import("./partiql/view") },
  { url: "/designs", name: "Designs", icon: "shape", needs: "designs", load: () => import("./designs/list") },
  { url: "/backups", name: "Backups", icon: "archive", load: () => import("./backups/all") },
  { url: "/requests", name: "Requests", icon: "pulse", needs: "requests", load: () => import("./requests/view") },
  { url: "/metrics", name: "Metrics", icon: "chart", needs: "metrics", load: () => import("./metrics/view") },
  { url: "/help", name: "Help", icon: "help", load: () => import("./help") },
  { url: "/new", name: "New table", load: () => import("./tables/create") },
  { url: "/t/:table/items", name: "Items", tab: "Items", load: () => import("./browse/view") },
  { url: "/t/:table/keys", name: "Keys", tab: "Keys", needs: "lenses", isOfDesign: true, load: () => import("./lens/keys") },
  { url: "/t/:table/edit-many", name: "Edit items", tool: "Edit or delete many items", load: () => import("./many/edit_view") },
  { url: "/t/:table/export", name: "Export", tool: "Export items to a file", load: () => import("./many/export_view") },
  { url: "/t/:table/import", name: "Import", tool: "Import a file", load: () => import("./many/import_view") },
  { url: "/t/:table/item", name: "Item", load: () => import("./items/view") },
  { url: "/t/:table/history", name: "History", needs: "history", load: () => import("./history/view") },
  { url: "/t/:table", name: "Structure", tab: "Structure", load: () => import("./tables/structure") },
  { url: "/t/:table/backups", name: "Backups", tab: "Backups", load: () => import("./backups/view") },
  { url: "/t/:table/stream", name: "Stream", tab: "Stream", load: () => import("./streams/view") },
  { url: "/t/:table/design", name: "Design", tab: "Design", needs: "designs", load: () => import("./designs/of_table") },
  { url: "/designs/new", name: "New design", needs: "designs", load: () => import("./designs/edit/new") },
  { url: "/d/:design", name: "Design", tab: "Design", needs: "designs", load: () => import("./designs/overview") },
  { url: "/d/:design/run", name: "Run", tab: "Run", needs: "lenses", load: () => import("./designs/run/view") },
  { url: "/d/:design/board", name: "Board", tab: "Board", needs: "lenses", load: () => import("./designs/board/view") },
  { url: "/d/:design/traffic", name: "Traffic", tab: "Traffic", needs: "designs", load: () => import("./designs/traffic") },
  { url: "/d/:design/drift", name: "Drift", tab: "Drift", needs: "designs", load: () => import("./designs/drift") },
  { url: "/d/:design/edit", name: "Edit", tab: "Edit", needs: "designs", load: () => import("./designs/edit/view") },
];

export interface Match {
  view: View;
  params: Record<string, string>;
}

/** Returns a part of a path as text; as it is if somebody typed what is no text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the parameters if a path has the form of a view's URL. */
export function paramsOf(url: string, path: string): Record<string, string> | undefined {
  const wanted = url.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const text = decoded(given[at] ?? "");
    if (part.startsWith(":")) params[part.slice(1)] = text;
    else if (part !== text) return undefined;
  }
  return params;
}

export function matchOf(path: string): Match | undefined {
  for (const view of views) {
    const params = paramsOf(view.url, path);
    if (params) return { view, params };
  }
  return undefined;
}

export const urlOf = (url: string, params: Record<string, string>): string => url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
/** Where a table opens. */
export const tableUrl = (table: string): string => urlOf("/t/:table/items", { table });
export const viewOf = (url: string): View | undefined => views.find((view) => view.url === url);
/** The views that show as tabs beside this one: those whose URLs begin as its own does. */
export const tabsOf = (view: View): View[] => (view.tab ? views.filter((one) => one.tab && one.url.split("/", 3).join("/") === view.url.split("/", 3).join("/")) : []);
export const isOffered = (view: View, params: Record<string, string> = {}): boolean =>
  (view.needs === undefined || has(view.needs)) && (!view.isOfDesign || designOf(params["table"] ?? "") !== undefined);
