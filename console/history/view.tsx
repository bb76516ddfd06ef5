// The history of an item: its versions, what each changed, the item as of a time, and a version brought back.
import { useEffect, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { itemUrl, keyIn } from "../db/key";
import type { TableInfo } from "../db/tables";
import type { Item } from "../db/value";
import { plural } from "../format";
import { keyWords } from "../items/editing";
import { writes } from "../items/undo";
import { useKey } from "../keys";
import { SensitiveSwitch, useSensitive, wordOf } from "../lens/sensitive";
import { type ViewProps, tableUrl, urlOf } from "../routes";
import { Refused } from "../session";
import { KnownTable } from "../tables/known_table";
import { exactMoment, span } from "../when";
import { AsOf } from "./as_of";
import type { Past, Question, Version } from "./api";
import { Lookup } from "./lookup";
import { type Reading, useHistory } from "./reading";
import { Shown } from "./shown";

export default function History({ params, query }: ViewProps) {
  const key = keyIn(query, "key");
  return <KnownTable name={params["table"] ?? ""}>{(table) => (key ? <OfItem key={JSON.stringify(key)} table={table} itemKey={key} at={query.get("at")} /> : <Lookup table={table} />)}</KnownTable>;
}

function OfItem({ table, itemKey, at }: { table: TableInfo; itemKey: Item; at: string | null }) {
  const sensitive = useSensitive();
  const question: Question = { table: table.TableName, key: itemKey, sensitive: wordOf(sensitive) };
  const reading = useHistory(question);
  const { past, error } = reading;
  useEffect(() => void (writes.value > 0 && reading.again()), [writes.value]);
  const hidden = [...new Set([past?.now, ...(past?.versions ?? []).map(({ before }) => before)].flatMap((seen) => seen?.masked ?? []))];
  return (
    <div class="item-page history">
      <div class="item-head">
        <a class="quiet" href={tableUrl(table.TableName)}>{table.TableName}</a>
        <div class="row">
          <h1 class="mono grow">{keyWords(table, itemKey)}</h1>
          <SensitiveSwitch sensitive={sensitive} names={hidden} />
          <a class="button small" href={itemUrl(table, itemKey)}><Icon name="edit" />Item</a>
        </div>
      </div>
      {error && !past && <NoHistory error={error} table={table} again={reading.again} />}
      {error && past && <Problem error={error} again={reading.more} />}
      {!past && !error && <div class="loading" role="progressbar" aria-label="Loading" />}
      {past && (
        <>
          <AsOf table={table} question={question} past={past} at={at} />
          <Versions table={table} reading={reading} past={past} />
        </>
      )}
    </div>
  );
}

/** Point-in-time recovery is off, or something else is wrong. */
function NoHistory({ error, table, again }: { error: Error; table: TableInfo; again: () => void }) {
  if (!(error instanceof Refused) || error.status !== 409) return <Problem error={error} again={again} />;
  return (
    <Empty icon="clock" title="This table keeps no history">
      <p>While point-in-time recovery is on, the database keeps every version of every item for up to 35 days: what an item was, what changed, and a way back. The history begins when it is switched on.</p>
      <p><a class="button primary" href={urlOf("/t/:table/backups", { table: table.TableName })}>Switch it on</a></p>
    </Empty>
  );
}

/** Where the version is below the list, it comes into sight. */
const showOnPhone = (): void => void (matchMedia("(max-width: 64rem)").matches && document.getElementById("version")?.scrollIntoView({ block: "start" }));

const kinds = { insert: ["Created", "good"], modify: ["Changed", undefined], remove: ["Deleted", "bad"] } as const;
const makers = { client: "by a client", "time-to-live": "its time to live was over", database: "by the design of the table" };

function Versions({ table, reading, past }: { table: TableInfo; reading: Reading; past: Past }) {
  const [chosen, setChosen] = useState(0);
  const { versions } = past;
  const version = versions[Math.min(chosen, versions.length - 1)];
  const choose = (next: number): void => {
    if (next < 0 || next >= versions.length) return;
    setChosen(next);
    document.getElementById(`version-${next}`)?.focus();
  };
  useKey("j", "Next older version", () => choose(chosen + 1));
  useKey("k", "Next newer version", () => choose(chosen - 1));
  return (
    <div class="history-columns">
      <section class="panel" aria-label="Versions">
        <div class="panel-head"><h2>Versions</h2><span class="quiet small">{versions.length > 0 && plural(versions.length, "version")}</span></div>
        <ol class="versions">
          {versions.map((one, at) => <li key={one.number}><Line version={one} at={at} isChosen={one === version} onChoose={() => (setChosen(at), showOnPhone())} /></li>)}
        </ol>
        <Reach reading={reading} past={past} />
      </section>
      {version ? <Shown key={version.number} table={table} version={version} now={past.now} isNewest={version === versions[0]} /> : <None past={past} isBusy={reading.isBusy} />}
    </div>
  );
}

function Line({ version, at, isChosen, onChoose }: { version: Version; at: number; isChosen: boolean; onChoose: () => void }) {
  const [name, kind] = kinds[version.kind];
  return (
    <button id={`version-${at}`} class="version" type="button" aria-pressed={isChosen} onClick={onChoose}>
      <span class="number">{exactMoment(version.at)}</span>
      <Badge kind={kind}>{name}</Badge>
      {version.by !== "client" && <span class="quiet small">{makers[version.by]}</span>}
    </button>
  );
}

/** How far back the versions reach, and the way on. */
function Reach({ reading, past }: { reading: Reading; past: Past }) {
  return (
    <div class="panel-body stack reach" role="status">
      {past.next === undefined
        ? <p class="quiet small">The history begins at {exactMoment(past.earliest)}, {span(Date.now() - past.earliest)} ago. What was before is not known.</p>
        : <p class="quiet small">{reading.isBusy ? "Searching" : "Searched"} back to {exactMoment(past.reached)}.</p>}
      {past.next !== undefined && (reading.isBusy
        ? <button class="button small" type="button" onClick={reading.stop}><Icon name="stop" />Stop</button>
        : <button class="button small" type="button" onClick={reading.more}>Older versions</button>)}
    </div>
  );
}

function None({ past, isBusy }: { past: Past; isBusy: boolean }) {
  if (isBusy) return <div class="loading" role="progressbar" aria-label="Searching" />;
  return (
    <Empty icon="clock" title={past.now ? "Nothing has changed this item" : "There has been no such item"}>
      <p>{past.now ? "It is the same" : "No item with this key was written"} since {exactMoment(past.next === undefined ? past.earliest : past.reached)}.</p>
    </Empty>
  );
}
