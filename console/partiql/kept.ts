// The statements that this browser keeps: those that were run, and others under a name that somebody gave them.
import { signal } from "@preact/signals";
import { storedList } from "../browse/kept";
import type { Parameter } from "./parameters";

export interface KeptText {
  text: string;
  parameters: Parameter[];
  name?: string;
}

const recentMost = 50;
const recentPlace = "statements.recent";
const savedPlace = "statements.saved";
const draftPlace = "statements.draft";

export const recent = signal<readonly KeptText[]>(storedList(recentPlace));
export const saved = signal<readonly KeptText[]>(storedList(savedPlace));

function keep(list: typeof recent, place: string, next: readonly KeptText[]): void {
  list.value = next;
  localStorage.setItem(place, JSON.stringify(next));
}

export const noteRun = (run: KeptText): void => keep(recent, recentPlace, [run, ...recent.peek().filter((one) => one.text !== run.text)].slice(0, recentMost));
export const save = (one: KeptText): void => keep(saved, savedPlace, [...saved.peek().filter(({ name }) => name !== one.name), one]);
export const forget = (one: KeptText): void => keep(saved, savedPlace, saved.peek().filter((other) => other !== one));
export const forgetRecent = (): void => keep(recent, recentPlace, []);

/** The text that was in the editor when the view was left. */
export const draft = (): string | undefined => localStorage.getItem(draftPlace) ?? undefined;
export const noteDraft = (text: string): void => localStorage.setItem(draftPlace, text);
