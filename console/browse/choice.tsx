// The choice of rows among the items: by their boxes, by Space and Shift with the arrows, and what is done with those that are chosen.
import { useMemo, useRef } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { say } from "web/ui/toast";
import { isWholeKey, keyOf, keyText } from "../db/key";
import type { TableInfo } from "../db/tables";
import { type Item, preview } from "../db/value";
import { plural } from "../format";
import { type Keys, choose, chosenMost, chosenOf } from "../many/chosen";
import { manyUrl } from "../many/links";
import { isReadOnly } from "../session";
import type { Rows } from "./results";

export interface Choice {
  has(item: Item): boolean;
  nameOf(item: Item): string;
  click(position: number, withShift: boolean): void;
  chooseBetween(from: number, to: number): void;
  /** Chooses all rows that were read; none, if they are chosen. */
  toggleAll(): void;
  areAll(): boolean;
  /** Takes a key of the table of items; returns whether it was one for the choice. */
  onKey(event: KeyboardEvent, active: number): boolean;
}

const without = (keys: Keys, text: string): Keys => new Map([...keys].filter(([one]) => one !== text));

function choiceOf(table: TableInfo, rows: Rows, last: { current: number }): Choice {
  const name = table.TableName;
  const add = (positions: readonly number[]): void => {
    const keys = new Map(chosenOf(name));
    for (const position of positions) {
      const item = rows.item(position);
      if (item && isWholeKey(table, item) && keys.size < chosenMost) keys.set(keyText(table, item), keyOf(table, item));
    }
    if (keys.size === chosenMost) say(`${plural(chosenMost, "row")} can be chosen. “More” has what is done with all that the request finds`);
    choose(name, keys);
  };
  const chooseBetween = (from: number, to: number): void => {
    const [low, high] = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
    add(Array.from({ length: high - low + 1 }, (_, at) => low + at));
  };
  const toggle = (position: number): void => {
    const item = rows.item(position);
    if (!item) return;
    const text = keyText(table, item);
    last.current = position;
    if (chosenOf(name).has(text)) choose(name, without(chosenOf(name), text));
    else add([position]);
  };
  const areAll = (): boolean => rows.count > 0 && chosenOf(name).size >= Math.min(rows.count, chosenMost);
  return {
    areAll,
    toggleAll: () => (areAll() ? choose(name, new Map()) : chooseBetween(0, rows.count - 1)),
    has: (item) => chosenOf(name).has(keyText(table, item)),
    nameOf: (item) => Object.values(keyOf(table, item)).map((value) => preview(value)).join(" · "),
    click: (position, withShift) => (withShift && last.current >= 0 ? chooseBetween(last.current, position) : toggle(position)),
    chooseBetween,
    onKey(event, active) {
      if (event.key === " " && active >= 0) toggle(active);
      else if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey)) chooseBetween(0, rows.count - 1);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}

export function useChoice(table: TableInfo, rows: Rows): Choice {
  const last = useRef(-1);
  return useMemo(() => choiceOf(table, rows, last), [table, rows]);
}

/** What is done with the chosen rows; nothing is there while none is chosen. */
export function ChosenBar({ table }: { table: TableInfo }) {
  const name = table.TableName;
  const { size } = chosenOf(name);
  if (size === 0) return null;
  return (
    <div class="chosen-bar" role="group" aria-label="Chosen rows">
      <strong role="status">{plural(size, "row")} chosen</strong>
      {!isReadOnly.value && <a class="button small" href={manyUrl(name, "edit-many", "?of=chosen")}><Icon name="edit" />Edit or delete</a>}
      <a class="button small" href={manyUrl(name, "export", "?of=chosen")}><Icon name="archive" />Export</a>
      <button class="button plain small" type="button" onClick={() => choose(name, new Map())}>Choose none</button>
    </div>
  );
}
