// The items of an entity by their states: a column for each state, read from its index. A card is moved by dragging it or by a key.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { plural } from "../../format";
import { useKey } from "../../keys";
import type { ViewProps } from "../../routes";
import { type Design, type Entity, type Lifecycle, designUrl, look, useDesign } from "../api";
import { shown } from "../exact";
import { now, tickMilliseconds } from "./age";
import { Columns } from "./columns";
import type { BoardAnswer } from "./lens";

interface Choice {
  entity: Entity;
  lifecycle: Lifecycle;
}

const choicesOf = (design: Design): Choice[] => design.entities.flatMap((entity) => entity.lifecycles.map((lifecycle) => ({ entity, lifecycle })));
const nameOf = ({ entity, lifecycle }: Choice): string => `${entity.name}.${lifecycle.name}`;

function boardUrl(design: string, choice: Choice, fields: Record<string, string> = {}): string {
  const search = new URLSearchParams({ lifecycle: nameOf(choice) });
  for (const [name, text] of Object.entries(fields)) if (text !== "") search.set(`p.${name}`, text);
  return `${designUrl(design, "board")}?${search.toString()}`;
}

export default function BoardView({ params, query }: ViewProps) {
  const { design, error, again } = useDesign(params["design"] ?? "");
  if (!design) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  const all = choicesOf(design);
  const choice = all.find((one) => nameOf(one) === query.get("lifecycle")) ?? all[0];
  if (!choice) {
    return (
      <Empty icon="move" title="The design has no lifecycle">
        <p>A lifecycle names the states of an entity and the transitions between them. With one, this page shows the items of each state, how long they are in it and which are stuck, and moves them by the declared transitions.</p>
      </Empty>
    );
  }
  const fields = Object.fromEntries([...query].filter(([name]) => name.startsWith("p.")).map(([name, text]) => [name.slice(2), text]));
  return <Board key={nameOf(choice) + JSON.stringify(fields)} design={design} all={all} choice={choice} fields={fields} />;
}

function Board({ design, all, choice, fields }: { design: Design; all: Choice[]; choice: Choice; fields: Record<string, string> }) {
  const answer = useSignal<BoardAnswer | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const question = { entity: choice.entity.name, lifecycle: choice.lifecycle.name, parameters: fields };
  const load = (): Promise<void> => look<BoardAnswer>(design.name, "board", question).then((found) => ((answer.value = found), (error.value = undefined)), (why: Error) => void (error.value = why));
  useEffect(() => {
    void load();
    const timer = setInterval(() => (now.value = Date.now()), tickMilliseconds);
    return () => clearInterval(timer);
  }, []);
  const stuck = useComputed(() => (answer.value?.columns ?? []).reduce((sum, column) => sum + column.items.filter((card) => card.stuck).length, 0));
  useKey("r", "Read the board again", () => void load());
  const needs = answer.value?.needs ?? [];
  const isComplete = needs.every((name) => fields[name] !== undefined);
  return (
    <div class="board-page">
      <div class="board-bar">
        {all.length > 1 ? (
          <select aria-label="Lifecycle" value={nameOf(choice)} onChange={(e) => go(boardUrl(design.name, all.find((one) => nameOf(one) === e.currentTarget.value)!, fields))}>
            {all.map((one) => <option key={nameOf(one)} value={nameOf(one)}>{nameOf(one)}</option>)}
          </select>
        ) : <strong class="mono">{nameOf(choice)}</strong>}
        {needs.length > 0 && <Partition key={needs.join()} needs={needs} fields={fields} onChoose={(next) => go(boardUrl(design.name, choice, next))} />}
        <span class="grow" />
        {stuck.value > 0 && <Badge kind="bad">{stuck.value} stuck</Badge>}
        {answer.value && <span class="quiet small">{answer.value.by === "index" ? `read from ${answer.value.index}` : "read by a scan: no index has the states"}</span>}
        <button class="button small" type="button" onClick={() => void load()}><Icon name="refresh" />Read again</button>
      </div>
      {error.value && <Problem error={error.value} again={() => void load()} />}
      {!answer.value && !error.value && <div class="loading" role="progressbar" aria-label="Loading" />}
      {answer.value && !isComplete && <Choices answer={answer.value} urlOf={(next) => boardUrl(design.name, choice, next)} />}
      {answer.value && isComplete && <Columns design={design} question={question} answer={answer} reload={load} />}
    </div>
  );
}

/** The fields that say which partition of the index is shown. */
function Partition({ needs, fields, onChoose }: { needs: string[]; fields: Record<string, string>; onChoose: (fields: Record<string, string>) => void }) {
  const [draft, setDraft] = useState(fields);
  return (
    <form class="row" onSubmit={(event) => (event.preventDefault(), onChoose(draft))}>
      {needs.map((name) => (
        <label key={name} class="joined need"><span class="name">{name}</span><input value={draft[name] ?? ""} required spellcheck={false} autocomplete="off" onInput={(e) => setDraft({ ...draft, [name]: e.currentTarget.value })} /></label>
      ))}
      <button class="button small" type="submit">Show</button>
      {needs.some((name) => fields[name]) && <button class="button plain small" type="button" onClick={() => onChoose({})}>Others</button>}
    </form>
  );
}

function Choices({ answer, urlOf }: { answer: BoardAnswer; urlOf: (fields: Record<string, string>) => string }) {
  const choices = answer.choices ?? [];
  if (choices.length === 0) return <Empty icon="move" title="No item is in a state"><p>The index {answer.index} has no items of this entity yet.</p></Empty>;
  return (
    <section class="panel panel-body" aria-label="Partitions">
      <h2>Which {answer.needs.join(" and ")}?</h2>
      <p class="quiet">The index {answer.index} keeps the states of each apart.</p>
      <ul class="choices">
        {choices.map(({ fields, items }) => {
          const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)]));
          return <li key={JSON.stringify(texts)}><a class="choice" href={urlOf(texts)}><span>{Object.values(texts).join(" · ")}</span><span class="quiet number">{plural(items, "item")}</span></a></li>;
        })}
      </ul>
    </section>
  );
}
