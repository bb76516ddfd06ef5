// The columns of the board and their cards. Cards are moved by dragging, by the buttons of the chosen card, and by the keys 1 to 9.
import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Badge } from "web/ui/table";
import { sayError } from "web/ui/toast";
import { amount } from "../../format";
import { useKey } from "../../keys";
import { type Design, look } from "../api";
import { lasting } from "./age";
import { CardButton } from "./card";
import { CardPanel } from "./card_panel";
import { type BoardAnswer, type BoardTransition, type Card, type Column, idOf } from "./lens";
import { MoveDialog } from "./move";

interface Props {
  design: Design;
  question: object;
  answer: Signal<BoardAnswer | undefined>;
  reload: () => Promise<void>;
}

/** A card that somebody wants to move, and the transitions that would do it. */
interface Wish {
  card: Card;
  transitions: BoardTransition[];
}

const leadingFrom = (transitions: BoardTransition[], state: string): BoardTransition[] => transitions.filter((one) => one.from.includes(state));
const stateOf = (columns: Column[], card: Card): string => columns.find((column) => column.items.some((one) => idOf(one) === idOf(card)))?.state ?? "";

function focusCard(id: string): void {
  requestAnimationFrame(() => [...document.querySelectorAll<HTMLElement>(".card")].find((one) => one.dataset["card"] === id)?.focus());
}

/** Moves the focus among the cards: up and down in a column, left and right to the columns beside it. */
function step(key: string, columns: Column[], card: Card): Card | undefined {
  const at = columns.findIndex((column) => column.items.some((one) => idOf(one) === idOf(card)));
  const row = columns[at]?.items.findIndex((one) => idOf(one) === idOf(card)) ?? 0;
  if (key === "ArrowUp" || key === "ArrowDown") return columns[at]?.items[row + (key === "ArrowUp" ? -1 : 1)];
  const way = key === "ArrowLeft" ? -1 : 1;
  for (let next = at + way; next >= 0 && next < columns.length; next += way) {
    const { items } = columns[next]!;
    if (items.length > 0) return items[Math.min(row, items.length - 1)];
  }
  return undefined;
}

export function Columns({ design, question, answer, reload }: Props) {
  const { columns, transitions } = answer.value!;
  const active = useSignal<Card | undefined>(undefined);
  const [wish, setWish] = useState<Wish>();
  const [dragged, setDragged] = useState<Card>();
  const possible = active.value ? leadingFrom(transitions, stateOf(columns, active.value)) : [];
  const begin = (number: number): void => {
    const chosen = possible[number - 1];
    if (chosen && active.value) setWish({ card: active.value, transitions: [chosen] });
  };
  useNumbers(begin);
  const more = (column: Column): void =>
    void look<BoardAnswer>(design.name, "board", { ...question, state: column.state, page: column.next }).then((found) => {
      const next = found.columns[0]!;
      // An answer that comes twice, or after the board was read again, continues nothing.
      answer.value = { ...answer.value!, columns: answer.value!.columns.map((one) => (one === column ? { ...one, items: [...one.items, ...next.items], next: next.next } : one)) };
    }, sayError);
  const drop = (card: Card, column: Column): void => {
    const leading = leadingFrom(transitions, stateOf(columns, card)).filter((one) => one.to === column.state);
    setDragged(undefined);
    if (leading.length > 0) setWish({ card, transitions: leading });
  };
  const moved = (card: Card): void => {
    setWish(undefined);
    void reload().then(() => {
      const all = (answer.peek()?.columns ?? []).flatMap((column) => column.items);
      active.value = all.find((one) => idOf(one) === idOf(card));
      focusCard(idOf(card));
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.key.startsWith("Arrow") || !active.value || !(event.target as Element).closest(".card")) return;
    const next = step(event.key, columns, active.value);
    event.preventDefault();
    if (next) focusCard(idOf(next));
  };
  useEffect(() => {
    if (!active.peek()) active.value = columns.flatMap((column) => column.items)[0];
  }, []);
  return (
    <div class="board-body" onKeyDown={onKeyDown}>
      <div class="board" role="group" aria-label="Board">
        {columns.map((column) => {
          const takes = dragged === undefined ? undefined : leadingFrom(transitions, stateOf(columns, dragged)).some((one) => one.to === column.state);
          return <ColumnPart key={column.state} column={column} takes={takes} active={active} onDrag={setDragged} onDrop={() => dragged && drop(dragged, column)} more={() => more(column)} />;
        })}
      </div>
      {active.value && <CardPanel key={idOf(active.value)} design={design} card={active.value} state={stateOf(columns, active.value)} transitions={possible} onMove={(one) => setWish({ card: active.value!, transitions: [one] })} />}
      {wish && <MoveDialog design={design} card={wish.card} transitions={wish.transitions} onMoved={() => moved(wish.card)} onClose={() => (setWish(undefined), focusCard(idOf(wish.card)))} />}
    </div>
  );
}

/** The keys 1 to 9: the transitions of the chosen card, in the order in which its panel lists them. */
function useNumbers(begin: (number: number) => void): void {
  for (let number = 1; number <= 9; number++) useKey(String(number), number === 1 ? "Move the chosen card by its first transition" : `… by transition ${number}`, () => begin(number));
}

interface ColumnProps {
  column: Column;
  takes: boolean | undefined; // whether the card that is dragged may be dropped here; undefined: none is dragged
  active: Signal<Card | undefined>;
  onDrag: (card: Card | undefined) => void;
  onDrop: () => void;
  more: () => void;
}

function ColumnPart({ column, takes, active, onDrag, onDrop, more }: ColumnProps) {
  const stuck = column.items.filter((card) => card.stuck).length;
  const count = `${amount(column.items.length)}${column.next ? "+" : ""}`;
  return (
    <section
      class={`column ${takes === undefined ? "" : takes ? "takes" : "refuses"}`} aria-label={`${column.state}, ${count}`}
      onDragOver={(event) => takes && event.preventDefault()} onDrop={(event) => (event.preventDefault(), onDrop())}
    >
      <header class="column-head" title={column.doc}>
        <h2>{column.title || column.state}</h2>
        <span class="number quiet">{count}</span>
        {stuck > 0 && <Badge kind="bad">{stuck} stuck</Badge>}
        <p class="small quiet">{[column.title ? column.state : "", column.initial ? "the first state" : "", column.terminal ? "a last state" : "", column.stuckAfter ? `stuck after ${lasting(column.stuckAfter)}` : ""].filter(Boolean).join(" · ")}</p>
      </header>
      <ul class="cards">
        {column.items.map((card) => (
          <li key={idOf(card)}>
            <CardButton card={card} isActive={active.value !== undefined && idOf(active.value) === idOf(card)} onFocus={() => (active.value = card)} onDrag={(isDragged) => onDrag(isDragged ? card : undefined)} />
          </li>
        ))}
      </ul>
      {column.items.length === 0 && <p class="quiet small column-none">{takes ? "Drop it here" : "No items"}</p>}
      {column.next && <button class="button small plain" type="button" onClick={more}>Show more</button>}
    </section>
  );
}
