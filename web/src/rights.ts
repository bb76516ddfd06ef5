// What the person may do by the design's roles and groups, as GET /api/rights says. A page shows no button that the server would refuse; the
// server decides anyway.
import { signal } from "@preact/signals";
import { ask, session } from "./session";

/** By the name of a pattern or an operation, "read:Entity", "write:Entity". "own": with their own items only. */
export const rights = signal<Record<string, "all" | "own">>({});

export async function loadRights(): Promise<void> {
  rights.value = session.peek()?.user ? await ask<Record<string, "all" | "own">>("/api/rights") : {};
}

export const may = (name: string): boolean => rights.value[name] !== undefined;
/** Whether they may do it with the items of others, too. */
export const mayForAll = (name: string): boolean => rights.value[name] === "all";
