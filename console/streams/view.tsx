// The live tail of a table's stream: changes as they happen, with a pause and a filter, and what each changed.
import { useEffect, useMemo, useState } from "preact/hooks";
import { setQuery } from "web/route";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { call } from "../db/call";
import { type TableInfo, describe, tables } from "../db/tables";
import type { Item } from "../db/value";
import { amount, moment, plural } from "../format";
import { changesOf } from "../items/changes";
import { keyWords } from "../items/editing";
import { useKey } from "../keys";
import { type Facets, facetsOf, withMask } from "../lens/facets";
import type { Seen } from "../lens/look";
import { SensitiveSwitch, useSensitive } from "../lens/sensitive";
import type { ViewProps } from "../routes";
import { isReadOnly } from "../session";
import { TableProblem } from "../tables/known_table";
import type { Change } from "./api";
import { Record } from "./record";
import { Tail } from "./tail";

export default function Stream({ params, query }: ViewProps) {
  const name = params["table"] ?? "";
  const [error, setError] = useState<Error>();
  const [isAsked, setAsked] = useState(false);
  const look = (): void => void describe(name).then(() => setError(undefined), setError).finally(() => setAsked(true));
  useEffect(look, [name]);
  const table = tables.value.get(name);
  if (error) return <TableProblem name={name} error={error} again={look} />;
  if (!table || !isAsked) return <div class="loading" role="progressbar" aria-label="Loading" />;
  if (!table.StreamSpecification?.StreamEnabled || !table.LatestStreamArn) return <NoStream table={table} again={look} />;
  const from = query.get("from") === "oldest" ? "oldest" : "now";
  return <Live key={table.LatestStreamArn + from} table={table} stream={table.LatestStreamArn} from={from} />;
}

const views = [["NEW_AND_OLD_IMAGES", "new and old items"], ["NEW_IMAGE", "new items"], ["OLD_IMAGE", "old items"], ["KEYS_ONLY", "keys only"]] as const;

function NoStream({ table, again }: { table: TableInfo; again: () => void }) {
  const [view, setView] = useState<string>(views[0][0]);
  const switchOn = (event: Event): void => {
    event.preventDefault();
    call("UpdateTable", { TableName: table.TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: view } }).then(() => (say("The stream is on"), again()), sayError);
  };
  return (
    <Empty icon="move" title="This table has no stream">
      <p>A stream has every change of every item, in order, for a day. Programs read it to follow the table, and this view shows it live: what your application writes, and what each write changed.</p>
      {!isReadOnly.value && (
        <form class="row tail-on" onSubmit={switchOn}>
          <select aria-label="What the stream has" value={view} onChange={(e) => setView(e.currentTarget.value)}>{views.map(([value, words]) => <option key={value} value={value}>{words}</option>)}</select>
          <button class="button primary" type="submit"><Icon name="play" />Switch the stream on</button>
        </form>
      )}
    </Empty>
  );
}

/** A tail with what the design of the table knows about its changes. */
function useTail(table: TableInfo, stream: string, from: "now" | "oldest") {
  const { tail, facets, seen } = useMemo(() => {
    const facets = facetsOf(table);
    const seen = new WeakMap<Change, Seen>();
    const arrive = async (changes: readonly Change[]): Promise<void> => {
      if (!facets || changes.length === 0) return;
      const found = await facets.see(changes.map(({ keys, before, after }) => after ?? before ?? keys));
      changes.forEach((change, at) => seen.set(change, found[at]!));
    };
    return { tail: new Tail(stream, from, arrive), facets, seen };
  }, []);
  useEffect(() => () => tail.stop(), []);
  return { tail, facets, seen };
}

const kinds = { INSERT: ["Created", "good"], MODIFY: ["Changed", undefined], REMOVE: ["Deleted", "bad"] } as const;
const shownMost = 200;

/** A change as it may be shown. */
export interface ShownChange {
  change: Change;
  seen: Seen | undefined;
  before: Item | undefined;
  after: Item | undefined;
  names: readonly string[]; // of the attributes that differ
}

function shownOf(change: Change, seen: Seen | undefined, facets: Facets | undefined, isSensitiveShown: boolean): ShownChange {
  const masked = (item: Item | undefined): Item | undefined => (item && facets && !isSensitiveShown ? withMask(facets, seen, item) : item);
  const { before, after } = change;
  const names = before && after ? [...new Set(changesOf(before, after).map(({ path }) => path[0]!))] : [];
  return { change, seen, before: masked(before), after: masked(after), names };
}

const fits = ({ change, before, after }: ShownChange, kind: string, text: string): boolean =>
  (kind === "" || change.event === kind) && (text === "" || JSON.stringify([change.keys, before, after]).toLowerCase().includes(text));

