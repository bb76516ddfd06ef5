// The plan of an application: what it changes of the table, of the design and of the items. Then the application, with its progress.
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Confirm } from "web/ui/dialog";
import { Icon } from "web/ui/icons";
import { Badge, Problem } from "web/ui/table";
import { amount, plural } from "../../format";
import { isReadOnly, loadSession } from "../../session";
import { type Adoption, type Migration, askDesigns, designUrl } from "../api";
import { AdoptionPart, Differences, type DriftAnswer } from "../drift";

interface Difference {
  class: "change" | "backfill" | "breaks";
  part: string;
  message: string;
}

interface Plan {
  design: string;
  table: string;
  createsTable: boolean;
  governedBy?: string;
  resumes: boolean;
  nothingToDo: boolean;
  indexes: { create: string[]; replace: string[]; delete: string[] };
  differences: Difference[];
  breaking: number;
  left?: number;
  items?: DriftAnswer & { itemsToWrite: number };
}

interface PlanAnswer {
  plan?: Plan;
  servedFrom?: string | null;
  doing?: string;
  items?: number;
  expected?: number;
  page?: string;
}

interface Progress {
  exists: boolean;
  adopting: boolean;
  governedBy: string | null;
  served: string | null;
  adoption: Adoption | null;
  migration: Migration | null;
}

interface About {
  file: string;
  of?: string;
}

interface Props {
  text: string;
  about: About;
  asked: number;
  isWrong: boolean;
  onPlan: () => void;
  onApplied: () => void;
}

interface Planning {
  of: string;
  answer: PlanAnswer | undefined;
  error: Error | undefined;
}

/** Asks for the plan whenever `asked` grows, and again and again while the items of the table are read. */
function usePlan(text: string, about: About, asked: number): Planning {
  const [state, setState] = useState<Planning>({ of: "", answer: undefined, error: undefined });
  useEffect(() => {
    if (asked === 0) return;
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      setState({ of: text, answer: {}, error: undefined });
      for (let page: string | undefined; ; ) {
        const answer: PlanAnswer = await askDesigns<PlanAnswer>("plan", { text, ...about, ...(page ? { page } : {}) }, { signal: stop.signal });
        setState({ of: text, answer, error: undefined });
        page = answer.page;
        if (!page) return;
      }
    };
    ask().catch((error: Error) => error.name !== "AbortError" && setState({ of: text, answer: undefined, error }));
    return () => stop.abort();
  }, [asked]);
  return state;
}

export function Planned(props: Props) {
  const { text, about, asked, isWrong, onPlan } = props;
  const { of, answer, error } = usePlan(text, about, asked);
  const [table, setTable] = useState<string>(); // whose application is under way, or done
  if (table !== undefined) return <Applying table={table} onApplied={props.onApplied} onAgain={() => (setTable(undefined), onPlan())} />;
  if (isWrong) return <p class="quiet">The design has errors. Without them, the plan says what applying it would do.</p>;
  if (error && of === text) return <Problem error={error} again={onPlan} />;
  if (!answer || of !== text) {
    return (
      <div class="stack wide">
        <p class="quiet">{answer || error ? "The text has changed since the plan was made." : "The plan compares the design with its table: indexes, what changes for programs, and every item. Nothing is written."}</p>
        <div><button class="button primary small" type="button" onClick={onPlan}><Icon name="search" />Plan</button></div>
      </div>
    );
  }
  if (!answer.plan) {
    const { items = 0, expected = 0 } = answer;
    return (
      <p class="row" role="status">
        <progress aria-label="Reading the items" {...(expected > 0 ? { max: expected, value: Math.min(items, expected) } : {})} />{answer.doing ?? "reading"} <span class="quiet">{amount(items)}{expected > 0 && ` of about ${amount(expected)}`} items</span>
      </p>
    );
  }
  return <PlanShown plan={answer.plan} servedFrom={answer.servedFrom ?? ""} text={text} about={about} onStarted={setTable} />;
}

const classes: Record<Difference["class"], [kind: "bad" | "warn" | undefined, word: string]> = { breaks: ["bad", "may break"], backfill: ["warn", "items change"], change: [undefined, "change"] };

function Indexes({ plan }: { plan: Plan }) {
  const { create, replace, delete: gone } = plan.indexes;
  if (create.length + replace.length + gone.length === 0) return null;
  return (
    <section>
      <h3>Indexes</h3>
      <ul class="plan-list">
        {create.map((name) => <li key={name}><Badge kind="good">create</Badge> <code>{name}</code></li>)}
        {replace.map((name) => <li key={name}><Badge kind="warn">replace</Badge> <code>{name}</code> <span class="quiet small">Its keys or its projection differ: it is deleted and created, if you allow it.</span></li>)}
        {gone.map((name) => <li key={name}><Badge kind="warn">delete</Badge> <code>{name}</code> <span class="quiet small">The design does not have it. It stays unless you allow it.</span></li>)}
      </ul>
    </section>
  );
}

