// What a view asks for: loading, an answer or an error, and asked again when its question changes.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Loaded<T> {
  value: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
}

export interface Load<T> {
  state: Signal<Loaded<T>>;
  again: () => void;
}

/** Asks now, and whenever one of `on` changes. The last answer stays visible while the next one is loaded. */
export function useLoad<T>(ask: () => Promise<T>, on: readonly unknown[]): Load<T> {
  const load = useMemo(() => {
    const state = signal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true });
    let newest = 0;
    const run = (question: () => Promise<T>): void => {
      const mine = ++newest;
      state.value = { ...state.peek(), isLoading: true };
      question().then(
        (value) => mine === newest && (state.value = { value, error: undefined, isLoading: false }),
        (error: Error) => mine === newest && (state.value = { value: state.peek().value, error, isLoading: false }),
      );
    };
    return { state, run };
  }, []);
  useEffect(() => load.run(ask), on);
  return { state: load.state, again: () => load.run(ask) };
}

export interface Paged<T> {
  items: T[];
  next: string | undefined;
  error: Error | undefined;
  isLoading: boolean;
}

const pageSize = 50;

/** Loads one page after the other, from the first one again when one of `on` changes, and as many items as are shown when `news` does. */
export function usePages<T>(load: (page: { limit: number; after: string | undefined }) => Promise<{ items: T[]; next: string | undefined }>, on: readonly unknown[], news?: unknown) {
  const [state, setState] = useState<Paged<T>>({ items: [], next: undefined, error: undefined, isLoading: true });
  const newest = useRef(0); // of the requests: an answer to an older one comes too late
  const known = useRef(news);
  const ask = (before: T[], after?: string, limit = pageSize): void => {
    const mine = ++newest.current;
    setState((now) => ({ ...now, isLoading: true }));
    load({ limit, after }).then(
      (page) => mine === newest.current && setState({ items: [...before, ...page.items], next: page.next, error: undefined, isLoading: false }),
      (error: Error) => mine === newest.current && setState((now) => ({ ...now, error, isLoading: false })),
    );
  };
  useEffect(() => {
    ask([]);
    return () => void ++newest.current;
  }, on);
  const again = (): void => ask([], undefined, Math.max(pageSize, state.items.length));
  useEffect(() => {
    if (known.current !== news) again();
    known.current = news;
  }, [news]);
  return { ...state, more: state.next === undefined ? undefined : () => ask(state.items, state.next), again };
}
