// Whose texts this browser shows: nobody logs in, so it draws a random name once and keeps it. /?owner=NAME shows those of somebody else, who told their name.
import { computed } from "@preact/signals";
import { query } from "web/route";
import { sha256 } from "./sha256";

const key = "ownerId";

function drawn(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function keptOrDrawn(): string {
  const kept = localStorage.getItem(key);
  if (kept) return kept;
  const owner = drawn();
  localStorage.setItem(key, owner);
  return owner;
}

export const ownerId = keptOrDrawn();
export const shownOwner = computed(() => query.value.get("owner") || ownerId);
/** An owner's name in events, which everybody can read (backend/live_status.h). */
const markOf = (owner: string): string => sha256(`owner:${owner}`).slice(0, 16);
const ownMark = markOf(ownerId);
const shownMark = computed(() => markOf(shownOwner.value));
/** Whether an event is about files that this page may show. */
export const isShown = (mark: string): boolean => mark === ownMark || mark === shownMark.value;