function Changes({ plan }: { plan: Plan }) {
  if (plan.differences.length === 0) return plan.governedBy && !plan.nothingToDo ? <p class="quiet">Only comments, documentation or sizes of the design differ.</p> : null;
  return (
    <section>
      <h3>The design</h3>
      <ul class="plan-list">
        {plan.differences.map((one, at) => <li key={at}><Badge kind={classes[one.class][0]}>{classes[one.class][1]}</Badge> <strong>{one.part}</strong> {one.message}</li>)}
      </ul>
    </section>
  );
}

function Items({ plan }: { plan: Plan }) {
  if (!plan.items) return null;
  const left = plan.left ?? 0;
  return (
    <section>
      <h3>{plural(plan.items.items, "item")}</h3>
      {plan.items.findings.length === 0 ? <p class="quiet">All of them follow the design.</p> : <p class="quiet">{plural(plan.items.itemsToWrite, "item")} will be written again, with the copies, counters and guards beside them.{left > 0 && ` ${plural(left, "difference")} cannot be repaired: those items stay as they are until somebody changes them.`}</p>}
      {plan.items.findings.length > 0 && <Differences answer={plan.items} table={plan.table} isRepair={false} isDone />}
    </section>
  );
}

function PlanShown({ plan, servedFrom, text, about, onStarted }: { plan: Plan; servedFrom: string; text: string; about: About; onStarted: (table: string) => void }) {
  const [isAsking, setAsking] = useState(false);
  const [deletes, setDeletes] = useState(false);
  const [error, setError] = useState<Error>();
  const mayDelete = plan.indexes.delete.length + plan.indexes.replace.length > 0;
  const hasNothing = plan.nothingToDo && !(deletes && mayDelete);
  const apply = (): void => void askDesigns<{ table: string }>("apply", { text, ...about, deleteIndexes: deletes }).then((answer) => onStarted(answer.table), setError);
  const risk = [plan.breaking > 0 && `${plural(plan.breaking, "change")} may break stored items or programs.`, (plan.left ?? 0) > 0 && `${plural(plan.left ?? 0, "difference")} of items will stay.`].filter(Boolean).join(" ");
  return (
    <div class="stack wide plan">
      <p>
        {plan.createsTable ? <>The table <strong>{plan.table}</strong> does not exist and will be created.</> : plan.governedBy ? <>The table <strong>{plan.table}</strong> is governed by the design {plan.governedBy}.</> : <>The table <strong>{plan.table}</strong> has no design yet. This one will govern it.</>}
        {plan.resumes && " A design was not applied completely; this continues."}
      </p>
      {plan.nothingToDo && <p class="notice good" role="status"><Icon name="check" />Nothing is to be done: the table has this design.</p>}
      <Indexes plan={plan} />
      <Changes plan={plan} />
      <Items plan={plan} />
      {mayDelete && <label class="check"><input type="checkbox" checked={deletes} onChange={(e) => setDeletes(e.currentTarget.checked)} />Delete the indexes that the design does not have, or has otherwise</label>}
      {error && <Problem error={error} />}
      <div class="row">
        <button class="button primary" type="button" disabled={hasNothing || isReadOnly.value} onClick={() => setAsking(true)}><Icon name="play" />Apply …</button>
        {isReadOnly.value && <span class="quiet small">The console is read-only.</span>}
      </div>
      {servedFrom !== "" && !hasNothing && <p class="quiet small">The server was started with <code>{servedFrom}</code>, and applies that file when it starts again: change it, too.</p>}
      {isAsking && <Confirm title={`Apply ${plan.design} to ${plan.table}?`} text={risk || "The table gets this design. Programs may use it meanwhile."} yes="Apply" onYes={apply} onClose={() => setAsking(false)} />}
    </div>
  );
}

const pollMilliseconds = 300;

/** The application, until it ends. */
function Applying({ table, onApplied, onAgain }: { table: string; onApplied: () => void; onAgain: () => void }) {
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<Error>();
  const isDone = progress?.adoption?.running === false;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isShown = true;
    const ask = (): void =>
      void askDesigns<Progress>("progress", { table }).then((answer) => {
        if (!isShown) return;
        setProgress(answer);
        setError(undefined);
        if (answer.adoption?.running !== false) return void (timer = setTimeout(ask, pollMilliseconds));
        void loadSession();
        if (!answer.adoption.failure) onApplied();
      }, (why: Error) => isShown && setError(why));
    ask();
    return () => ((isShown = false), clearTimeout(timer));
  }, [table]);
  if (error) return <Problem error={error} again={onAgain} />;
  if (!progress?.adoption) return <div class="loading" role="progressbar" aria-label="Applying" />;
  const { adoption, served } = progress;
  const isApplied = isDone && !adoption.failure;
  return (
    <div class="stack wide">
      {isApplied && <p class="notice good" role="status"><Icon name="check" />Applied: {served ?? progress.governedBy} governs {table}.</p>}
      <AdoptionPart adoption={adoption} />
      {isDone && (
        <div class="row">
          {isApplied && served && <button class="button primary small" type="button" onClick={() => go(designUrl(served))}>Open the design</button>}
          <button class="button small" type="button" onClick={onAgain}>{adoption.failure ? "Plan again" : "Plan once more"}</button>
        </div>
      )}
    </div>
  );
}
