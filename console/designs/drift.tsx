// How far a table follows its design: its enforcement, an adoption or a migration under way, refused writes, and the items that differ, with their repair.
import { useEffect, useRef, useState } from "preact/hooks";
import { Confirm } from "web/ui/dialog";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Panel, Problem } from "web/ui/table";
import type { Item } from "../db/value";
import { amount, moment, plural } from "../format";
import { type ViewProps, tableUrl } from "../routes";
import { isReadOnly } from "../session";
import { type Adoption, type Design, type Governance, type Migration, askDesign, itemUrl, useDesign } from "./api";
import { exactText } from "./exact";
import { keyInWords } from "./run/requests";

interface DriftFinding {
  rule: string;
  about: string;
  count: number;
  computable: number;
  mended?: number;
  whyLeft?: string;
  samples: { key?: Item; text: string }[];
}

export interface DriftAnswer {
  items: number;
  drift: boolean;
  findings: DriftFinding[];
  notes: string[];
  doing?: string; // while items are read
  expected?: number; // items of the whole table; 0: unknown
  next?: string; // asks for the rest
}

const meanings: Record<string, string> = {
  table: "The table differs from the design", "unmatched-item": "Items of no entity", field: "Fields that break the design", "derived-value": "Wrong computed values", "index-key": "Wrong index keys",
  "entity-attribute": "Wrong entity attributes", "state-key": "State keys that contradict the fields", "copy-missing": "Missing copies", "copy-different": "Copies that differ from their source",
  "copy-orphaned": "Copies without a source", counter: "Wrong counters", "guard-missing": "Unique values without a guard", "guard-orphaned": "Guards of unique values without a holder",
  "not-unique": "Unique values that two items have", reference: "References to missing items", "pattern-unused": "Patterns without a request", "request-unexplained": "Requests that no pattern explains",
};
const isAboutUse = (rule: string): boolean => rule === "pattern-unused" || rule === "request-unexplained";

export default function DriftView({ params }: ViewProps) {
  const { design, error, again } = useDesign(params["design"] ?? "");
  const isBusy = design?.governance.adoption?.running || design?.governance.adopting;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(again, 1000);
    return () => clearInterval(timer);
  }, [isBusy, design?.name]);
  if (!design) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <div class="page">
      <State design={design} />
      <Look design={design} />
    </div>
  );
}

const enforcements: Record<string, string> = { strict: "A write that breaks the design is refused.", warn: "A write that breaks the design is counted, not refused.", off: "The design is not applied to writes." };

function State({ design }: { design: Design }) {
  const { governance } = design;
  return (
    <Panel title="The table" end={<Enforced governance={governance} />}>
      <div class="stack wide">
        <p class="quiet">{governance.enforce ? enforcements[governance.enforce] : `No design governs ${design.table} yet. \`tavola serve --design ${design.file}\` or an apply on the page Edit lets this one take it over.`}</p>
        {governance.adoption && <AdoptionPart adoption={governance.adoption} />}
        {governance.unchecked && <p class="notice">Items were brought in at {moment(Date.parse(governance.unchecked.since) / 1000)} without being checked. {governance.unchecked.checking ? "They are being checked." : ""}</p>}
        {governance.migration && <MigrationPart migration={governance.migration} />}
        {governance.unfinished > 0 && <p>{plural(governance.unfinished, "deletion")} of many items {governance.unfinished === 1 ? "is" : "are"} being finished in the background.</p>}
        {governance.broken.length > 0 && <Broken governance={governance} table={design.table} />}
        {governance.stuck > 0 && <Stuck governance={governance} />}
      </div>
    </Panel>
  );
}

function Enforced({ governance }: { governance: Governance }) {
  if (governance.adopting) return <Badge kind="warn">adopting</Badge>;
  return <Badge kind={governance.enforce === "strict" ? "good" : "warn"}>{governance.enforce ?? "ungoverned"}</Badge>;
}

