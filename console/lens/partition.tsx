// One partition as lanes: a table for each of its entities, with the columns of that entity alone.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { describe, keysOf, tables } from "../db/tables";
import { type Item, type Value, preview, typeOf } from "../db/value";
import { type Design, useDesign } from "../designs/api";
import { amount, plural } from "../format";
import { schemaOf, searchOf } from "../browse/question";
import { EntityName, placeOf, secretsOf } from "./entity";
import { type Lane, type PartitionAnswer, type ShownItem, look } from "./look";
import { ItemLink, KeyValue, Patterns, Template, itemHref, keysHref } from "./parts";
import { SensitiveSwitch, useSensitive, wordOf } from "./sensitive";

interface Props {
  table: string;
  design: string;
  index: string;
  hash: Value;
}

interface Lanes {
  lanes: Lane[];
  unknown: ShownItem[];
  count: number;
  next: Item | undefined;
  attribute: string;
}

const none: Lanes = { lanes: [], unknown: [], count: 0, next: undefined, attribute: "" };

/** The lanes of all pages, in the order of the design as far as the pages say. */
function joined(before: Lanes, page: PartitionAnswer): Lanes {
  const lanes = new Map(before.lanes.map((lane) => [lane.entity, lane]));
  for (const lane of page.lanes) {
    const known = lanes.get(lane.entity);
    lanes.set(lane.entity, known ? { ...known, items: [...known.items, ...lane.items] } : lane);
  }
  return {
    lanes: [...lanes.values()], unknown: [...before.unknown, ...page.unknown], count: before.count + page.count, next: page.next ?? undefined, attribute: page.hash.attribute,
  };
}

function usePartition({ design, index, hash }: Props, sensitive: "masked" | "shown") {
  const [lanes, setLanes] = useState(none);
  const [isRunning, setRunning] = useState(true);
  const [error, setError] = useState<Error>();
  const newest = useRef(0); // an answer to an older question may have other values unmasked
  const read = async (before: Lanes): Promise<void> => {
    const mine = ++newest.current;
    const isCurrent = (): boolean => mine === newest.current;
    setRunning(true);
    setError(undefined);
    try {
      const page = await look(design, "partition", { hash, ...(index ? { index } : {}), ...(before.next ? { page: before.next } : {}) }, sensitive);
      if (isCurrent()) setLanes(joined(before, page));
    } catch (why) {
      if (isCurrent()) setError(why as Error);
    }
    if (isCurrent()) setRunning(false);
  };
  useEffect(() => {
    void read(none);
    return () => void newest.current++;
  }, [sensitive]);
  return { lanes, isRunning, error, more: () => void read(lanes), again: () => void read(none) };
}

export function Partition(props: Props) {
  const { table, design, index, hash } = props;
  const sensitive = useSensitive();
  const { lanes, isRunning, error, more, again } = usePartition(props, wordOf(sensitive));
  const { design: info } = useDesign(design);
  const known = tables.value.get(table);
  useEffect(() => void (known || describe(table).catch(() => undefined)), [table]);
  const heads = lanes.lanes.map((lane) => lane.items[0]?.parts?.[lanes.attribute]);
  // Of the entities that share the partition, one names another by its key.
  const parts = heads.find((list) => list?.some(({ ref }) => ref)) ?? heads[0];
  const secrets = secretsOf(info, lanes.lanes.map(({ entity }) => entity));
  const range = known && keysOf(schemaOf(known, index), "RANGE")[0];
  const browse = `/t/${encodeURIComponent(table)}/items${searchOf({ index, partition: [preview(hash)], sort: [], filters: [], isDescending: false, isConsistent: false, limit: 0, columns: [] })}`;
  return (
    <div class="page keys-view">
      <div class="keys-head">
        <nav class="crumbs" aria-label="Where this is"><a href={keysHref(table, index)}>Keys{index && ` of ${index}`}</a><span aria-hidden="true">›</span><h2><KeyValue table={table} value={hash} parts={parts} /></h2></nav>
        <p class="quiet small grow" role="status">{isRunning && lanes.count === 0 ? "Reading…" : `${plural(lanes.count, "item")}${lanes.next ? " so far" : ""}`}</p>
        <SensitiveSwitch sensitive={sensitive} names={secrets} />
        <a class="button small" href={browse}><Icon name="table" />As items</a>
      </div>
      {error && <Problem error={error} again={again} />}
      {!isRunning && !error && lanes.count === 0 && <Empty icon="tree" title="The partition is empty"><p>No item has this partition key{index && ` in ${index}`}.</p></Empty>}
      {lanes.lanes.map((lane) => <LanePanel key={lane.entity} lane={lane} range={range} props={props} info={info} />)}
      {lanes.unknown.length > 0 && <UnknownLane items={lanes.unknown} table={table} />}
      {lanes.next && <div class="more"><button class="button small" type="button" disabled={isRunning} onClick={more}>Read on</button></div>}
    </div>
  );
}

