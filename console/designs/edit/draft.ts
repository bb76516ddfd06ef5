// The text of a design on its way from the view that drafted it to the editor.
import { signal } from "@preact/signals";

export const draft = signal<string | undefined>(undefined);
