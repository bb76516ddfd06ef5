// One card of the board: an item, how long it is in its state, and whether it is stuck.
import { Badge } from "web/ui/table";
import { preview } from "../../db/value";
import { agoInWords, now } from "./age";
import { type Card, idOf, nameOf } from "./lens";

const shownFields = 2;

/** The fields that tell items apart: short texts that are in no key and are no times. */
function detailsOf(card: Card): string[] {
  const hidden = new Set([...Object.keys(card.parts), ...Object.keys(card.key), ...card.masked]);
  const named = nameOf(card);
  return Object.entries(card.item)
    .filter(([name, value]) => !hidden.has(name) && "S" in value && value.S.length <= 60 && value.S !== "" && !/^\d{4}-\d\d-\d\dT/.test(value.S) && !named.includes(value.S) && !/(pk|sk)$/i.test(name))
    .slice(0, shownFields)
    .map(([, value]) => preview(value));
}

export function CardButton({ card, isActive, onFocus, onDrag }: { card: Card; isActive: boolean; onFocus: () => void; onDrag: (isDragged: boolean) => void }) {
  const start = (event: DragEvent): void => {
    event.dataTransfer?.setData("text/plain", nameOf(card));
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    onDrag(true);
  };
  return (
    <button class={`card ${card.stuck ? "is-stuck" : ""}`} type="button" draggable aria-pressed={isActive} data-card={idOf(card)} onFocus={onFocus} onClick={(event) => event.currentTarget.focus()} onDragStart={start} onDragEnd={() => onDrag(false)}>
      <span class="card-name">{nameOf(card)}</span>
      {detailsOf(card).map((text) => <span key={text} class="card-detail">{text}</span>)}
      <span class="card-age">
        {card.stuck && <Badge kind="bad">stuck</Badge>}
        {card.since && <span class="quiet">{agoInWords(card.since, now.value)}</span>}
      </span>
    </button>
  );
}
