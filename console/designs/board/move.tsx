// A transition before it is made: what it needs, the request that will be sent, and the refusal in words.
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Segments } from "web/ui/form";
import { say } from "web/ui/toast";
import { DbError, call } from "../../db/call";
import { isReadOnly } from "../../session";
import { type Design, NamedRefusal, look } from "../api";
import { exactText } from "../exact";
import { Refused, Writes } from "../run/explained";
import { ParameterFields } from "../run/fields";
import { type Draft, isComplete, valuesOf } from "../run/parameters";
import { type BoardTransition, type Card, type Move, nameOf } from "./lens";

interface Props {
  design: Design;
  card: Card;
  transitions: BoardTransition[];
  onMoved: () => void;
  onClose: () => void;
}

/** Asks the lens for the request whenever the form is complete. */
function usePlanned(design: string, card: Card, transition: BoardTransition, draft: Draft): { move: Move | undefined; error: Error | undefined } {
  const [state, setState] = useState<{ move: Move | undefined; error: Error | undefined }>({ move: undefined, error: undefined });
  const isReady = isComplete(transition.needs, draft);
  const parameters = valuesOf(transition.needs, draft);
  useEffect(() => {
    setState({ move: undefined, error: undefined });
    if (!isReady) return;
    let isShown = true;
    const ask = (): void =>
      void look<Move>(design, "move", { key: card.key, transition: transition.name, parameters }).then(
        (move) => isShown && setState({ move, error: undefined }),
        (error: Error) => isShown && setState({ move: undefined, error }),
      );
    const timer = setTimeout(ask, 100);
    return () => ((isShown = false), clearTimeout(timer));
  }, [transition.name, isReady, exactText(parameters)]);
  return state;
}

/** Says why the database refused a conditional write. */
function inWords(error: Error): string {
  const isOther = error instanceof DbError && /ConditionalCheckFailed|TransactionCanceled|TransactionConflict/.test(error.kind) && !error.message.includes("Tavola:");
  return isOther ? "The item has changed since it was read: somebody else was faster. Nothing was written. Read the board again." : error.message;
}

export function MoveDialog({ design, card, transitions, onMoved, onClose }: Props) {
  const [name, setName] = useState(transitions[0]!.name);
  const transition = transitions.find((one) => one.name === name)!;
  const [draft, setDraft] = useState<Draft>({});
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), [name]);
  const { move, error } = usePlanned(design.name, card, transition, draft);
  const bad = error instanceof NamedRefusal && error.parameter ? { parameter: error.parameter, reason: error.message } : undefined;
  const request = move?.operation && move.request ? { operation: move.operation, request: move.request } : undefined;
  const submit = (event: Event): void => {
    event.preventDefault();
    setTried(true);
    setRefused("");
    if (!request) return;
    call(request.operation, request.request).then(() => (say(`${nameOf(card)} is ${transition.to}`), onMoved()), (why: Error) => setRefused(inWords(why)));
  };
  return (
    <Dialog title={`${transition.title || transition.name}: ${nameOf(card)}`} onClose={onClose}>
      <form ref={form} class="stack wide" noValidate onSubmit={submit}>
        {transitions.length > 1 && <Segments label="Transition" options={transitions.map((one) => [one.name, one.title || one.name] as const)} value={name} onChange={setName} />}
        <p>Becomes <strong>{transition.to}</strong>. {transition.doc && <span class="quiet">{transition.doc}</span>}</p>
        {transition.needs.length > 0 && <ParameterFields parameters={transition.needs} draft={draft} isChecked={isTried} onChange={setDraft} refused={bad} />}
        {move?.refused && <Refused name={move.refused.name} reason={move.refused.reason} />}
        {error && !bad && <p class="wrong" role="alert">{error.message}</p>}
        {request && <Writes sent={request} tableKeys={Object.keys(card.key)} />}
        {refused && <Refused name="" reason={refused} />}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>Cancel</button>
          <button class="button primary" type="submit" autofocus={transition.needs.length === 0} disabled={isReadOnly.value || (isTried && !request)}>{transition.name}</button>
        </div>
      </form>
    </Dialog>
  );
}
