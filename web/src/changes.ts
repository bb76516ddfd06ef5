// The server says that somebody changed something; views ask again.
import { effect, type Signal, signal } from "@preact/signals";
import { session } from "./session";

const followers: (() => void)[] = [];

/** Returns a signal that grows with changes: with the first one at once, and then once in so many seconds at most. */
function changesEvery(seconds: number): Signal<number> {
  const count = signal(0);
  let isPausing = false;
  let hasNews = false;
  const note = (): void => {
    hasNews = isPausing;
    if (isPausing) return;
    isPausing = true;
    ++count.value;
    setTimeout(() => ((isPausing = false), hasNews && note()), seconds * 1000);
  };
  followers.push(note);
  return count;
}

/** Where many people work, views would ask without end. */
export const changes = changesEvery(1);
/** For what costs the server much: sums, and long lists. */
export const slowChanges = changesEvery(10);

let events: EventSource | undefined;
effect(() => {
  const isKnown = Boolean(session.value?.user);
  if (isKnown === Boolean(events)) return;
  events?.close();
  events = isKnown ? new EventSource("/events") : undefined;
  for (const kind of ["changed", "messages"]) events?.addEventListener(kind, () => followers.forEach((note) => note()));
});
