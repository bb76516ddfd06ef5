// What the views of many items share: their table, how far the work is, what was not done.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Problem } from "web/ui/table";
import type { TableInfo } from "../db/tables";
import { amount, bytes, plural } from "../format";
import { saveFile } from "../items/binary";
import { useKey } from "../keys";
import { KnownTable } from "../tables/known_table";
import type { Job, Listed } from "./job";

/** Shows a view of a table as soon as the table is known. */
export function WithTable({ name, children }: { name: string; children: (table: TableInfo) => ComponentChildren }) {
  return <KnownTable name={name}>{(table) => <div class="page many">{children(table)}</div>}</KnownTable>;
}

/** The title of a view, what it is about, and the way back to the items. */
export function Head({ title, children, back }: { title: string; children: ComponentChildren; back: string }) {
  return (
    <div class="page-head">
      <div><h1>{title}</h1><p class="quiet">{children}</p></div>
      <a class="button small" href={back}>Back to the items</a>
    </div>
  );
}

export function Check({ label, hint, isOn, onChange }: { label: string; hint?: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const id = useId();
  return (
    <label class="many-check">
      <input type="checkbox" aria-label={label} aria-describedby={hint && id} checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}{hint && <span class="quiet small" id={id}> {hint}</span>}</span>
    </label>
  );
}

const written = (value: number, unit: "items" | "bytes"): string => (unit === "bytes" ? bytes(value) : amount(value));

/** How far a job is, its end on request, and its report. `children` are shown below the counts. */
export function JobPanel({ job, name, children }: { job: Job<never>; name: string; children?: ComponentChildren }) {
  const { phase, done, total, unit, counts, isRunning, isStopped, seconds, error } = job.progress.value;
  const share = total !== undefined && total > 0 ? { max: total, value: Math.min(done, total) } : {};
  const state = isRunning ? phase : error ? "Failed" : isStopped ? "Stopped" : "Done";
  return (
    <section class="panel panel-body job" aria-label={name}>
      <div class="row" role="status">
        <strong>{name}: {state}</strong>
        <span class="quiet small">{written(done, unit)}{total !== undefined && isRunning && ` of ${written(total, unit)}`} · {seconds < 10 ? seconds.toFixed(1) : amount(Math.round(seconds))} s</span>
        <span class="grow" />
        {isRunning && <StopButton job={job} />}
      </div>
      {isRunning && <progress aria-label={`${name}: ${phase}`} {...share} />}
      {counts.length > 0 && <ul class="job-counts">{counts.map(([what, count]) => <li key={what}><strong class="number">{amount(count)}</strong> {what}</li>)}</ul>}
      {error && <Problem error={error} />}
      {children}
      {!isRunning && job.listed.length > 0 && <NotDone listed={job.listed} kinds={job.kinds} name={name} />}
    </section>
  );
}

function StopButton({ job }: { job: Job<never> }) {
  useKey("mod+.", "Stop the work", () => job.stop());
  return <button class="button small" type="button" title="Ctrl + ." onClick={() => job.stop()}><Icon name="stop" />Stop</button>;
}

const shownFirst = 50;

function NotDone({ listed, kinds, name }: { listed: readonly Listed[]; kinds: ReadonlyMap<string, number>; name: string }) {
  const [most, setMost] = useState(shownFirst);
  const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
  const save = (): void => saveFile(`${name.toLowerCase().replaceAll(" ", "-")}-report.jsonl`, new Blob(listed.map((one) => `${JSON.stringify({ kind: one.kind, where: one.where, reason: one.reason })}\n`), { type: "application/x-ndjson" }));
  return (
    <>
      <div class="row">
        <h3>Not done: {[...kinds].map(([kind, count]) => `${amount(count)} ${kind.toLowerCase()}`).join(", ")}</h3>
        <span class="grow" />
        <button class="button small" type="button" onClick={save}>Save this list</button>
      </div>
      <div class="table-scroll">
        <table class="stacks not-done">
          <caption class="visually-hidden">What was not done</caption>
          <thead><tr><th scope="col">Where</th><th scope="col">What</th><th scope="col">Why</th></tr></thead>
          <tbody>
            {listed.slice(0, most).map((one, at) => (
              <tr key={at}><td>{one.url ? <a href={one.url}>{one.where}</a> : one.where}</td><td>{one.kind}</td><td class="reason">{one.reason}</td></tr>
            ))}
          </tbody>
        </table>
      </div>
      {listed.length > most && <div class="more"><button class="button small" type="button" onClick={() => setMost(most + 200)}>Show more</button></div>}
      {all > listed.length && most >= listed.length && <p class="quiet small">The first {plural(listed.length, "one")} of {amount(all)} are kept here.</p>}
    </>
  );
}
