// Texts of designs while they are edited. They outlive a change of the view and a reload of the page, in this tab of the browser alone.
import { signal } from "@preact/signals";

/** The text of a design on its way from the view that drafted it to the editor. */
export const draft = signal<string | undefined>(undefined);

export interface Kept {
  base: string; // the text with which the editing began
  text: string;
}

const nameOf = (design: string): string => `design draft: ${design}`;

/** Returns what was edited and not applied; undefined if nothing was. */
export function keptDraft(design: string): Kept | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(nameOf(design)) ?? "null") as Kept | null;
    return kept && kept.text !== kept.base ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(design: string, kept: Kept): void {
  try {
    kept.text === kept.base ? forgetDraft(design) : sessionStorage.setItem(nameOf(design), JSON.stringify(kept));
  } catch {
    // The browser keeps no more: the text stays in the editor.
  }
}

export const forgetDraft = (design: string): void => sessionStorage.removeItem(nameOf(design));
