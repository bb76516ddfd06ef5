// The copies lens: what the design keeps beside an item, whether the two agree, and the repair.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Badge } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { plural } from "../format";
import { isReadOnly } from "../session";
import { EntityName, placeOf } from "./entity";
import type { LensProps } from "./item_lenses";
import { type CopiesAnswer, type CopyProblem, type Neighbour, look } from "./look";
import { ItemLink } from "./parts";
import { SeenThrough } from "./seen";

export function Copies(props: LensProps) {
  return (
    <SeenThrough design={props.design} lens="copies" question={{ key: props.itemKey }} sensitive={props.sensitive}>
      {(answer, again) => (
        <div class="stack wide">
          <Problems answer={answer} props={props} again={again} />
          <Beside answer={answer} props={props} />
        </div>
      )}
    </SeenThrough>
  );
}

function Problems({ answer, props, again }: { answer: CopiesAnswer; props: LensProps; again: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [left, setLeft] = useState<readonly CopyProblem[]>([]);
  const computable = answer.problems.filter((one) => one.computable).length;
  const repair = (): void => {
    setBusy(true);
    look(props.design, "copies", { key: props.itemKey, repair: true }, props.sensitive)
      .then((after) => (say(after.repaired > 0 ? `${plural(after.repaired, "value")} corrected` : "Nothing was changed"), setLeft(after.problems), again()), sayError)
      .finally(() => setBusy(false));
  };
  if (answer.problems.length === 0) return <p class="notice good" role="status"><Icon name="check" />The item, and what the design keeps beside it, agree.</p>;
  const whyLeft = (one: CopyProblem): string | undefined => left.find(({ rule, about, text }) => rule === one.rule && about === one.about && text === one.text)?.whyLeft;
  return (
    <section class="panel lens-list" aria-label="Drift">
      <div class="row">
        <h3 class="grow">{plural(answer.problems.length, "difference")}</h3>
        {computable > 0 && !isReadOnly.value && <button class="button small primary" type="button" disabled={isBusy} onClick={repair}><Icon name="refresh" />Repair</button>}
      </div>
      <ul>
        {answer.problems.map((one) => (
          <li key={one.rule + one.about + one.text}>
            <span class="line"><Badge kind="bad">{one.rule}</Badge><code>{one.about}</code></span>
            <span>{one.text}</span>
            <span class="quiet small">{whyLeft(one) ?? (one.computable ? "The correct value is known: a repair writes it, if nothing changes meanwhile." : "The correct value cannot be computed.")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const kinds: Record<Neighbour["kind"], string> = {
  mirror: "a copy that is kept equal", fanout: "a copy in other items", snapshot: "a copy as it was then", counter: "a counter", unique: "a guard of a unique value",
};

function Beside({ answer, props }: { answer: CopiesAnswer; props: LensProps }) {
  const { info } = props;
  const { source, beside } = answer;
  if (!source && beside.length === 0) return <p class="quiet">The design keeps nothing beside {answer.item.entity ? `a ${answer.item.entity}` : "this item"}: no copies, no counters, no unique values.</p>;
  return (
    <section class="panel lens-list" aria-label="Beside the item">
      {source && (
        <>
          <h3>It is a copy of</h3>
          <ul>
            <li>
              <span class="line"><EntityName name={source.entity} place={placeOf(info, source.entity)} /><code class="quiet">{source.copy}</code>{!source.exists && <Badge kind="bad">missing</Badge>}</span>
              <ItemLink table={props.table} itemKey={source.key} exists={source.exists} />
            </li>
          </ul>
        </>
      )}
      {beside.length > 0 && <h3>Beside it</h3>}
      <ul>
        {beside.map((one) => (
          <li key={one.kind + one.name + JSON.stringify(one.key)}>
            <span class="line">
              <Badge>{one.kind}</Badge>{one.entity && <EntityName name={one.entity} place={placeOf(info, one.entity)} />}<code class="quiet" title={kinds[one.kind]}>{one.name}</code>
              {!one.exists && <Badge kind="bad">missing</Badge>}
            </span>
            {one.key ? <ItemLink table={props.table} itemKey={one.key} exists={one.exists} /> : <span class="quiet small">Its key has the value, which is not shown.</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
