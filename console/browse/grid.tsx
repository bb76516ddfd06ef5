// A table of any number of items: only the rows on the screen exist. It is used by pointer or keyboard, and says where it is to screen readers.
import { type Signal, signal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Item, type Type, type Value, itemSize, preview, typeOf } from "../db/value";
import { bytes } from "../format";
import { EntityBadge } from "../lens/entity";
import { type Facets, mask, unknownName } from "../lens/facets";
import type { Seen } from "../lens/look";
import type { Choice } from "./choice";
import type { Rows } from "./results";

export const rowPixels = 32;
const rowsBeyond = 8; // drawn above and below the screen, so that scrolling shows no gap
const aheadRows = 120; // asked for before somebody scrolls there

interface GridProps {
  results: Rows;
  columns: readonly string[];
  keys: readonly string[]; // the attributes that are keys
  isSensitiveShown: boolean;
  active: Signal<number>; // the position of the row that the keyboard is at; -1: none
  onOpen: (position: number) => void;
  onEdit?: ((position: number) => void) | undefined; // by a double click, or by E
  choice?: Choice | undefined; // rows may be chosen
  label: string;
}

const widthLeast = 84;
const widthMost = 300;
const letterPixels = 8;

/** Widths that fit the names and the first items. */
const entityPixels = 132;
const choicePixels = 40;
const reasonPixels = 420; // where every item says why it is of no entity

function widthsFor(columns: readonly string[], results: Rows): number[] {
  return columns.map((name) => {
    let letters = name.length + 2;
    for (let at = 0; at < Math.min(results.count, 40); at++) {
      const item = results.item(at);
      if (item && Object.hasOwn(item, name)) letters = Math.max(letters, shownText(item[name]!).length);
    }
    return Math.round(Math.min(results.isLarge(name) ? widthMost - 80 : widthMost, Math.max(widthLeast, letters * letterPixels + 28)));
  });
}

const lettersMost = 120;
const shownText = (value: Value): string => {
  const text = preview(value);
  return text.length > lettersMost ? `${text.slice(0, lettersMost)}…` : text;
};

export function Grid({ results, columns, keys, isSensitiveShown, active, onOpen, onEdit, choice, label }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const { range, look } = useRowsOnScreen(box, results);
  const [dragged, setDragged] = useState<Record<string, number>>({});
  const { count, facets } = results;
  const isKnown = count > 0;
  const widths = useMemo(() => widthsFor(columns, results), [columns.join("\n"), results, isKnown]).map((width, at) => dragged[columns[at]!] ?? width);
  const lead = [...(choice ? [choicePixels] : []), ...(facets ? [results.only === unknownName ? reasonPixels : entityPixels] : [])];
  const reveal = (position: number): void => {
    const element = box.current!;
    const top = position * rowPixels;
    const room = element.clientHeight - 2 * rowPixels; // without the head, and the bar for scrolling
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
  };
  useSignalEffect(() => void (active.value >= 0 && box.current && reveal(active.value)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(box.current!.clientHeight / rowPixels) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (choice?.onKey(event, active.value)) return;
    if (event.key === "Enter" && active.value >= 0) onOpen(active.value);
    else if (event.key === "e" && onEdit && active.value >= 0 && !event.ctrlKey && !event.metaKey) onEdit(active.value);
    else if (event.key === "ArrowRight") box.current!.scrollLeft += 120;
    else if (event.key === "ArrowLeft") box.current!.scrollLeft -= 120;
    else if (step !== undefined) {
      const before = active.value;
      active.value = Math.max(0, Math.min(results.count - 1, before + step));
      if (event.shiftKey) choice?.chooseBetween(before, active.value);
    }
    else return;
    event.preventDefault();
  };
  const rows = Array.from({ length: Math.max(0, Math.min(range[1], count) - range[0]) }, (_, at) => range[0] + at);
  const template = `${[...lead, ...widths].map((width) => `${width}px`).join(" ")} minmax(4.5rem, 1fr)`;
  return (
    <div
      class="grid" ref={box} role="grid" tabIndex={0} aria-label={label} aria-rowcount={results.isComplete ? count + 1 : -1} aria-colcount={columns.length + lead.length + 1}
      aria-activedescendant={active.value >= range[0] && active.value < range[1] ? `row-${active.value}` : undefined} onScroll={look} onKeyDown={onKeyDown}
      onFocus={() => active.value < 0 && results.count > 0 && (active.value = Math.ceil(box.current!.scrollTop / rowPixels))}
    >
      <div class="grid-sheet" style={{ height: `${(count + 1) * rowPixels}px`, minWidth: `${[...lead, ...widths].reduce((all, width) => all + width, 72)}px` }}>
        <Head columns={columns} keys={keys} widths={widths} template={template} choice={choice} hasEntity={facets !== undefined} onWidth={(name, width) => setDragged({ ...dragged, [name]: width })} />
        {rows.map((position) => (
          <Row
            key={position} position={position} item={results.item(position)} seen={results.seen(position)} facets={facets} isSensitiveShown={isSensitiveShown} columns={columns} keys={keys} template={template} choice={choice}
            isActive={active.value === position} onOpen={(at) => ((active.value = at), onOpen(at))} onEdit={onEdit}
          />
        ))}
      </div>
    </div>
  );
}

interface HeadProps extends Pick<GridProps, "columns" | "keys" | "choice"> {
  widths: readonly number[];
  template: string;
  hasEntity: boolean;
  onWidth: (name: string, width: number) => void;
}

function Head({ columns, keys, choice, widths, template, hasEntity, onWidth }: HeadProps) {
  return (
    <div class="grid-row grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {choice && (
        <div role="columnheader" aria-label="choice" class="grid-choice">
          <input type="checkbox" tabIndex={-1} aria-label="Choose all rows that were read" checked={choice.areAll()} onClick={choice.toggleAll} />
        </div>
      )}
      {hasEntity && <div role="columnheader">entity</div>}
      {columns.map((name, at) => (
        <div key={name} role="columnheader" class={keys.includes(name) ? "is-key" : ""} title={name}>
          <span>{name}</span>
          <Resizer width={widths[at]!} onChange={(width) => onWidth(name, width)} />
        </div>
      ))}
      <div role="columnheader" class="number">size</div>
    </div>
  );
}

