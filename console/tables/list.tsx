// All tables: their counts, sizes, keys and settings. It is the first view of the console, so an empty database teaches here.
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { sayError } from "web/ui/toast";
import { type TableInfo, indexesOf, isOnDemand, keysOf, loadTables, names, tables, tablesError } from "../db/tables";
import { amount, bytes } from "../format";
import { useKey } from "../keys";
import { ask, designOf, has, isReadOnly, session } from "../session";
import { tableUrl } from "../routes";
import { Snippet } from "../snippet";
import { type Extras, extras, loadExtras } from "./extras";
import { OneDatabase } from "./known_table";

type Order = "name" | "items" | "size";
const orders: Record<Order, (a: TableInfo, b: TableInfo) => number> = {
  name: (a, b) => (a.TableName < b.TableName ? -1 : 1),
  items: (a, b) => b.ItemCount - a.ItemCount,
  size: (a, b) => b.TableSizeBytes - a.TableSizeBytes,
};
const sum = (list: TableInfo[], of: (table: TableInfo) => number): number => list.reduce((all, one) => all + of(one), 0);

export default function Tables() {
  const [filter, setFilter] = useState("");
  const [order, setOrder] = useState<Order>("name");
  useEffect(() => void loadTables().then(loadExtras), []);
  useKey("/", "Filter the tables", () => document.querySelector<HTMLInputElement>("#table-filter")?.focus());
  useKey("n", "Create a table", () => go("/new"));
  const all = [...tables.value.values()];
  const shown = all.filter((table) => table.TableName.toLowerCase().includes(filter.toLowerCase())).sort(orders[order]);
  return (
    <div class="page">
      <div class="page-head">
        <div>
          <h1>Tables</h1>
          {names.value && <p class="quiet">{amount(names.value.length)} {names.value.length === 1 ? "table" : "tables"} · {amount(sum(all, (table) => table.ItemCount))} items · {bytes(sum(all, (table) => table.TableSizeBytes))}</p>}
        </div>
        <button class="button" type="button" onClick={() => void loadTables().then(loadExtras)}><Icon name="refresh" />Refresh</button>
        {!isReadOnly.value && <a class="button primary" href="/new"><Icon name="plus" />New table</a>}
      </div>
      {tablesError.value && <Problem error={tablesError.value} again={() => void loadTables()} />}
      {!names.value && !tablesError.value && <div class="loading" role="progressbar" aria-label="Loading" />}
      {names.value?.length === 0 && <NoTables />}
      {names.value && names.value.length > 0 && (
        <>
          <section class="panel">
            <div class="panel-tools">
              <input id="table-filter" class="grow" type="search" placeholder="Filter by name" aria-label="Filter by name" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
              <select aria-label="Order" value={order} onChange={(e) => setOrder(e.currentTarget.value as Order)}>
                <option value="name">By name</option>
                <option value="items">By items</option>
                <option value="size">By size</option>
              </select>
            </div>
            <TableRows shown={shown} />
          </section>
          <OneDatabase isSmall />
        </>
      )}
    </div>
  );
}

function TableRows({ shown }: { shown: TableInfo[] }) {
  return (
    <div class="table-scroll">
      <table class="stacks tables">
        <caption class="visually-hidden">Tables</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Keys</th>
            <th scope="col" class="number">Items</th>
            <th scope="col" class="number">Size</th>
            <th scope="col" class="number">Indexes</th>
            <th scope="col">Settings</th>
            <th scope="col"><span class="visually-hidden">Open</span></th>
          </tr>
        </thead>
        <tbody>
          {shown.map((table) => <Row key={table.TableName} table={table} />)}
        </tbody>
      </table>
    </div>
  );
}

function Row({ table }: { table: TableInfo }) {
  const url = `/t/${encodeURIComponent(table.TableName)}`;
  const design = designOf(table.TableName);
  return (
    <tr>
      <td>
        <a class="strong" href={tableUrl(table.TableName)}>{table.TableName}</a>
        {table.TableStatus !== "ACTIVE" && <Badge kind="warn">{table.TableStatus.toLowerCase()}</Badge>}
        {design && <span class="sub">Design {design}</span>}
      </td>
      <td data-label="Keys"><code>{keysOf(table.KeySchema, "HASH")}</code>{keysOf(table.KeySchema, "RANGE").map((name) => <> <code>{name}</code></>)}</td>
      <td data-label="Items" class="number">{amount(table.ItemCount)}</td>
      <td data-label="Size" class="number">{bytes(table.TableSizeBytes)}</td>
      <td data-label="Indexes" class="number">{indexesOf(table).length || "–"}</td>
      <td><Settings table={table} extra={extras.value.get(table.TableName)} /></td>
      <td class="actions"><a class="button small plain" href={url} aria-label={`Structure of ${table.TableName}`}>Structure</a></td>
    </tr>
  );
}

function Settings({ table, extra }: { table: TableInfo; extra: Extras | undefined }) {
  return (
    <span class="badges">
      <Badge>{isOnDemand(table) ? "on demand" : "provisioned"}</Badge>
      {table.StreamSpecification?.StreamEnabled && <Badge kind="good">stream</Badge>}
      {extra?.ttl && <Badge kind="good">TTL {extra.ttl}</Badge>}
      {extra?.hasRecovery && <Badge kind="good">recovery</Badge>}
      {extra !== undefined && extra.backups > 0 && <Badge>{amount(extra.backups)} {extra.backups === 1 ? "backup" : "backups"}</Badge>}
      {table.DeletionProtectionEnabled && <Badge kind="good">protected</Badge>}
    </span>
  );
}

function NoTables() {
  const { endpoint = "", region = "" } = session.value ?? {};
  const [isLoading, setLoading] = useState(false);
  const loadSamples = (): void => {
    setLoading(true);
    ask("/console/samples", {}).then(() => location.reload(), (error) => (sayError(error), setLoading(false)));
  };
  const command = `aws dynamodb create-table --endpoint-url ${endpoint} --region ${region} \\
    --table-name Music --billing-mode PAY_PER_REQUEST \\
    --attribute-definitions AttributeName=Artist,AttributeType=S AttributeName=Song,AttributeType=S \\
    --key-schema AttributeName=Artist,KeyType=HASH AttributeName=Song,KeyType=RANGE`;
  return (
    <>
      <section class="panel">
        <Empty icon="database" title="This database has no tables yet">
          <p>Create one here, or begin with the samples: designed tables with data, to look around in.</p>
          <div class="row">
            {!isReadOnly.value && <a class="button primary" href="/new"><Icon name="plus" />Create a table</a>}
            {has("samples") && !isReadOnly.value && <button class="button" type="button" disabled={isLoading} onClick={loadSamples}>{isLoading ? "Loading the samples …" : "Load the samples"}</button>}
          </div>
        </Empty>
      </section>
      <div class="columns wide">
        <section class="panel panel-body">
          <h2>From a terminal</h2>
          <Snippet text={command} />
        </section>
        <section class="panel panel-body">
          <h2>Did you expect tables?</h2>
          <p>
            This is one database, whatever access key and region a program uses: every table that a program creates here is listed. If yours is not, the
            program uses another endpoint. It should be <code>{endpoint}</code>. A server that was started with --in-memory begins empty.
          </p>
        </section>
      </div>
    </>
  );
}
