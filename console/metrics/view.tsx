// The metrics of the server as charts, from samples that are taken while somebody looks.
import { useEffect, useMemo } from "preact/hooks";
import { setQuery } from "web/route";
import { Empty, Figure, Problem } from "web/ui/table";
import { amount, bytes, compact } from "../format";
import type { ViewProps } from "../routes";
import { Chart } from "./chart";
import { type Sample, capacity, connections, error, failures, latency, memory, names, samples, storage, throughput, watch } from "./samples";

const spans = [["120", "2 minutes"], ["600", "10 minutes"], ["3600", "1 hour"]] as const;
const one = (value: number): string => (value >= 10 || Number.isInteger(value) ? compact(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1));
const ms = (value: number): string => (value >= 10 ? `${amount(Math.round(value))} ms` : `${Number(value.toPrecision(2))} ms`);

export default function Metrics({ query }: ViewProps) {
  useEffect(watch, []);
  const all = samples.value;
  const span = Number(query.get("span") ?? 600);
  const operation = query.get("operation") ?? "";
  const shown = useMemo(() => all.filter((sample) => sample.at >= (all.at(-1)?.at ?? 0) - span * 1000), [all, span]);
  return (
    <div class="page metrics">
      <div class="page-head">
        <h1>Metrics</h1>
        <label class="small">Over <select value={String(span)} onChange={(e) => setQuery({ span: e.currentTarget.value === "600" ? "" : e.currentTarget.value })}>{spans.map(([seconds, name]) => <option key={seconds} value={seconds}>{name}</option>)}</select></label>
      </div>
      {error.value && <Problem error={error.value} />}
      {shown.length > 0 && <Figures shown={shown} operation={operation} />}
      {shown.length < 2 ? (
        <Empty icon="chart" title="The charts begin now">
          <p>The server is asked every two seconds, as long as this view is open. <code>GET /metrics</code> gives the same numbers to Prometheus.</p>
        </Empty>
      ) : (
        <Charts shown={shown} operation={operation} />
      )}
    </div>
  );
}

const last = (values: (number | null)[] | undefined): number => values?.at(-1) ?? 0;

interface Props {
  shown: readonly Sample[];
  operation: string;
}

/** What is known of now; rates need two samples. */
function Figures({ shown, operation }: Props) {
  const now = shown.at(-1)!;
  const requests = throughput(shown);
  const times = latency(shown, operation);
  const failed = failures(shown);
  const perSecond = (value: number) => (shown.length < 2 ? "–" : <>{one(value)}<span class="quiet">/s</span></>);
  const total = requests.lines.reduce((all, line) => all + last(line.values), 0);
  const choose = (
    <label class="small">of <select aria-label="Latency of" value={operation} onChange={(e) => setQuery({ operation: e.currentTarget.value })}><option value="">all requests</option>{names(shown).map((name) => <option key={name}>{name}</option>)}</select></label>
  );
  return (
    <div class="columns figures">
      <Figure label="Requests" value={perSecond(total)} note={`${amount(now.requests.reduce((all, { count }) => all + count, 0))} since the start`} />
      <Figure label="99 % of them within" value={times.lines[2] && times.lines[2].values.at(-1) != null ? ms(last(times.lines[2].values)) : "–"} note={choose} />
      <Figure label="Errors" value={perSecond(last(failed.lines[0]?.values))} note={`${amount(now.requests.reduce((all, { errors }) => all + errors, 0))} since the start`} />
      <Figure label="Memory" value={bytes(now.resident)} note="of the process" />
    </div>
  );
}

function Charts({ shown, operation }: Props) {
  const storing = storage(shown);
  return (
    <div class="charts">
      <Chart title="Requests" note="per second" series={throughput(shown)} format={one} />
      <Chart title="Time to answer" note={operation || "all requests"} series={latency(shown, operation)} format={ms} />
      <Chart title="Errors" note="per second" series={failures(shown)} format={one} />
      <Chart title="Capacity" note="units per second" series={capacity(shown)} format={one} />
      <Chart title="Memory" series={memory(shown)} format={bytes} />
      {storing.lines.length > 0 && <Chart title="Storage" series={storing} format={bytes} />}
      <Chart title="Connections" series={connections(shown)} format={one} />
    </div>
  );
}