// Keeps the rows on the screen, and those around it, while the box is scrolled or resized.
function useRowsOnScreen(box: { readonly current: HTMLDivElement | null }, results: Rows): { range: [number, number]; look: () => void } {
  const [range, setRange] = useState<[number, number]>([0, 60]);
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowPixels) - rowsBeyond);
    const last = Math.min(results.count, Math.ceil((element.scrollTop + element.clientHeight) / rowPixels) + rowsBeyond);
    setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    results.show(first, last);
    if (last + aheadRows > results.count) void results.read(last + aheadRows);
  };
  useEffect(look, [results, results.version.value]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, [results]);
  useEffect(() => void (box.current!.scrollTop = 0), [results]);
  return { range, look };
}

function Resizer({ width, onChange }: { width: number; onChange: (width: number) => void }) {
  const start = (event: PointerEvent): void => {
    const handle = event.currentTarget as HTMLElement;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => onChange(Math.max(50, width + move.clientX - from));
    handle.onpointerup = () => (handle.onpointermove = null);
    event.preventDefault();
  };
  return <i class="resizer" aria-hidden="true" onPointerDown={start} />;
}

interface RowProps {
  position: number;
  item: Item | undefined;
  seen: Seen | undefined;
  facets: Facets | undefined;
  isSensitiveShown: boolean;
  columns: readonly string[];
  keys: readonly string[];
  template: string;
  choice: Choice | undefined;
  isActive: boolean;
  onOpen: (position: number) => void;
  onEdit: ((position: number) => void) | undefined;
}

function Row({ position, item, seen, facets, isSensitiveShown, columns, keys, template, choice, isActive, onOpen, onEdit }: RowProps) {
  const isMasked = (name: string): boolean => !isSensitiveShown && (facets?.isSensitive(seen, name) ?? false);
  const isChosen = item !== undefined && (choice?.has(item) ?? false);
  return (
    <div
      id={`row-${position}`} class={`grid-row ${item ? "" : "is-away"} ${isChosen ? "is-chosen" : ""}`} role="row" aria-rowindex={position + 2} aria-selected={isActive}
      style={{ gridTemplateColumns: template, transform: `translateY(${(position + 1) * rowPixels}px)` }} onClick={() => onOpen(position)} onDblClick={() => onEdit?.(position)}
    >
      {choice && (
        <div role="gridcell" aria-label="choice" class="grid-choice" onClick={(event) => event.stopPropagation()}>
          {item && <input type="checkbox" tabIndex={-1} aria-label={`Choose ${choice.nameOf(item)}`} checked={isChosen} onClick={(event) => choice.click(position, event.shiftKey)} />}
        </div>
      )}
      {facets && <div role="gridcell">{seen && <EntityBadge seen={seen} facets={facets} />}</div>}
      {columns.map((name) => {
        if (!item || !Object.hasOwn(item, name)) return <div key={name} role="gridcell" />;
        return isMasked(name) ? <div key={name} role="gridcell" class="quiet" aria-label="hidden, because it is sensitive">{mask}</div> : <Cell key={name} value={item[name]!} isKey={keys.includes(name)} />;
      })}
      <div role="gridcell" class="number quiet">{item ? bytes(itemSize(item)) : ""}</div>
    </div>
  );
}

const kinds: Partial<Record<Type, string>> = { N: "is-number", BOOL: "is-word", NULL: "is-word", B: "is-binary", L: "is-nested", M: "is-nested", SS: "is-nested", NS: "is-nested", BS: "is-nested" };

function Cell({ value, isKey }: { value: Value; isKey: boolean }) {
  const text = shownText(value);
  return <div role="gridcell" class={`${kinds[typeOf(value)] ?? ""} ${isKey ? "is-key" : ""}`}>{text === "" ? <span class="quiet">empty</span> : text}</div>;
}

/** The row that the keyboard is at, of one table of items. */
export const noRow = (): Signal<number> => signal(-1);
