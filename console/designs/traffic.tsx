// How a design is used: which patterns get requests, what they cost, and which requests no pattern explains. The server counts since it started.
import { useState } from "preact/hooks";
import { useLoad } from "web/load";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Figure, Panel, Problem } from "web/ui/table";
import { amount, moment, plural } from "../format";
import type { ViewProps } from "../routes";
import { type Design, type Pattern, askDesign, useDesign } from "./api";
import { doubleOf } from "./exact";
import { partUrl } from "./run/parts";

interface Counted {
  name: string;
  requests: number;
  scanned?: number;
  returned?: number;
  readUnits?: number;
}

interface Traffic {
  since: string | null;
  patterns: Counted[];
  unserved: { what: string; requests: number }[];
}

const withDoubles = (traffic: Traffic): Traffic => ({ ...traffic, patterns: traffic.patterns.map((one) => (one.readUnits === undefined ? one : { ...one, readUnits: doubleOf(one.readUnits) })) });

type Order = "requests" | "readUnits" | "name";

interface Row extends Counted {
  pattern: Pattern;
}

const orders: Record<Order, (a: Row, b: Row) => number> = {
  requests: (a, b) => b.requests - a.requests,
  readUnits: (a, b) => (b.readUnits ?? 0) - (a.readUnits ?? 0),
  name: () => 0,
};

export default function TrafficView({ params }: ViewProps) {
  const name = params["design"] ?? "";
  const { design, error } = useDesign(name);
  const { state, again } = useLoad(() => askDesign<Traffic>(name, "traffic").then(withDoubles), [name]);
  const problem = error ?? state.value.error;
  if (problem) return <Problem error={problem} again={again} />;
  if (!design || !state.value.value) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return <Shown design={design} traffic={state.value.value} again={again} />;
}

/** The patterns that send requests of their own, with what was counted for them. */
function rowsOf(design: Design, traffic: Traffic): Row[] {
  const counts = new Map(traffic.patterns.map((one) => [one.name, one]));
  return design.patterns.filter((one) => counts.has(one.name) || ["get", "query", "scan"].includes(one.kind)).map((pattern) => ({ ...(counts.get(pattern.name) ?? { name: pattern.name, requests: 0 }), pattern }));
}

const sum = (rows: { requests: number }[]): number => rows.reduce((all, one) => all + one.requests, 0);

function Shown({ design, traffic, again }: { design: Design; traffic: Traffic; again: () => void }) {
  const [order, setOrder] = useState<Order>("requests");
  const rows = rowsOf(design, traffic);
  const used = rows.filter((row) => row.requests > 0);
  const all = sum(rows) + sum(traffic.unserved);
  const units = rows.reduce((total, row) => total + (row.readUnits ?? 0), 0);
  const hasCosts = rows.some((row) => row.readUnits !== undefined);
  return (
    <div class="page">
      <div class="columns figures">
        <Figure label="Requests" value={amount(all)} note={traffic.since ? `since ${moment(Date.parse(traffic.since) / 1000)}` : "since the server started"} />
        <Figure label="Patterns used" value={<>{amount(used.length)}<span class="quiet"> of {amount(rows.length)}</span></>} note={rows.length > used.length ? `${plural(rows.length - used.length, "pattern")} without a request` : "every pattern has requests"} />
        <Figure label="Unserved" value={amount(sum(traffic.unserved))} note={traffic.unserved.length > 0 ? `${plural(traffic.unserved.length, "form")} of request that no pattern explains` : "a pattern explains every request"} />
        {hasCosts && <Figure label="Read units" value={amount(Math.round(units * 10) / 10)} note="of all patterns" />}
      </div>
      {traffic.unserved.length > 0 && <Unserved traffic={traffic} />}
      <section class="panel" aria-label="Patterns">
        <div class="panel-tools">
          <Segments label="Order" options={[["requests", "Most used"], ...(hasCosts ? [["readUnits", "Dearest"] as const] : []), ["name", "As the design"]]} value={order} onChange={setOrder} />
          <span class="grow" />
          <button class="button small" type="button" onClick={again}><Icon name="refresh" />Count again</button>
        </div>
        {rows.length === 0 ? <Empty icon="search" title="The design has no patterns" /> : <Rows design={design} rows={[...rows].sort(orders[order])} hasCosts={hasCosts} />}
      </section>
    </div>
  );
}

const each = (total: number | undefined, requests: number): string => (total === undefined || requests === 0 ? "–" : amount(Math.round((total / requests) * 10) / 10));

function Rows({ design, rows, hasCosts }: { design: Design; rows: Row[]; hasCosts: boolean }) {
  const most = Math.max(1, ...rows.map((row) => row.requests));
  return (
    <div class="table-scroll">
      <table class="stacks traffic">
        <caption class="visually-hidden">Patterns with their requests</caption>
        <thead>
          <tr>
            <th scope="col">Pattern</th>
            <th scope="col" class="number">Requests</th>
            {hasCosts && <><th scope="col" class="number">Read each</th><th scope="col" class="number">Returned each</th><th scope="col" class="number">Units each</th><th scope="col" class="number">Units</th></>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} class={row.requests === 0 ? "is-unused" : ""}>
              <td>
                <a class="strong mono" href={partUrl(design.name, { kind: "pattern", name: row.name })}>{row.name}</a> {row.requests === 0 && <Badge kind={row.pattern.planned ? undefined : "warn"}>{row.pattern.planned ? "planned" : "unused"}</Badge>}
                <span class="sub">{row.pattern.title}</span>
                {row.requests > 0 && <span class="share" aria-hidden="true"><i style={{ width: `${(row.requests / most) * 100}%` }} /></span>}
              </td>
              <td data-label="Requests" class="number">{amount(row.requests)}</td>
              {hasCosts && (
                <>
                  <td data-label="Read each" class="number">{each(row.scanned, row.requests)}</td>
                  <td data-label="Returned each" class="number">{each(row.returned, row.requests)}</td>
                  <td data-label="Units each" class="number">{each(row.readUnits, row.requests)}</td>
                  <td data-label="Units" class="number">{row.readUnits === undefined ? "–" : amount(Math.round(row.readUnits * 10) / 10)}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Unserved({ traffic }: { traffic: Traffic }) {
  return (
    <Panel title="Requests that no pattern explains">
      <p class="quiet">Programs ask these without a name. Either the design lacks a pattern, or a program reads what it should not.</p>
      <ul class="unserved">
        {traffic.unserved.map((one) => <li key={one.what}><code>{one.what}</code> <span class="number">{plural(one.requests, "request")}</span></li>)}
      </ul>
    </Panel>
  );
}
