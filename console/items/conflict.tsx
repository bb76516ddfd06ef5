// Somebody else changed the item while it was edited: what was read, what is there now, and what the person wants, value by value.
import { useState } from "preact/hooks";
import { pathText } from "../db/placeholders";
import type { TableInfo } from "../db/tables";
import type { Item, Value } from "../db/value";
import { type Change, changesOf, doMeet, isSame, withChanges } from "./changes";
import { Diff, Said } from "./diff";

interface Props {
  table: TableInfo;
  base: Item; // as it was read
  theirs: Item | undefined; // as it is now
  mine: Item;
  /** Goes on with `draft` on top of what is there now. */
  onMerged: (base: Item | undefined, draft: Item) => void;
}

export function Conflict(props: Props) {
  if (!props.theirs) return <Gone {...props} />;
  return <ThreeWays {...props} theirs={props.theirs} />;
}

function Gone({ base, mine, onMerged }: Props) {
  return (
    <section class="panel conflict" aria-label="Conflict">
      <h2>Somebody deleted this item</h2>
      <p>It is not there any more since it was read. Nothing of yours was written.</p>
      <div class="row">
        <button class="button" type="button" onClick={() => onMerged(undefined, mine)}>Write it as a new item</button>
        <button class="button" type="button" onClick={() => onMerged(undefined, base)}>Restore it as it was read</button>
      </div>
    </section>
  );
}

const valueAt = (item: Item, path: readonly string[]): Value | undefined =>
  path.slice(1).reduce<Value | undefined>((value, name) => (value && "M" in value && Object.hasOwn(value.M, name) ? value.M[name] : undefined), Object.hasOwn(item, path[0]!) ? item[path[0]!] : undefined);

/** The changes of both that meet: the same value, or one a part of the other. Where both did the same, nothing is to be decided. */
function conflictsOf(mine: readonly Change[], theirs: readonly Change[]): Change[] {
  return mine.filter((one) => theirs.some((other) => doMeet(one, other) && !(pathText(one.path) === pathText(other.path) && isSame(one.after, other.after))));
}

function ThreeWays({ base, theirs, mine, onMerged }: Props & { theirs: Item }) {
  const [choices, setChoices] = useState<Record<string, "mine" | "theirs">>({});
  const mineAll = changesOf(base, mine);
  const theirAll = changesOf(base, theirs);
  const conflicts = conflictsOf(mineAll, theirAll);
  const choiceOf = ({ path }: Change): string => choices[pathText(path)] ?? "theirs";
  const others = theirAll.filter((one) => !conflicts.some((conflict) => doMeet(one, conflict)));
  const goOn = (): void => onMerged(theirs, withChanges(theirs, mineAll.filter((one) => !conflicts.includes(one) || choiceOf(one) === "mine")));
  return (
    <section class="panel conflict" aria-label="Conflict">
      <h2>Somebody changed this item</h2>
      <p>It is not as it was read any more. Nothing of yours was written.</p>
      {conflicts.length > 0 && (
        <div class="conflicts">
          {conflicts.map((one) => {
            const name = pathText(one.path);
            return (
              <fieldset key={name}>
                <legend class="mono">{name}</legend>
                <Side name="As it was read" value={one.before} />
                <Side name="Theirs, stored now" value={valueAt(theirs, one.path)} group={name} isChosen={choiceOf(one) === "theirs"} onChoose={() => setChoices({ ...choices, [name]: "theirs" })} />
                <Side name="Yours" value={one.after} group={name} isChosen={choiceOf(one) === "mine"} onChoose={() => setChoices({ ...choices, [name]: "mine" })} />
              </fieldset>
            );
          })}
        </div>
      )}
      {others.length > 0 && <><h3>Also changed by them, and kept</h3><Diff changes={others} label="Their other changes" /></>}
      <div class="row"><button class="button primary" type="button" onClick={goOn}>Go on with this choice</button></div>
    </section>
  );
}

function Side({ name, value, group, isChosen, onChoose }: { name: string; value: Value | undefined; group?: string; isChosen?: boolean; onChoose?: () => void }) {
  const shown = <span class="side-value">{value ? <Said value={value} withType={false} /> : <span class="quiet">not there</span>}</span>;
  if (!onChoose) return <div class="way"><span class="quiet small">{name}</span>{shown}</div>;
  return (
    <label class="way">
      <span class="row"><input type="radio" name={`conflict-${group}`} checked={isChosen ?? false} onChange={onChoose} /><span class="small">{name}</span></span>
      {shown}
    </label>
  );
}
