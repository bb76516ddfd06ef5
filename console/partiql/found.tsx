// What the statements of a run found: one of them at a time.
import { useMemo, useState } from "preact/hooks";
import { Badge, Empty } from "web/ui/table";
import { Segments } from "web/ui/form";
import { Bar } from "../browse/bar";
import { Grid, noRow } from "../browse/grid";
import { ItemPanel } from "../browse/item_panel";
import { keysOf, tables } from "../db/tables";
import { SensitiveSwitch, useSensitive } from "../lens/sensitive";
import type { Ran } from "./run";
import { isScan } from "./text";

const columnsMost = 24;

function nameOf({ statement, results }: Ran, at: number): string {
  const progress = results?.progress.value;
  const state = !progress ? "not run" : progress.error ? "failed" : progress.isRunning ? "…" : statement.doesRead ? `${progress.found}${progress.isComplete ? "" : "+"}` : "done";
  return `${at + 1} ${[statement.verb, statement.table].filter(Boolean).join(" ")}: ${state}`;
}

export function Found({ ran, chosen, onChoose }: { ran: readonly Ran[]; chosen: number; onChoose: (at: number) => void }) {
  const one = ran[chosen] ?? ran[0];
  return (
    <section class="panel found" aria-label="Results">
      {ran.length > 1 && <div class="bar"><Segments label="Statements that were run" options={ran.map((each, at) => [String(at), nameOf(each, at)] as const)} value={String(chosen)} onChange={(at) => onChoose(Number(at))} /></div>}
      {!one ? <Teach /> : one.results ? <OneResult key={`${chosen}`} ran={one} /> : <Empty icon="stop" title="This statement was not run"><p>One before it failed.</p></Empty>}
    </section>
  );
}

function Teach() {
  return (
    <Empty icon="code" title="Statements in DynamoDB's SQL">
      <p>
        <code>SELECT * FROM "table" WHERE key = 'a' AND begins_with(sort, 'b')</code> reads one partition. Without a value of the partition key a SELECT reads the whole table.
        An index is <code>"table"."index"</code>; INSERT, UPDATE and DELETE write one item. <kbd>Ctrl Space</kbd> completes, <kbd>Ctrl Enter</kbd> runs.
      </p>
    </Empty>
  );
}

function OneResult({ ran }: { ran: Ran }) {
  const { statement } = ran;
  const results = ran.results!;
  const active = useMemo(noRow, [results]);
  const [opened, setOpened] = useState(false);
  const sensitive = useSensitive();
  const { facets } = results;
  const progress = results.progress.value;
  const table = tables.value.get(statement.table);
  const keys = table ? (["HASH", "RANGE"] as const).flatMap((kind) => keysOf(table.KeySchema, kind)) : [];
  const attributes = results.attributes.value;
  const columns = [...new Set([...keys.filter((name) => attributes.includes(name)), ...attributes.filter((name) => !results.isLarge(name)), ...attributes])].slice(0, columnsMost);
  const item = opened && active.value >= 0 ? results.item(active.value) : undefined;
  const close = (): void => {
    setOpened(false);
    document.querySelector<HTMLElement>(".grid")?.focus();
  };
  const hidden = facets ? [...new Set(facets.entities.value.flatMap((entity) => entity.sensitive))] : [];
  return (
    <>
      <Bar results={results}>
        {table && statement.doesRead && (isScan(statement, table) ? <Badge kind="warn">scan</Badge> : <Badge kind="good">by key</Badge>)}
        <SensitiveSwitch sensitive={sensitive} names={hidden} />
      </Bar>
      {progress.error ? (
        <div class="notice bad"><span>{progress.error.message}</span></div>
      ) : progress.isComplete && progress.found === 0 ? (
        <Empty icon={statement.doesRead ? "search" : "check"} title={statement.doesRead ? "No item fits" : "Done"}>
          <p>{statement.doesRead ? "Texts are compared exactly, and text in double quotes is the name of an attribute." : "The statement wrote its item. RETURNING ALL NEW * shows the item after an UPDATE, RETURNING ALL OLD * the one before."}</p>
        </Empty>
      ) : (
        <div class={`found-body ${item ? "with-item" : ""}`} onKeyDown={(event) => event.key === "Escape" && opened && close()}>
          <Grid results={results} columns={columns} keys={keys} isSensitiveShown={sensitive.isShown} active={active} onOpen={() => setOpened(true)} label={`Items of ${statement.table}`} />
          {item && table && <ItemPanel table={table} item={item} seen={results.seen(active.value)} facets={facets} isSensitiveShown={sensitive.isShown} onClose={close} />}
        </div>
      )}
    </>
  );
}
