// The requests as a list, the newest first: only the rows on the screen exist. It is used by pointer or keyboard.
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "web/ui/table";
import { amount, clockTime } from "../format";
import { type Row, isRefused } from "./feed";

export const rowPixels = 32;
const rowsBeyond = 8; // drawn above and below the screen, so that scrolling shows no gap

interface ListProps {
  rows: readonly Row[]; // the oldest first
  version: number;
  chosen: Signal<number>; // the id of the row that the keyboard is at; 0: none
  onScrolled: (isAtTop: boolean) => void;
  onOpen: (row: Row) => void;
}

export const units = (row: Row): string => {
  const sum = (row.read ?? 0) + (row.write ?? 0);
  return sum > 0 ? amount(sum) : "";
};
export const milliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : amount(Math.round(ms)));

export function List({ rows, version, chosen, onScrolled, onOpen }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<[number, number]>([0, 40]);
  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowPixels) - rowsBeyond);
    const last = Math.ceil((element.scrollTop + element.clientHeight) / rowPixels) + rowsBeyond;
    setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
  };
  useEffect(look, [version]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  const count = rows.length;
  const at = (position: number): Row => rows[count - 1 - position]!;
  const place = chosen.value === 0 ? -1 : count - 1 - rows.findLastIndex((row) => row.id === chosen.value);
  const move = (position: number): void => {
    const next = Math.max(0, Math.min(count - 1, position));
    if (count === 0) return;
    chosen.value = at(next).id;
    const element = box.current!;
    const room = element.clientHeight - 2 * rowPixels;
    if (next * rowPixels < element.scrollTop) element.scrollTop = next * rowPixels;
    else if (next * rowPixels > element.scrollTop + room) element.scrollTop = next * rowPixels - room;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(box.current!.clientHeight / rowPixels) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter" && place >= 0 && place < count) onOpen(at(place));
    else if (step !== undefined) move(place < 0 ? 0 : place + step);
    else return;
    event.preventDefault();
  };
  const shown = Array.from({ length: Math.max(0, Math.min(range[1], count) - range[0]) }, (_, index) => range[0] + index);
  return (
    <div
      class="grid requests" ref={box} role="grid" tabIndex={0} aria-label="Requests" aria-rowcount={count + 1} aria-colcount={8} onKeyDown={onKeyDown}
      aria-activedescendant={place >= range[0] && place < Math.min(range[1], count) ? `request-${chosen.value}` : undefined}
      onScroll={() => (look(), onScrolled(box.current!.scrollTop < rowPixels / 2))}
    >
      <div class="grid-sheet" style={{ height: `${(count + 1) * rowPixels}px` }}>
        <div class="grid-row grid-head" role="row" aria-rowindex={1}>
          <div role="columnheader">time</div>
          <div role="columnheader">operation</div>
          <div role="columnheader">table</div>
          <div role="columnheader">pattern</div>
          <div role="columnheader" class="number" title="Items read, and items that the client got">read → got</div>
          <div role="columnheader" class="number">units</div>
          <div role="columnheader" class="number">ms</div>
          <div role="columnheader">result</div>
        </div>
        {shown.map((position) => {
          const row = at(position);
          return <Line key={row.id} row={row} position={position} isChosen={row.id === chosen.value} onOpen={onOpen} />;
        })}
      </div>
    </div>
  );
}

const shortError = (row: Row): string => row.error?.replace(/Exception$/, "") ?? String(row.status);

/** The pattern that explains a read, or that none does. */
export function PatternOf({ row }: { row: Row }) {
  return (
    <>
      {row.scan && <Badge kind="warn">Scan</Badge>}
      {row.patterns?.length === 0 && <Badge kind="warn">no pattern</Badge>}
      {row.patterns?.length ? <span class="mono">{row.patterns.join(", ")}</span> : null}
    </>
  );
}

function Line({ row, position, isChosen, onOpen }: { row: Row; position: number; isChosen: boolean; onOpen: (row: Row) => void }) {
  const reads = row.scanned === undefined ? "" : row.scanned === row.returned ? amount(row.scanned) : `${amount(row.scanned)} → ${amount(row.returned)}`;
  return (
    <div
      id={`request-${row.id}`} class={`grid-row ${isRefused(row) ? "is-refused" : ""} ${row.from ? "is-own" : ""}`} role="row" aria-rowindex={position + 2} aria-selected={isChosen}
      style={{ transform: `translateY(${(position + 1) * rowPixels}px)` }} onClick={() => onOpen(row)}
    >
      <div role="gridcell" class="quiet">{clockTime(row.at).slice(0, 8)}<span class="wide">{clockTime(row.at).slice(8)}</span></div>
      <div role="gridcell" class="is-key">{row.operation}</div>
      <div role="gridcell">{row.tables?.join(", ")}{row.index && <span class="quiet"> · {row.index}</span>}</div>
      <div role="gridcell"><PatternOf row={row} />{isRefused(row) && <span class="wrong narrow">{shortError(row)}</span>}</div>
      <div role="gridcell" class={`number ${isWasteful(row) ? "is-wasteful" : ""}`}>{reads}</div>
      <div role="gridcell" class="number">{units(row)}</div>
      <div role="gridcell" class="number">{milliseconds(row.ms)}</div>
      <div role="gridcell">{isRefused(row) ? <span class="wrong" title={row.error}>{shortError(row)}</span> : <span class="quiet">{row.status}</span>}</div>
    </div>
  );
}

/** True if the request read ten times as many items as the client got, and more than a handful. */
export const isWasteful = ({ scanned = 0, returned = 0 }: Row): boolean => scanned >= 20 && scanned >= 10 * Math.max(returned, 1);
