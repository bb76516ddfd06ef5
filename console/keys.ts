// Keys of the keyboard: a view says what a key does while it is shown, and the help lists the keys that work now.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Binding {
  keys: string; // "?", "mod+k", "g t": mod is Ctrl, on a Mac also Cmd; a blank separates keys that are pressed one after the other
  name: string;
  run: () => void;
}

export const bindings = signal<readonly Binding[]>([]);

export function useKey(keys: string, name: string, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  // A view that can be seen hears its keys.
  useLayoutEffect(() => {
    const binding = { keys, name, run: () => latest.current() };
    bindings.value = [...bindings.peek(), binding];
    return () => void (bindings.value = bindings.peek().filter((one) => one !== binding));
  }, [keys, name]);
}

/** Keys that an element hears while it has the focus: the help lists them beside the others. */
export interface Hint {
  keys: readonly string[]; // as they are written: "↑", "Shift + ↓"
  name: string;
}

export const hints = signal<readonly Hint[]>([]);

export function useHints(all: readonly Hint[]): void {
  useLayoutEffect(() => {
    hints.value = [...hints.peek(), ...all];
    return () => void (hints.value = hints.peek().filter((one) => !all.includes(one)));
  }, [all]);
}

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

let before = "";
let forget: ReturnType<typeof setTimeout> | undefined;

/** Runs what a key is bound to. While somebody types, only keys with Ctrl work; while a dialog is open, the view behind it hears none. */
export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || ["Control", "Meta", "Shift", "Alt"].includes(event.key)) return;
  const isMod = event.ctrlKey || event.metaKey;
  if (event.altKey || (!isMod && isTyping(event.target)) || document.querySelector("dialog[open]")) return;
  const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  const found = [...bindings.peek()].reverse().find((one) => one.keys === (before ? `${before} ${key}` : key)) ?? [...bindings.peek()].reverse().find((one) => one.keys === key);
  clearTimeout(forget);
  before = "";
  if (found) {
    event.preventDefault();
    found.run();
  } else if (!isMod) {
    before = key;
    forget = setTimeout(() => (before = ""), 1000);
  }
}

/** Returns a key as people read it: "Ctrl + K". */
export const written = (keys: string): string[] => keys.split(" ").map((key) => key.split("+").map((part) => ({ mod: "Ctrl", enter: "Enter" })[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(" + "));
