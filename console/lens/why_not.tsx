// Why an item is, or is not, in the result of a pattern: choose the pattern and its parameters, see check by check.
import { useState } from "preact/hooks";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge } from "web/ui/table";
import type { Item } from "../db/value";
import { type Design, look } from "../designs/api";
import { ParameterFields } from "../designs/run/fields";
import { type Draft, isComplete, valuesOf } from "../designs/run/parameters";
import type { LensProps } from "./item_lenses";
import type { Check, ShownItem, WhyNotAnswer } from "./look";
import { patternHref } from "./parts";
import { SeenThrough } from "./seen";

export function WhyNot(props: LensProps) {
  const { info, design, itemKey, sensitive } = props;
  if (!info) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <SeenThrough design={design} lens="references" question={{ key: itemKey }} sensitive={sensitive}>
      {({ item }) => <Asking design={info} item={item} itemKey={itemKey} />}
    </SeenThrough>
  );
}

/** What the item says about its fields: its attributes that can be typed, and the parts of its keys. */
function fieldsOf({ item, parts = {}, masked = [] }: ShownItem): Draft {
  const fields: Draft = {};
  for (const [name, value] of Object.entries(item)) {
    if (masked.includes(name)) continue;
    if ("S" in value) fields[name] = value.S;
    if ("N" in value) fields[name] = value.N;
    if ("BOOL" in value) fields[name] = String(value.BOOL);
  }
  for (const { field, text } of Object.values(parts).flat()) if (field !== undefined) fields[field] ??= text;
  return fields;
}

function Asking({ design, item, itemKey }: { design: Design; item: ShownItem; itemKey: Item }) {
  // Patterns of the item's own entity come first: one of them is what somebody wonders about.
  const patterns = design.patterns.filter(({ kind }) => kind !== "none");
  const own = patterns.filter(({ entity }) => entity === item.entity && item.entity !== undefined);
  const others = patterns.filter((one) => !own.includes(one));
  const [name, setName] = useState((own[0] ?? patterns[0])?.name ?? "");
  const [draft, setDraft] = useState<Draft>(() => fieldsOf(item));
  const [isTried, setTried] = useState(false);
  const [answer, setAnswer] = useState<WhyNotAnswer>();
  const [error, setError] = useState<Error>();
  const pattern = patterns.find((one) => one.name === name);
  if (!pattern) return <p class="quiet">The design has no pattern that a request serves.</p>;
  const ask = (event: Event): void => {
    event.preventDefault();
    setTried(true);
    if (!isComplete(pattern.parameters, draft)) return;
    look<WhyNotAnswer>(design.name, "why-not", { key: itemKey, pattern: name, parameters: valuesOf(pattern.parameters, draft) }).then(
      (found) => (setAnswer(found), setError(undefined)),
      (why: Error) => (setError(why), setAnswer(undefined)),
    );
  };
  const choose = (next: string): void => (setName(next), setAnswer(undefined), setError(undefined), setTried(false));
  const options = (list: typeof patterns) => list.map((one) => <option key={one.name} value={one.name}>{one.name}</option>);
  const href = patternHref(design.name, name);
  return (
    <div class="columns wide">
      <form class="panel lens-list stack wide" noValidate onSubmit={ask}>
        <Field label="Is the item in the result of" hint={pattern.title}>
          {(ids) => (
            <select {...ids} value={name} onChange={(e) => choose(e.currentTarget.value)}>
              {own.length > 0 && others.length > 0 ? <><optgroup label={`Patterns of ${item.entity}`}>{options(own)}</optgroup><optgroup label="Other patterns">{options(others)}</optgroup></> : options(patterns)}
            </select>
          )}
        </Field>
        <ParameterFields parameters={pattern.parameters} draft={draft} isChecked={isTried} onChange={setDraft} />
        <div class="row">
          <button class="button primary small" type="submit"><Icon name="search" />Why, or why not</button>
          {href && <a class="button plain small" href={href}>Run the pattern</a>}
        </div>
      </form>
      <section class="panel lens-list" aria-label="The answer" aria-live="polite">
        {error && <p class="wrong" role="alert">{error.message}</p>}
        {answer ? <Verdict answer={answer} /> : !error && <p class="quiet">Every condition of the pattern is checked against this item, in the order of the database: the index, the partition, the range, the filter. The parameters are filled in with the item's own values.</p>}
      </section>
    </div>
  );
}

const words: Record<Check["what"], string> = { item: "The item", entity: "Its entity", index: "The index", partition: "The partition key", range: "The sort key", filter: "The filter" };

function Verdict({ answer }: { answer: WhyNotAnswer }) {
  return (
    <>
      <p class={`notice ${answer.found ? "good" : "bad"}`}><Icon name={answer.found ? "check" : "close"} />{answer.found ? "The item is in the result." : "The item is not in the result."}</p>
      {answer.parts.map((part) => (
        <div class="checks" key={part.pattern}>
          {answer.parts.length > 1 && <h3>{part.pattern} <Badge kind={part.found ? "good" : "bad"}>{part.found ? "found" : "not found"}</Badge></h3>}
          <ol>
            {part.checks.map(({ what, holds, text }) => (
              <li key={what} class={holds ? "holds" : "fails"}>
                <Icon name={holds ? "check" : "close"} /><span class="visually-hidden">{holds ? "Holds" : "Fails"}:</span>
                <span><strong>{words[what]}</strong> <span>{text}</span></span>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </>
  );
}
