// The chosen card: what can be done with it, and its way so far.
import { useEffect, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { moment } from "../../format";
import { isReadOnly } from "../../session";
import { type Design, itemUrl, look } from "../api";
import { partUrl } from "../run/parts";
import { agoInWords, now } from "./age";
import { type BoardTransition, type Card, type TimelineAnswer, nameOf } from "./lens";

interface Props {
  design: Design;
  card: Card;
  state: string;
  transitions: BoardTransition[];
  onMove: (transition: BoardTransition) => void;
}

export function CardPanel({ design, card, state, transitions, onMove }: Props) {
  return (
    <aside class="panel card-panel" aria-label={`The chosen item: ${nameOf(card)}`}>
      <h2>{nameOf(card)}</h2>
      <p class="quiet">{state}{card.since && ` ${agoInWords(card.since, now.value)}`}{card.stuck && card.stuckAt && <span class="wrong">, stuck since {moment(Date.parse(card.stuckAt) / 1000)}</span>}</p>
      <ul class="moves">
        {transitions.map((one, at) => (
          <li key={one.name}>
            <button class="button small" type="button" disabled={isReadOnly.value} title={one.doc} onClick={() => onMove(one)}>
              <kbd>{at + 1}</kbd>{one.title || one.name}<span class="quiet">→ {one.to}</span>
            </button>
          </li>
        ))}
        {transitions.length === 0 && <li class="quiet small">No transition leads from here.</li>}
      </ul>
      <Timeline design={design.name} card={card} />
      <p class="row">
        <a class="button small" href={itemUrl(design.table, card.key)}><Icon name="file" />Item</a>
        {[...new Set(transitions.flatMap((one) => one.operations))].map((operation) => <a key={operation} class="button small" href={partUrl(design.name, { kind: "operation", name: operation }, keyFields(card))}><Icon name="play" />{operation}</a>)}
      </p>
    </aside>
  );
}

/** The fields in the item's key, with which an operation can be filled in. */
const keyFields = (card: Card): Record<string, string> =>
  Object.fromEntries(Object.values(card.parts).flat().filter((part) => part.field !== undefined).map((part) => [part.field!, part.text]));

/** What the item's timestamps say about its way, oldest first. */
export function Timeline({ design, card }: { design: string; card: Card }) {
  const [answer, setAnswer] = useState<TimelineAnswer>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isShown = true;
    const timer = setTimeout(() => look<TimelineAnswer>(design, "timeline", { key: card.key }).then((found) => isShown && setAnswer(found), (why: Error) => isShown && setError(why)), 120);
    return () => ((isShown = false), clearTimeout(timer));
  }, [card]);
  if (error) return <p class="wrong small">{error.message}</p>;
  if (!answer) return <p class="quiet small" role="status">Reading …</p>;
  if (answer.events.length === 0) return <p class="quiet small">The item has no times: its way so far is not recorded.</p>;
  return (
    <ol class="timeline" aria-label="Timeline">
      {answer.events.map((event) => (
        <li key={event.field}>
          <span class="what">{event.what}</span>
          <time dateTime={event.at} class="quiet small">{moment(Date.parse(event.at) / 1000)}</time>
        </li>
      ))}
      {answer.states.map((one) => (
        <li key={one.lifecycle} class={one.stuck ? "is-now is-stuck" : "is-now"}>
          <span class="what"><strong>{one.state}</strong> <span class="quiet">{one.lifecycle}</span></span>
          <span class="quiet small">{one.stuck ? "stuck" : one.since ? agoInWords(one.since, now.value) : "now"}{!one.stuck && one.stuckAt && `, stuck at ${moment(Date.parse(one.stuckAt) / 1000)}`}</span>
        </li>
      ))}
    </ol>
  );
}
