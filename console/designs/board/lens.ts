// What the lenses of lifecycles answer (src/lens/lifecycles.h).
import type { Item } from "../../db/value";
import type { Parameter, Transition } from "../api";
import type { Refusal } from "../run/requests";

export interface Card {
  entity?: string;
  key: Item;
  item: Item;
  masked: string[];
  parts: Record<string, { text: string; field?: string }[]>;
  since: string | null;
  stuck: boolean;
  stuckAt: string | null;
}

export interface Column {
  state: string;
  title: string;
  doc: string;
  initial: boolean;
  terminal: boolean;
  stuckAfter: number | null;
  next: Item | null;
  items: Card[];
}

export interface BoardTransition extends Transition {
  operations: string[];
  needs: Pick<Parameter, "name" | "type" | "required">[];
}

export interface BoardAnswer {
  by: "index" | "scan";
  index?: string;
  needs: string[];
  choices?: { fields: Record<string, unknown>; items: number }[];
  columns: Column[];
  transitions: BoardTransition[];
}

export interface Move {
  operation?: string;
  request?: Record<string, unknown>;
  refused?: Refusal;
}

export interface TimelineAnswer {
  item: Card;
  states: { lifecycle: string; state: string; since: string | null; stuck: boolean; stuckAt: string | null }[];
  events: { at: string; field: string; what: string }[];
}

export const idOf = (card: Card): string => JSON.stringify(card.key);

/** Returns what people call an item: the values in its key, without those that name the partition. */
export function nameOf(card: Card): string {
  const values = Object.values(card.parts).flat().filter((part) => part.field !== undefined).map((part) => part.text);
  return [...new Set(values)].join(" · ") || Object.values(card.key).map((value) => Object.values(value)[0]).join(" · ");
}
