// The server says that somebody changed something; views ask again.
import { effect, signal } from "@preact/signals";
import { session } from "./session";

/** Grows with changes, once a second at most: where many people work, views would ask without end. */
export const changes = signal(0);
const pauseMilliseconds = 1000;
let isPausing = false;
let hasNews = false;
function noteChange(): void {
  hasNews = true;
  if (isPausing) return;
  hasNews = false;
  isPausing = true;
  changes.value = changes.peek() + 1;
  setTimeout(() => ((isPausing = false), hasNews && noteChange()), pauseMilliseconds);
}
let events: EventSource | undefined;
effect(() => {
  const isKnown = Boolean(session.value?.user);
  if (isKnown === Boolean(events)) return;
  events?.close();
  events = isKnown ? new EventSource("/events") : undefined;
  for (const kind of ["changed", "messages"]) events?.addEventListener(kind, noteChange);
});