export function AdoptionPart({ adoption }: { adoption: Adoption }) {
  if (adoption.running) {
    const { items = 0, expected = 0 } = adoption;
    return (
      <p class="row" role="status">
        <progress aria-label="Adoption" {...(expected > 0 ? { max: expected, value: Math.min(items, expected) } : {})} /> {adoption.doing} <span class="quiet">{amount(items)}{expected > 0 && ` of about ${amount(expected)}`} items</span>
      </p>
    );
  }
  if (adoption.failure) return <p class="notice bad" role="alert">{adoption.failure}</p>;
  return (
    <details open={adoption.complete === false}>
      <summary>{adoption.complete === false ? "The last adoption left items that cannot follow the design" : "The last adoption is complete"}</summary>
      <pre class="report">{adoption.report}</pre>
    </details>
  );
}

/** How far the items of the table are on their way to another one. */
function MigrationPart({ migration }: { migration: Migration }) {
  const { oldTable = "", newTable = "", from, to, copying, stopped, copied, checked, items, newItems, differences, samples } = migration;
  return (
    <div>
      <h3>Migration {from && to && <span class="quiet">from revision {from} to {to}</span>}</h3>
      <p class="row" role="status">
        {copying && <progress aria-label="Migration" {...(items > 0 ? { max: items, value: Math.min(copied, items) } : {})} />}
        <span>{oldTable} → <a href={tableUrl(newTable)}>{newTable}</a>: {amount(copied)} of about {plural(items, "item")} copied, {amount(newItems)} there{checked > 0 && `, ${amount(checked)} checked`}</span>
        {stopped && <Badge kind="bad">stopped</Badge>}
        {!copying && !stopped && <Badge kind={differences > 0 ? "bad" : "good"}>{differences > 0 ? plural(differences, "difference") : "both are kept equal"}</Badge>}
      </p>
      {samples.length > 0 && <ul class="samples small">{samples.map((one) => <li key={one.key}><code>{one.key}</code> {one.why}</li>)}</ul>}
      <p class="quiet small">Writes go to both tables. <code>tavola migrate</code> verifies and finishes it.</p>
    </div>
  );
}

function Broken({ governance, table }: { governance: Governance; table: string }) {
  return (
    <div>
      <h3>Writes that broke the design</h3>
      <ul class="unserved">{governance.broken.map((one) => <li key={one.rule}><code>{one.rule}</code> <span class="number">{plural(one.writes, "write")}</span> <a class="small" href={itemUrl(table, one.key)}>the latest item</a></li>)}</ul>
    </div>
  );
}

function Stuck({ governance }: { governance: Governance }) {
  return (
    <details>
      <summary>{plural(governance.stuck, "item")} stuck in a state</summary>
      <ul class="unserved">{governance.stuckItems.map((one, at) => <li key={at}><strong>{one.entity}</strong> <code>{exactText(one.fields ?? {})}</code> <span class="quiet small">since {moment(Date.parse(one.since) / 1000)}</span></li>)}</ul>
    </details>
  );
}

interface Looking {
  answer: DriftAnswer | undefined;
  isRunning: boolean;
  isRepair: boolean;
  error: Error | undefined;
}

/** Asks again and again while the server reads the table, until it has ended or somebody stops it: nobody asks then, and the server gives up. */
function useDrift(design: string): { state: Looking; begin: (isRepair: boolean) => void; stop: () => void } {
  const [state, setState] = useState<Looking>({ answer: undefined, isRunning: false, isRepair: false, error: undefined });
  const running = useRef<AbortController>();
  const begin = async (isRepair: boolean): Promise<void> => {
    const stop = (running.current = new AbortController());
    let answer: DriftAnswer | undefined;
    const note = (part: Partial<Looking>): void => setState({ answer, isRunning: true, isRepair, error: undefined, ...part });
    note({});
    try {
      for (let page: string | undefined; ; ) {
        answer = await askDesign<DriftAnswer>(design, "drift", { repair: isRepair, ...(page ? { page } : {}) }, { signal: stop.signal });
        page = answer.next;
        note({ isRunning: page !== undefined });
        if (page === undefined) return;
      }
    } catch (why) {
      note({ isRunning: false, error: (why as Error).name === "AbortError" ? undefined : (why as Error) });
    }
  };
  useEffect(() => () => running.current?.abort(), []);
  return { state, begin: (isRepair) => void begin(isRepair), stop: () => running.current?.abort() };
}

