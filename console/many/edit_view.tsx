// Changes or deletes many items: what a request finds, or the chosen rows. First a dry run, then the writes it has shown, then perhaps their undo.
import { useMemo, useState } from "preact/hooks";
import { setQuery } from "web/route";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { Code } from "../browse/code";
import { parseJson } from "../db/json";
import { readItem } from "../db/json_items";
import { type TableInfo, describe } from "../db/tables";
import { amount, plural } from "../format";
import { Diff } from "../items/diff";
import { draftOf } from "../items/draft";
import { useKey } from "../keys";
import type { ViewProps } from "../routes";
import { designOf, isReadOnly } from "../session";
import { TypedConfirm } from "../typed_confirm";
import { type Edit, problemOfEdit } from "./edit";
import { type ChangeDraft, type EditDraft, EditForm, editOf, isWritten } from "./edit_form";
import { type Applied, type Plan, applyEdit, tryEdit, undoEdit } from "./edit_run";
import { Job, forgetJob, jobOf, startJob } from "./job";
import { backUrl } from "./links";
import { Head, JobPanel, WithTable } from "./parts";
import { type Source, sourceOf } from "./source";

export default function EditMany({ params, query }: ViewProps) {
  return <WithTable name={params["table"] ?? ""}>{(table) => <Ready table={table} query={query} />}</WithTable>;
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (why) {
    return why as Error;
  }
}

/** Reads the edit that the URL names; what is none is left out. */
function draftIn(query: URLSearchParams): EditDraft {
  const set = attempt(() => readItem(parseJson(query.get("set") ?? "{}")));
  const remove = attempt(() => JSON.parse(query.get("remove") ?? "[]") as unknown);
  return {
    way: query.get("do") === "delete" ? "delete" : "change", set: draftOf(set instanceof Error ? {} : set),
    remove: Array.isArray(remove) ? remove.filter((path) => typeof path === "string") : [],
  };
}

const inUrl = ({ way, set, remove }: Edit): Record<string, string> => ({
  do: way === "delete" ? way : "", set: set.length > 0 ? JSON.stringify(Object.fromEntries(set)) : "", remove: remove.length > 0 ? JSON.stringify(remove) : "",
});

/** What the view is about, without the edit itself. */
function aboutOf(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  for (const name of ["do", "set", "remove"]) rest.delete(name);
  return rest.toString();
}

function Ready({ table, query }: { table: TableInfo; query: URLSearchParams }) {
  const about = aboutOf(query);
  const source = useMemo(() => attempt(() => sourceOf(table, new URLSearchParams(about))), [table, about]);
  const [draft, setDraft] = useState(() => draftIn(query));
  if (source instanceof Error) return <Problem error={source} />;
  const title = `Edit items of ${table.TableName}`;
  return (
    <>
      <Head title={title} back={backUrl(table.TableName, query)}>Works on {source.words}. Nothing is written before a dry run has shown what.</Head>
      {isReadOnly.value && <p class="notice" role="status">This console is read-only: a dry run shows what an edit would do, and nothing is written.</p>}
      {!source.request && source.total === 0 && !jobOf(`edit ${table.TableName} ${about}`) ? (
        <section class="panel"><Empty icon="check" title="No row is chosen"><p>Choose rows among the items, by their boxes or with Space, and come back.</p></Empty></section>
      ) : (
        <Steps table={table} source={source} draft={draft} onDraft={setDraft} name={`${table.TableName} ${about}`} />
      )}
    </>
  );
}

interface StepsProps {
  table: TableInfo;
  source: Source;
  draft: EditDraft;
  onDraft: ChangeDraft;
  name: string; // of its jobs
}

