// The view is a part of the URL: "/products?q=lamp". Links change it without loading the page again.
import { computed, signal } from "@preact/signals";

const here = signal(location.pathname + location.search);
addEventListener("popstate", () => (here.value = location.pathname + location.search));

export const path = computed(() => new URL(here.value, location.origin).pathname);
export const query = computed(() => new URL(here.value, location.origin).searchParams);

export function go(to: string, how: "push" | "replace" = "push"): void {
  history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  here.value = location.pathname + location.search;
  if (how === "push") scrollTo(0, 0);
}

/** Changes parameters of the view; an empty one is removed. */
export function setQuery(changes: Record<string, string>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) value === "" ? next.delete(name) : next.set(name, value);
  const text = next.toString();
  go(location.pathname + (text ? `?${text}` : ""), "replace");
}

/** Follows a link within the page; a click for a new tab is the browser's. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || link.hasAttribute("data-load")) return;
  event.preventDefault();
  go(to.pathname + to.search);
}
