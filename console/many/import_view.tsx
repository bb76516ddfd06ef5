// Reads a file into a table: what it is, how its columns are read, a preview, a dry run, the import.
import { useMemo, useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { type TableInfo, describe } from "../db/tables";
import { type Type, preview as shownValue, typeNames } from "../db/value";
import { bytes } from "../format";
import { useKey } from "../keys";
import type { ViewProps } from "../routes";
import { designOf, isReadOnly } from "../session";
import type { Column } from "./cells";
import { type Existing, importItems, tryImport } from "./import";
import { Job, forgetJob, jobOf, startJob } from "./job";
import { backUrl } from "./links";
import { Check, Head, JobPanel, WithTable } from "./parts";
import { type Entry, type Shape, beginningOf, preview, shapeOf } from "./records";

export default function Import({ params, query }: ViewProps) {
  return <WithTable name={params["table"] ?? ""}>{(table) => <Ready table={table} query={query} />}</WithTable>;
}

interface Chosen {
  file: File;
  beginning: { text: string; isWhole: boolean };
}

function Ready({ table, query }: { table: TableInfo; query: URLSearchParams }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [shape, setShape] = useState<Shape>();
  const [error, setError] = useState<Error>();
  const name = `import ${table.TableName}`;
  const job = jobOf<true>(name);
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    try {
      const beginning = await beginningOf(file);
      setShape(shapeOf(beginning, table));
      setChosen({ file, beginning });
      setError(undefined);
      if (!job?.progress.peek().isRunning) forgetJob(name);
    } catch (why) {
      setError(why as Error);
    }
  };
  return (
    <>
      <Head title={`Import into ${table.TableName}`} back={backUrl(table.TableName, query)}>CSV, JSON or JSON lines, also compressed by gzip. The file stays on this computer until its items are written.</Head>
      {isReadOnly.value && <p class="notice" role="status">This console is read-only: a file can be looked at and tried, but not imported.</p>}
      <FileChoice chosen={chosen?.file} onChoose={(file) => void take(file)} />
      {error && <Problem error={error} />}
      {chosen && shape && <Reading chosen={chosen} shape={shape} table={table} onShape={setShape} name={name} />}
      {job && <JobPanel job={job as Job<never>} name={job === dry ? "Dry run" : "Import"} />}
      {!chosen && !job && (
        <section class="panel">
          <Empty icon="upload" title="No file yet">
            <p>A file that was exported here comes back as it was. Of other CSV files the types are guessed from the first lines, and can be corrected before anything is written.</p>
          </Empty>
        </section>
      )}
    </>
  );
}

function FileChoice({ chosen, onChoose }: { chosen: File | undefined; onChoose: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer?.files[0]);
  };
  return (
    <div class={`panel panel-body file-choice ${isOver ? "is-over" : ""}`} onDragOver={(event) => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}>
      <label class="row">
        <strong>File</strong>
        <input type="file" accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz" onChange={(event) => onChoose(event.currentTarget.files?.[0])} />
      </label>
      <span class="quiet small">{chosen ? bytes(chosen.size) : "or drop it here"}</span>
    </div>
  );
}

const previewMost = 8;
let dry: Job<true> | undefined; // the last job, if it was a dry run

interface ReadingProps {
  chosen: Chosen;
  shape: Shape;
  table: TableInfo;
  onShape: (shape: Shape) => void;
  name: string;
}

function Reading({ chosen, shape, table, onShape, name }: ReadingProps) {
  const [existing, setExisting] = useState<Existing>("replace");
  const entries = useMemo(() => attempt(() => preview(chosen.beginning, shape, table, previewMost)), [chosen, shape, table]);
  const isRunning = jobOf(name)?.progress.value.isRunning ?? false;
  const isReady = !isRunning && Array.isArray(entries) && entries.length > 0;
  const tryIt = (): void => {
    if (!isReady) return;
    dry = startJob(name, new Job<true>("Reading, without writing", chosen.file.size, "bytes"), (job) => tryImport(chosen.file, shape, table, existing, job));
  };
  const run = (): void => {
    if (!isReady || isReadOnly.peek()) return;
    dry = undefined;
    startJob(name, new Job<true>("Writing", chosen.file.size, "bytes"), (job) => importItems(chosen.file, shape, table, existing, job).finally(() => void describe(table.TableName)));
  };
  useKey("mod+enter", "Dry run", tryIt);
  return (
    <form class="panel panel-body stack wide" onSubmit={(event) => (event.preventDefault(), run())}>
      <ShapeForm chosen={chosen} shape={shape} table={table} onShape={onShape} />
      {entries instanceof Error ? <Problem error={entries} /> : <Preview entries={entries} shape={shape} table={table} />}
      <div class="row">
        <span class="small">Items that are there with the same key:</span>
        <Segments label="Items that are there with the same key" options={[["replace", "Replace them"], ["keep", "Leave them as they are"]]} value={existing} onChange={setExisting} />
      </div>
      {designOf(table.TableName) && <p class="quiet small">The design {designOf(table.TableName)} governs this table: each item is checked as any write is, and what it refuses is listed with the reason.</p>}
      <div class="row">
        <button class="button" type="button" disabled={!isReady} onClick={tryIt} title="Ctrl + Enter">Dry run</button>
        <button class="button primary" type="submit" disabled={!isReady || isReadOnly.value}><Icon name="upload" />Import</button>
      </div>
    </form>
  );
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (why) {
    return why as Error;
  }
}

