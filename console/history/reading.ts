// Reads the history of an item: the first versions at once, older ones when they are asked for. A rarely changed item in a busy table needs many
// requests, each of which reads a bounded part of the log; the search says how far it is, and can be stopped.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Past, type Question, readOn } from "./api";

export interface Reading {
  past: Past | undefined;
  error: Error | undefined;
  isBusy: boolean;
  more: () => void;
  stop: () => void;
  again: () => void;
}

export function useHistory(question: Question): Reading {
  const [past, setPast] = useState<Past>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState(0);
  const search = useRef<AbortController>();
  const stop = (): void => search.current?.abort();
  const run = async (known: Past | undefined): Promise<void> => {
    stop();
    const mine = (search.current = new AbortController());
    setBusy(true);
    setError(undefined);
    try {
      const wanted = (known?.versions.length ?? 0) + 1;
      for (let found = known; !mine.signal.aborted; ) {
        found = await readOn(question, found);
        if (mine.signal.aborted) return;
        setPast(found);
        if (!found.next || found.versions.length >= wanted) return;
      }
    } catch (why) {
      if (!mine.signal.aborted) setError(why as Error);
    } finally {
      if (search.current === mine) setBusy(false);
    }
  };
  useEffect(() => {
    void run(undefined);
    return stop;
  }, [question.table, JSON.stringify(question.key), question.sensitive, asked]);
  return { past, error, isBusy, more: () => void run(past), stop: () => (stop(), setBusy(false)), again: () => setAsked(asked + 1) };
}
