// The files of owners, and the server's news about them.
import * as history from "generated/text-analyzer-history";
import { signal } from "@preact/signals";
import { service } from "web/session";
import { isShown } from "./owner";

export type Status = history.File["status"];

export const fileHref = (fileId: string): string => `/file?id=${encodeURIComponent(fileId)}`;
export const fileOf = (fileId: string): Promise<history.File | undefined> => history.getFile(service, { fileId });
/** The moment of a time of the table, in milliseconds since 1970. */
export const momentOf = (time: history.Decimal): string => new Date(Number(time.toString())).toISOString();

/** Grows when the status of a file may have changed. */
export const news = signal(0);
export const askAgain = (): void => void (news.value = news.peek() + 1);

// The server says that a file of an owner changed, but not which one: everybody can read the events.
const events = new EventSource("/events");
events.addEventListener("file", (event: MessageEvent<string>) => {
  const { owner } = JSON.parse(event.data) as { owner: string };
  if (isShown(owner)) askAgain();
});
addEventListener("visibilitychange", () => document.visibilityState === "visible" && askAgain());

/** Returns the newest files of an owner, `count` of them if there are so many, and whether there are more. */
export async function newestFiles(ownerId: string, count: number): Promise<{ files: history.OwnerHistory[]; hasMore: boolean }> {
  const files: history.OwnerHistory[] = [];
  let after: string | undefined;
  do {
    const page = await history.listFilesByOwnerPage(service, { ownerId }, { limit: count - files.length, after });
    files.push(...page.items);
    after = page.next;
  } while (after !== undefined && files.length < count);
  return { files, hasMore: after !== undefined };
}
