// Whose texts this browser shows: nobody logs in, so it draws a random name once and keeps it.
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
/** The owner's name in events, which everybody can read (backend/live_status.h). */
export const ownerMark = sha256(`owner:${ownerId}`).slice(0, 16);
