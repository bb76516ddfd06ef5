// Writes what a request finds, or the chosen rows, to a file.
import { useMemo, useState } from "preact/hooks";
import { setQuery } from "web/route";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Problem } from "web/ui/table";
import { Code } from "../browse/code";
import { questionOf } from "../browse/question";
import type { TableInfo } from "../db/tables";
import { bytes } from "../format";
import { saveFile } from "../items/binary";
import { useKey } from "../keys";
import type { ViewProps } from "../routes";
import { backUrl } from "./links";
import { type ExportOptions, type Exported, type Format, exportItems, formats } from "./export";
import { Job, jobOf, startJob } from "./job";
import { Check, Head, JobPanel, WithTable } from "./parts";
import { type Source, sourceOf } from "./source";

export default function Export({ params, query }: ViewProps) {
  return <WithTable name={params["table"] ?? ""}>{(table) => <Ready table={table} query={query} />}</WithTable>;
}

const save = ({ name, file }: Exported): void => saveFile(name, file);
const formatIn = (query: URLSearchParams): Format => formats.find(([format]) => format === query.get("format"))?.[0] ?? "csv";

function attempt(table: TableInfo, query: URLSearchParams): Source | Error {
  try {
    return sourceOf(table, query);
  } catch (why) {
    return why as Error;
  }
}

function Ready({ table, query }: { table: TableInfo; query: URLSearchParams }) {
  const source = useMemo(() => attempt(table, query), [table, query.toString()]);
  const { columns } = questionOf(query);
  const [choices, setChoices] = useState({ withTypes: true, isGuarded: true, onlyColumns: columns.length > 0, withSensitive: false });
  const name = `export ${table.TableName} ${query}`;
  const job = jobOf<Exported>(name);
  if (source instanceof Error) return <Problem error={source} />;
  const format = formatIn(query);
  const isRunning = job?.progress.value.isRunning ?? false;
  const run = (): void => {
    if (isRunning) return;
    const options: ExportOptions = { format, withTypes: choices.withTypes, isGuarded: choices.isGuarded, columns: choices.onlyColumns ? columns : [], withSensitive: choices.withSensitive };
    startJob(name, new Job<Exported>("Reading", source.total), async (one) => {
      const made = await exportItems(source, options, one);
      save(made);
      return made;
    });
  };
  const isEmpty = !source.request && source.total === 0;
  return (
    <>
      <Head title={`Export ${table.TableName}`} back={backUrl(table.TableName, query)}>Writes {source.words} to a file on this computer.</Head>
      <form class="panel panel-body stack wide" onSubmit={(event) => (event.preventDefault(), run())}>
        <div class="row"><Segments label="Format" options={formats} value={format} onChange={(next) => setQuery({ format: next === "csv" ? "" : next })} /></div>
        <p class="quiet small">{about[format]}</p>
        {format === "csv" && (
          <>
            <Check label="Types in the header" hint="price:N. An import then restores every value as it is; other programs see the type in the name." isOn={choices.withTypes} onChange={(withTypes) => setChoices({ ...choices, withTypes })} />
            <Check label="Safe for spreadsheets" hint="A text that begins with = + - or @ would be run as a formula: it gets a ' before it. With types in the header an import takes it away again." isOn={choices.isGuarded} onChange={(isGuarded) => setChoices({ ...choices, isGuarded })} />
          </>
        )}
        {columns.length > 0 && <Check label={`Only the columns of the view: ${columns.join(", ")}`} isOn={choices.onlyColumns} onChange={(onlyColumns) => setChoices({ ...choices, onlyColumns })} />}
        {source.facets && <Check label="With sensitive values" hint="Otherwise attributes that the design marks as sensitive are left out." isOn={choices.withSensitive} onChange={(withSensitive) => setChoices({ ...choices, withSensitive })} />}
        {isEmpty && <p class="wrong small" role="alert">No row is chosen. Choose rows among the items first.</p>}
        <div class="row"><button class="button primary" type="submit" disabled={isRunning || isEmpty}><Icon name="archive" />Export</button></div>
      </form>
      {job && <JobPanel job={job as Job<never>} name="Export"><Saved job={job} /></JobPanel>}
      {source.request && <details class="panel panel-body"><summary>The request, without pages</summary><Code request={source.request} /></details>}
      <RunKey run={run} />
    </>
  );
}

const about: Record<Format, string> = {
  csv: "A line for each item. Sets, lists and maps are JSON in their field; an empty field means that the attribute is not there, \"\" is the empty text.",
  json: "A list of plain objects. Numbers keep all digits; sets and binary are written with their type, as in {\"NS\": [1, 2]}, so that nothing is lost.",
  lines: "An item on each line with the types of all values, as AWS and `tavola load` read it. Nothing is lost.",
};

function RunKey({ run }: { run: () => void }) {
  useKey("mod+enter", "Export", run);
  return null;
}

function Saved({ job }: { job: Job<Exported> }) {
  const made = job.result.value;
  if (!made) return job.progress.value.isStopped ? <p class="quiet">Nothing was saved.</p> : null;
  return (
    <div class="row">
      <span>{made.name}, {bytes(made.file.size)}</span>
      <button class="button small" type="button" onClick={() => save(made)}>Save again</button>
    </div>
  );
}