function ShapeForm({ chosen, shape, table, onShape }: Omit<ReadingProps, "name">) {
  const reshaped = (said: Partial<Pick<Shape, "format" | "delimiter">>): void => onShape(shapeOf(chosen.beginning, table, { format: shape.format, ...said }));
  return (
    <>
      <div class="row">
        <Segments label="Format" options={[["csv", "CSV"], ["json", "JSON"], ["lines", "JSON lines"]] as const} value={shape.format} onChange={(format) => reshaped({ format })} />
        {shape.format === "csv" ? (
          <Segments label="Between fields" options={[[",", "Comma"], [";", "Semicolon"], ["\t", "Tab"]] as const} value={shape.delimiter} onChange={(delimiter) => reshaped({ delimiter })} />
        ) : (
          <Segments label="Values" options={[["typed", "With types (DynamoDB JSON)"], ["plain", "Plain"]] as const} value={shape.isTyped ? "typed" : "plain"} onChange={(way) => onShape({ ...shape, isTyped: way === "typed" })} />
        )}
      </div>
      {shape.format === "csv" && <Columns shape={shape} table={table} onShape={onShape} />}
    </>
  );
}

const choices = Object.keys(typeNames) as Type[];

function Columns({ shape, table, onShape }: { shape: Shape; table: TableInfo; onShape: (shape: Shape) => void }) {
  const keys = new Set(table.KeySchema.map((key) => key.AttributeName));
  const change = (at: number, part: Partial<Column>): void => onShape({ ...shape, columns: shape.columns.map((one, place) => (place === at ? { ...one, ...part } : one)) });
  return (
    <fieldset class="import-columns">
      <legend>Columns</legend>
      {shape.columns.map((column, at) => (
        <label key={at}>
          <span class={`mono ${keys.has(column.name) ? "is-key" : ""}`}>{column.name || "(without a name)"}</span>
          <select aria-label={`Type of ${column.name}`} value={column.type} disabled={column.name === ""} onChange={(event) => change(at, { type: event.currentTarget.value as Column["type"] })}>
            {choices.map((type) => <option key={type} value={type}>{typeNames[type]}</option>)}
            <option value="skip">leave out</option>
          </select>
        </label>
      ))}
      <Check
        label="Take away a ' before = + - @" hint="which an export that is safe for spreadsheets puts there" isOn={shape.columns.some((column) => column.isGuarded)}
        onChange={(isGuarded) => onShape({ ...shape, columns: shape.columns.map((one) => ({ ...one, isGuarded })) })}
      />
    </fieldset>
  );
}

const shownColumns = 12;

function Preview({ entries, shape, table }: { entries: readonly Entry[]; shape: Shape; table: TableInfo }) {
  if (entries.length === 0) return <p class="wrong small" role="alert">There is no item in this file{shape.format === "csv" ? ": after the header, each line is an item" : ""}.</p>;
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const names = [...new Set([...keys, ...entries.flatMap((entry) => Object.keys(entry.item ?? {}))])].slice(0, shownColumns);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Preview">
      <table class="preview">
        <caption class="visually-hidden">The first items of the file</caption>
        <thead><tr><th scope="col" class="number">line</th>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {entries.map(({ line, item, problem }) => (
            <tr key={line}>
              <td class="number quiet">{line}</td>
              {item ? names.map((name) => <td key={name} class="mono" title={item[name] && typeNames[Object.keys(item[name])[0] as Type]}>{Object.hasOwn(item, name) ? shownValue(item[name]!).slice(0, 60) || <span class="quiet">empty</span> : <span class="quiet">–</span>}</td>) : <td colSpan={names.length} class="wrong">{problem}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
