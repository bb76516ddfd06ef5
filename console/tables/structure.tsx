// One table: its keys, indexes and settings, and what changes them.
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { Badge, Figure, Panel } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { call } from "../db/call";
import { type TableInfo, describe, isOnDemand, loadTables, tables, typeOfKey } from "../db/tables";
import { typeNames } from "../db/value";
import { amount, bytes, moment, plural } from "../format";
import type { ViewProps } from "../routes";
import { Job, jobOf, startJob } from "../many/job";
import { JobPanel } from "../many/parts";
import { isReadOnly } from "../session";
import { Snippet } from "../snippet";
import { TypedConfirm } from "../typed_confirm";
import { extras, loadExtrasOf } from "./extras";
import { Indexes } from "./indexes";
import { TableProblem } from "./known_table";
import { purge } from "./purge";
import { Settings } from "./settings";

const isChanging = (table: TableInfo): boolean => table.TableStatus !== "ACTIVE" || (table.GlobalSecondaryIndexes ?? []).some((index) => index.IndexStatus !== "ACTIVE");
const askAgainMilliseconds = 500;

/** Describes the table now, and again and again while it or an index of it is made, changed or deleted. */
function useTable(name: string): { table: TableInfo | undefined; error: Error | undefined; again: () => void } {
  const [error, setError] = useState<Error>();
  const [asked, setAsked] = useState(0);
  const table = tables.value.get(name);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const look = (): void =>
      void describe(name).then(
        (found) => (setError(undefined), isShown && isChanging(found) && (timer = setTimeout(look, askAgainMilliseconds))),
        (why: Error) => setError(why),
      );
    look();
    return () => ((isShown = false), clearTimeout(timer));
  }, [name, asked]);
  return { table, error, again: () => setAsked(asked + 1) };
}

export default function Structure({ params }: ViewProps) {
  const name = params["table"] ?? "";
  const { table, error, again } = useTable(name);
  useEffect(() => void loadExtrasOf(name).catch(() => undefined), [name]);
  if (error) return <TableProblem name={name} error={error} again={again} />;
  if (!table) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <div class="page">
      <div class="columns">
        <Figure label="Items" value={amount(table.ItemCount)} note={table.ItemCount > 0 ? `${bytes(table.TableSizeBytes / table.ItemCount)} each on average` : "none yet"} />
        <Figure label="Size" value={bytes(table.TableSizeBytes)} note={isOnDemand(table) ? "billed on demand" : "provisioned throughput"} />
        <Figure label="Created" value={<span class="small-value">{moment(table.CreationDateTime)}</span>} note={<Badge kind={table.TableStatus === "ACTIVE" ? "good" : "warn"}>{table.TableStatus.toLowerCase()}</Badge>} />
      </div>
      <Panel title="Keys">
        <dl class="facts">
          {table.KeySchema.map(({ AttributeName, KeyType }) => (
            <div key={AttributeName}><dt>{KeyType === "HASH" ? "Partition key" : "Sort key"}</dt><dd><code>{AttributeName}</code> <span class="quiet">{typeNames[typeOfKey(table, AttributeName)]}</span></dd></div>
          ))}
          <div><dt>ARN</dt><dd><code>{table.TableArn}</code></dd></div>
        </dl>
      </Panel>
      <Indexes table={table} again={again} />
      <Settings table={table} extra={extras.value.get(name)} again={() => (again(), void loadExtrasOf(name))} />
      <details class="panel panel-body">
        <summary>The whole answer of DescribeTable</summary>
        <Snippet text={JSON.stringify(table, null, 2)} label="DescribeTable" />
      </details>
      {!isReadOnly.value && <Danger table={table} again={again} />}
    </div>
  );
}

function Danger({ table, again }: { table: TableInfo; again: () => void }) {
  const [asking, setAsking] = useState<"purge" | "delete">();
  const name = table.TableName;
  const job = jobOf<true>(`purge ${name}`);
  const isPurging = job?.progress.value.isRunning ?? false;
  const startPurge = (): void => void startJob(`purge ${name}`, new Job<true>("Deleting", table.ItemCount), (job) => purge(table, job).finally(again));
  const drop = (): void => void call("DeleteTable", { TableName: name }).then(() => (say(`The table ${name} is deleted`), go("/"), void loadTables()), sayError);
  return (
    <Panel title="What cannot be undone">
      <div class="row">
        <button class="button danger" type="button" disabled={isPurging} onClick={() => setAsking("purge")}><Icon name="archive" />Delete all items</button>
        <button class="button danger" type="button" disabled={isPurging || table.DeletionProtectionEnabled} onClick={() => setAsking("delete")}><Icon name="trash" />Delete the table</button>
        {table.DeletionProtectionEnabled && <span class="quiet small">The table is protected from deletion. Switch that off in its settings first.</span>}
      </div>
      {job && <JobPanel job={job as Job<never>} name="Delete all items" />}
      {asking === "purge" && (
        <TypedConfirm title="Delete all items" name={name} yes="Delete all items" onYes={startPurge} onClose={() => setAsking(undefined)}>
          <p>{plural(table.ItemCount, "item")} of <code>{name}</code> will be deleted one by one. The table stays, with its indexes, its stream and its settings.</p>
        </TypedConfirm>
      )}
      {asking === "delete" && (
        <TypedConfirm title="Delete the table" name={name} yes="Delete the table" onYes={drop} onClose={() => setAsking(undefined)}>
          <p><code>{name}</code> will be deleted with its {plural(table.ItemCount, "item")}, its indexes and its stream.</p>
        </TypedConfirm>
      )}
    </Panel>
  );
}
