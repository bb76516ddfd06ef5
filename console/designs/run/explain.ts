// Explains while somebody fills in the form: the lens is asked a moment after the last change, and the last answer stays until the next one.
import { useEffect, useState } from "preact/hooks";
import { look } from "../api";
import { exactText } from "../exact";

const quietMilliseconds = 150;

export interface Explained<T> {
  value: T | undefined;
  error: Error | undefined;
  isCurrent: boolean; // the answer is that of the question
}

/** Asks the lens "explain", again when `times` changes. Without a question it asks nothing and drops the last answer. */
export function useExplained<T>(design: string, question: object | undefined, times = 0): Explained<T> {
  const [state, setState] = useState<Explained<T> & { of: string }>({ value: undefined, error: undefined, isCurrent: false, of: "" });
  const text = question ? exactText(question) : "";
  useEffect(() => {
    if (!question) return setState({ value: undefined, error: undefined, isCurrent: true, of: "" });
    const stop = new AbortController();
    const timer = setTimeout(() => {
      look<T>(design, "explain", question, { signal: stop.signal }).then(
        (value) => setState({ value, error: undefined, isCurrent: true, of: text }),
        (error: Error) => error.name !== "AbortError" && setState((now) => ({ value: now.value, error, isCurrent: true, of: text })),
      );
    }, quietMilliseconds);
    return () => (clearTimeout(timer), stop.abort());
  }, [design, text, times]);
  return { ...state, isCurrent: state.isCurrent && state.of === text };
}
