// The server says that somebody changed something; views ask again.
import { effect, signal } from "@preact/signals";
import { session } from "./session";

/** Grows with each change. */
export const changes = signal(0);
let events: EventSource | undefined;
effect(() => {
  const isKnown = Boolean(session.value?.user);
  if (isKnown === Boolean(events)) return;
  events?.close();
  events = isKnown ? new EventSource("/events") : undefined;
  for (const kind of ["changed", "messages"]) events?.addEventListener(kind, () => void (changes.value = changes.peek() + 1));
});