const columnsMost = 7;

/** The attributes that are columns: those most items have, without keys, entity marks and what is large. */
function columnsOf(lane: Lane, keys: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const { item } of lane.items.slice(0, 50)) {
    for (const [name, value] of Object.entries(item)) if (!keys.includes(name) && !["B", "BS", "L", "M", "NULL"].includes(typeOf(value))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, columnsMost).map(([name]) => name);
}

function LanePanel({ lane, range, props, info }: { lane: Lane; range: string | undefined; props: Props; info: Design | undefined }) {
  const { table, design } = props;
  const about = info?.entities.find(({ name }) => name === lane.entity);
  const fields = about?.fields.map(({ name }) => name) ?? [];
  const keys = Object.keys(lane.items[0]?.parts ?? {});
  const all = columnsOf(lane, keys).filter((name) => fields.length === 0 || fields.includes(name));
  const columns = all.sort((a, b) => fields.indexOf(a) - fields.indexOf(b));
  return (
    <section class="panel lane" aria-label={lane.entity}>
      <header>
        <h2><EntityName name={lane.entity} place={placeOf(info, lane.entity)} title={lane.title} /></h2>
        {lane.range && <Template text={lane.range} />}
        <span class="quiet small number">{amount(lane.items.length)}</span>
        <span class="grow" />
        <Patterns design={design} names={lane.patterns} />
      </header>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={`Items of ${lane.entity}`}>
        <table>
          <caption class="visually-hidden">{lane.entity} in this partition, in the order of the sort key</caption>
          <thead><tr><th scope="col">{range ?? "key"}</th>{columns.map((name) => <th key={name} scope="col" class={isNumberIn(lane, name) ? "number" : ""}>{name}</th>)}<th scope="col"><span class="visually-hidden">Open</span></th></tr></thead>
          <tbody>{lane.items.map((one) => <LaneRow key={JSON.stringify(one.key)} one={one} range={range} columns={columns} table={table} />)}</tbody>
        </table>
      </div>
    </section>
  );
}

const isNumberIn = (lane: Lane, name: string): boolean => lane.items.some(({ item }) => item[name] && "N" in item[name]!);

function LaneRow({ one, range, columns, table }: { one: ShownItem; range: string | undefined; columns: readonly string[]; table: string }) {
  const { item, parts, masked = [] } = one;
  return (
    <tr>
      <td>{range ? <KeyValue table={table} value={item[range] ?? one.key[range]} parts={parts?.[range]} /> : <ItemLink table={table} itemKey={one.key} />}</td>
      {columns.map((name) => {
        const value = item[name];
        return <td key={name} class={masked.includes(name) || !value ? "quiet" : "N" in value ? "number" : ""}>{value ? <span class="cut">{preview(value)}</span> : "–"}</td>;
      })}
      <td class="actions"><a class="button plain small" href={itemHref(table, one.key)} aria-label={`Open ${preview(Object.values(one.key).at(-1)!)}`}>Open</a></td>
    </tr>
  );
}

function UnknownLane({ items, table }: { items: readonly ShownItem[]; table: string }) {
  return (
    <section class="panel lane is-unknown" aria-label="Of no entity">
      <header><h2>Of no entity</h2><span class="quiet small number">{amount(items.length)}</span></header>
      <ul class="samples">{items.map(({ key, why }) => <li key={JSON.stringify(key)}><ItemLink table={table} itemKey={key} /><span class="quiet small">{why}</span></li>)}</ul>
    </section>
  );
}