/** Returns what a function says of a change, which is asked once as long as `on` is the same. */
function useOnce<T>(of: (change: Change) => T, on: readonly unknown[]): (change: Change) => T {
  return useMemo(() => {
    const known = new WeakMap<Change, { answer: T }>();
    return (change) => {
      const found = known.get(change) ?? { answer: of(change) };
      known.set(change, found);
      return found.answer;
    };
  }, on);
}

function Live({ table, stream, from }: { table: TableInfo; stream: string; from: "now" | "oldest" }) {
  const { tail, facets, seen } = useTail(table, stream, from);
  const sensitive = useSensitive();
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Change>();
  const known = tail.changes.value;
  const view = useOnce((change) => shownOf(change, seen.get(change), facets, sensitive.isShown), [sensitive.isShown]);
  const doesFit = useOnce((change) => fits(view(change), kind, text.trim().toLowerCase()), [view, kind, text]);
  const fitting = known.filter(doesFit);
  const rows = fitting.slice(-shownMost).reverse().map(view);
  const isPaused = tail.isPaused.value;
  const toggle = (): void => (isPaused ? tail.goOn() : tail.pause());
  const step = (by: number): void => {
    const at = rows.findIndex(({ change }) => change === chosen) + by;
    const next = rows[Math.min(Math.max(at, 0), rows.length - 1)];
    if (next) (setChosen(next.change), document.getElementById(`change-${next.change.id}`)?.focus());
  };
  useKey("p", "Pause or go on", toggle);
  useKey("j", "Next older change", () => step(1));
  useKey("k", "Next newer change", () => step(-1));
  const secrets = facets ? [...new Set(facets.entities.value.flatMap((one) => one.sensitive))] : [];
  return (
    <div class="tail">
      <div class="panel panel-tools">
        <button class="button primary" type="button" onClick={toggle} title="P"><Icon name={isPaused ? "play" : "pause"} />{isPaused ? "Go on" : "Pause"}</button>
        <Segments label="Begin with" options={[["now", "New changes"], ["oldest", "The last day"]]} value={from} onChange={(next) => setQuery({ from: next === "oldest" ? next : "" })} />
        <select aria-label="Kind of change" value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
          <option value="">All changes</option>
          {Object.entries(kinds).map(([value, [name]]) => <option key={value} value={value}>{name}</option>)}
        </select>
        <input class="grow" type="search" placeholder="Text in keys and attributes" aria-label="Text in keys and attributes" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <SensitiveSwitch sensitive={sensitive} names={secrets} />
        <button class="button" type="button" disabled={known.length === 0} onClick={() => (tail.clear(), setChosen(undefined))}>Clear</button>
      </div>
      {tail.error.value && <Problem error={tail.error.value} again={() => tail.goOn()} />}
      <p class="quiet small tail-words">{stateOf(tail)}{countsOf(tail, fitting.length, rows.length, kind !== "" || text.trim() !== "")}</p>
      <div class="history-columns">
        <section class="panel" aria-label="Changes">
          <ol class="versions">
            {rows.map((one) => <li key={one.change.id}><Row table={table} shown={one} isChosen={one.change === chosen} onChoose={() => setChosen(one.change)} /></li>)}
          </ol>
          {rows.length === 0 && <p class="quiet panel-body">{known.length > 0 ? "No change fits the filter." : from === "now" ? "Changes show here as they happen." : "Nothing has changed in the last day."}</p>}
        </section>
        {chosen && <Record table={table} shown={view(chosen)} onClose={() => setChosen(undefined)} />}
      </div>
    </div>
  );
}

function stateOf(tail: Tail): string {
  if (tail.hasEnded.value) return "The stream was switched off";
  if (tail.isPaused.value) return "Paused: what happens meanwhile comes when it goes on";
  return tail.isReady.value ? "Listening" : "Opening the stream";
}

function countsOf(tail: Tail, fitting: number, shown: number, isFiltered: boolean): string {
  const [count, kept] = [tail.count.value, tail.changes.value.length];
  return [
    ` · ${plural(count, "change")}`, count > kept ? `, the last ${amount(kept)} are kept` : "",
    isFiltered ? `, ${amount(fitting)} ${fitting === 1 ? "fits" : "fit"} the filter` : "", fitting > shown ? `, ${amount(shown)} are shown` : "",
  ].join("");
}

function Row({ table, shown, isChosen, onChoose }: { table: TableInfo; shown: ShownChange; isChosen: boolean; onChoose: () => void }) {
  const { change, seen, names } = shown;
  const [name, color] = kinds[change.event];
  return (
    <button id={`change-${change.id}`} class="version" type="button" aria-pressed={isChosen} onClick={onChoose}>
      <span class="mono grow tail-key">{keyWords(table, change.keys)}</span>
      <Badge kind={color}>{name}</Badge>
      <span class="quiet small tail-note">{moment(change.at / 1000)}{seen && "entity" in seen ? ` · ${seen.entity}` : ""}{change.hasExpired ? " · expired" : ""}{names.length > 0 ? ` · ${names.join(", ")}` : ""}</span>
    </button>
  );
}