function Look({ design }: { design: Design }) {
  const { state, begin, stop } = useDrift(design.name);
  const [isAsking, setAsking] = useState(false);
  const { answer } = state;
  const computable = (answer?.findings ?? []).filter((one) => !isAboutUse(one.rule)).reduce((sum, one) => sum + one.computable - (one.mended ?? 0), 0);
  return (
    <Panel title="Items that differ">
      <div class="stack wide">
        <div class="row">
          {state.isRunning ? <button class="button" type="button" onClick={stop}><Icon name="stop" />Stop</button> : <button class="button primary" type="button" onClick={() => begin(false)}><Icon name="search" />Look for differences</button>}
          {computable > 0 && !state.isRunning && <button class="button" type="button" disabled={isReadOnly.value} onClick={() => setAsking(true)}><Icon name="edit" />Repair {plural(computable, "difference")}</button>}
          {answer && <span class="quiet" role="status">{plural(answer.items, "item")} read{state.isRunning && " so far"}</span>}
          {state.isRunning && <progress aria-label="Looking" {...(answer?.expected ? { max: answer.expected, value: Math.min(answer.items, answer.expected) } : {})} />}
        </div>
        {!answer && !state.isRunning && <p class="quiet">Every item is read and compared with the design: its fields, its index keys, copies, counters, unique values and references. Nothing is written unless you ask for the repair.</p>}
        {state.error && <Problem error={state.error} again={() => begin(state.isRepair)} />}
        {answer && <Differences answer={answer} table={design.table} isRepair={state.isRepair} isDone={!state.isRunning} />}
      </div>
      {isAsking && <Confirm title="Repair what can be computed?" text="Computed values, index keys, copies, counters and guards are written again, each only if nothing has changed since it was read. What cannot be computed stays as it is." yes="Repair" onYes={() => begin(true)} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

export function Differences({ answer, table, isRepair, isDone }: { answer: DriftAnswer; table: string; isRepair: boolean; isDone: boolean }) {
  const findings = answer.findings.filter((one) => !isAboutUse(one.rule));
  if (findings.length === 0) return isDone ? <Empty icon="check" title="Every item follows the design" /> : null;
  return (
    <ul class="findings">
      {findings.map((one) => (
        <li key={`${one.rule} ${one.about}`}>
          <p>
            <strong>{meanings[one.rule] ?? one.rule}</strong> {one.about && <code>{one.about}</code>} <span class="number">{amount(one.count)}</span>{" "}
            {isRepair && (one.mended ?? 0) > 0 && <Badge kind="good">{amount(one.mended)} repaired</Badge>}
            {isRepair && (one.mended ?? 0) < one.count && <Badge kind="warn">{amount(one.count - (one.mended ?? 0))} left</Badge>}
            {!isRepair && one.computable > 0 && <Badge>{one.computable === one.count ? "can be repaired" : `${amount(one.computable)} can be repaired`}</Badge>}
          </p>
          {one.whyLeft && <p class="small quiet">{one.whyLeft}</p>}
          <ul class="samples">
            {one.samples.map((sample, at) => <li key={at} class="small">{sample.key && <a href={itemUrl(table, sample.key)}><code>{keyInWords(sample.key)}</code></a>} {sample.text}</li>)}
          </ul>
        </li>
      ))}
    </ul>
  );
}
