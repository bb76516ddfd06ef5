// What the server says about a design while somebody types it.
import { useEffect, useState } from "preact/hooks";
import type { Mark } from "web/editor/marks";
import { positionOf } from "web/editor/marks";
import { type Finding, askDesigns } from "../api";

const quietMilliseconds = 250;

export interface Checked {
  name?: string; // of a design without errors
  table?: string;
  findings: Finding[];
}

export interface Checking {
  of: string; // the text that was checked
  answer: Checked | undefined;
  error: Error | undefined;
}

/** Checks a text a moment after its last change. The last answer stays until the next one. */
export function useCheck(text: string, about: { file: string; of?: string }): Checking & { isCurrent: boolean } {
  const [state, setState] = useState<Checking>({ of: "", answer: undefined, error: undefined });
  useEffect(() => {
    if (text.trim() === "") return setState({ of: text, answer: { findings: [] }, error: undefined });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      askDesigns<Checked>("check", { text, ...about }, { signal: stop.signal }).then(
        (answer) => setState({ of: text, answer, error: undefined }),
        (error: Error) => error.name !== "AbortError" && setState((now) => ({ ...now, of: text, error })),
      );
    }, state.answer ? quietMilliseconds : 0);
    return () => (clearTimeout(timer), stop.abort());
  }, [text]);
  return { ...state, isCurrent: state.of === text };
}

export const errorsIn = (findings: readonly Finding[]): number => findings.filter((one) => one.severity === "error").length;

/** Columns count characters, and positions letters of JavaScript: a 🎵 is one of the former and two of the latter. */
export function placeOf(text: string, line: number, column: number): number {
  const start = positionOf(text, line, 1);
  const end = text.indexOf("\n", start);
  const letters = [...text.slice(start, end < 0 ? text.length : end)];
  return start + letters.slice(0, column - 1).join("").length;
}

const mostMarked = 200; // letters: a finding about a whole section marks its beginning

export function marksOf(text: string, findings: readonly Finding[]): Mark[] {
  return findings.map((one) => {
    const from = placeOf(text, one.line, one.column);
    const end = one.endLine === undefined ? from : placeOf(text, one.endLine, one.endColumn ?? 1);
    const lineEnd = text.indexOf("\n", from);
    const to = Math.min(end, lineEnd < 0 ? text.length : lineEnd, from + mostMarked);
    return { from, to, severity: one.severity === "error" ? "error" : "warning", text: one.message };
  });
}