function Steps({ table, source, draft, onDraft, name }: StepsProps) {
  const [plan, applied, undone] = [jobOf<Plan>(`try ${name}`), jobOf<Applied>(`edit ${name}`), jobOf<true>(`undo ${name}`)];
  const edit = editOf(draft);
  const problem = isWritten(draft) ? problemOfEdit(table, edit) : "A value is not written right";
  const isBusy = [plan, applied, undone].some((job) => job?.progress.value.isRunning);
  const made = plan?.result.value;
  const isCurrent = made !== undefined && JSON.stringify(made.edit) === JSON.stringify(edit);
  const tryIt = (): void => {
    if (isBusy || problem) return;
    setQuery(inUrl(edit));
    for (const step of ["edit", "undo"]) forgetJob(`${step} ${name}`);
    startJob(`try ${name}`, new Job<Plan>("Reading, without writing", source.total), (job) => tryEdit(source, edit, job));
  };
  const run = (): void => {
    if (!made || isReadOnly.peek()) return;
    startJob(`edit ${name}`, new Job<Applied>("Writing", made.count), (job) => applyEdit(source, made, job).finally(() => void describe(table.TableName)));
  };
  const undo = (file: Blob, count: number): void => void startJob(`undo ${name}`, new Job<true>("Taking back", count), (job) => undoEdit(table, file, job).finally(() => void describe(table.TableName)));
  useKey("mod+enter", "Dry run", tryIt);
  const attributes = useMemo(() => [...new Set((made?.samples ?? []).flatMap(({ changes }) => changes.map(({ path }) => path[0]!)))], [made]);
  return (
    <>
      <form class="panel panel-body stack wide" onSubmit={(event) => (event.preventDefault(), tryIt())}>
        <EditForm draft={draft} attributes={attributes} onChange={onDraft} />
        {designOf(table.TableName) && <p class="quiet small">The design {designOf(table.TableName)} governs this table: it checks each write, and may do more in consequence, which an undo does not take back.</p>}
        <div class="row">
          <button class="button" type="submit" disabled={isBusy || problem !== undefined} title="Ctrl + Enter">Dry run</button>
          {problem && <span class="quiet small" role="status">{problem}</span>}
        </div>
      </form>
      {plan && !applied && (
        <JobPanel job={plan as Job<never>} name="Dry run">
          {made && isCurrent && <Shown plan={made} table={table} onRun={run} />}
          {made && !isCurrent && <p class="quiet">The edit is another one now. Run it dry again.</p>}
        </JobPanel>
      )}
      {applied && <JobPanel job={applied as Job<never>} name={made?.edit.way === "delete" ? "Deletion" : "Change"}><AfterIt job={applied} isUndone={undone !== undefined} onUndo={undo} /></JobPanel>}
      {undone && <JobPanel job={undone as Job<never>} name="Undo" />}
    </>
  );
}

const shownFirst = 3;
const linesMost = 6; // of one example

/** What a dry run found: examples, the requests, and the button that sends them. */
function Shown({ plan: { edit, count, samples }, table, onRun }: { plan: Plan; table: TableInfo; onRun: () => void }) {
  const [most, setMost] = useState(shownFirst);
  const [isAsking, setAsking] = useState(false);
  if (count === 0) return <p>Nothing is to be done.</p>;
  const isDeletion = edit.way === "delete";
  const operation = samples[0]!.request.operation;
  return (
    <>
      <ul class="samples" aria-label="Examples">
        {samples.slice(0, most).map(({ name, url, changes }) => (
          <li key={url}>
            <a class="strong" href={url}>{name}</a>
            <Diff changes={changes.slice(0, linesMost)} label={`Changes of ${name}`} />
            {changes.length > linesMost && <span class="quiet small">and {plural(changes.length - linesMost, "more attribute")}</span>}
          </li>
        ))}
      </ul>
      {samples.length > most && <button class="button small start" type="button" onClick={() => setMost(most + 10)}>Show more examples</button>}
      <details>
        <summary>{plural(count, `${operation} request`)}, each with its own condition. This is the first</summary>
        <Code request={samples[0]!.request} />
      </details>
      <p class="quiet small">Each is sent only if the item is still as this dry run saw it. What somebody else changes in the meantime is listed, and not overwritten.</p>
      <div class="row">
        <button class={`button primary ${isDeletion ? "bad" : ""}`} type="button" disabled={isReadOnly.value} onClick={() => (isDeletion ? setAsking(true) : onRun())}>
          <Icon name={isDeletion ? "trash" : "edit"} />{isDeletion ? "Delete" : "Change"} {plural(count, "item")}
        </button>
      </div>
      {isAsking && (
        <TypedConfirm title={`Delete ${plural(count, "item")}`} name={table.TableName} yes={`Delete ${amount(count)}`} onYes={onRun} onClose={() => setAsking(false)}>
          <p>{plural(count, "item")} of {table.TableName} will be deleted. As long as this page is open, the deletion can be undone.</p>
        </TypedConfirm>
      )}
    </>
  );
}

function AfterIt({ job, isUndone, onUndo }: { job: Job<Applied>; isUndone: boolean; onUndo: (file: Blob, count: number) => void }) {
  const made = job.result.value;
  if (!made?.undo || job.progress.value.isRunning || isUndone) return null;
  const { undo, count } = made;
  return (
    <div class="row">
      <button class="button small" type="button" disabled={isReadOnly.value} onClick={() => onUndo(undo, count)}>Undo {plural(count, made.way === "delete" ? "deletion" : "change")}</button>
      <span class="quiet small">as long as this page is open</span>
    </div>
  );
}
