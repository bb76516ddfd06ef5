// What is wrong at a place of a text: underlined in the editor, and listed below it.
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

export type Severity = "error" | "warning" | "info";

export interface Mark {
  from: number; // positions in the text
  to: number;
  severity: Severity;
  text: string;
}

export const setMarks = StateEffect.define<readonly Mark[]>();

// A mark without length underlines the letter at its place, or the one before it at the end of a line.
function decorationsOf(marks: readonly Mark[], text: { length: number }): DecorationSet {
  const ranges = marks.flatMap((mark) => {
    const from = Math.max(0, Math.min(mark.from, mark.to > mark.from ? mark.from : text.length - 1));
    const to = Math.min(text.length, Math.max(mark.to, from + 1));
    return from < to ? [Decoration.mark({ class: `cm-mark-${mark.severity}`, attributes: { title: mark.text } }).range(from, to)] : [];
  });
  return Decoration.set(ranges, true);
}

export const marksField: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    const given = transaction.effects.find((effect) => effect.is(setMarks));
    return given ? decorationsOf(given.value as readonly Mark[], transaction.state.doc) : shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Returns the position of a line and a column, which both begin at 1. */
export function positionOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return Math.min(start + Math.max(0, column - 1), end < 0 ? text.length : end);
}

/** Returns a mark from a line and a column to the end of the word that is there. */
export function markAt(text: string, place: { line: number; column: number }, severity: Severity, message: string): Mark {
  const from = positionOf(text, place.line, place.column);
  const word = /^[\w.$-]+/.exec(text.slice(from, from + 200));
  return { from, to: from + (word?.[0].length ?? 1), severity, text: message };
}
