// The index lens: an item beside its entry in every index, or why it has none.
import { Badge } from "web/ui/table";
import { preview } from "../db/value";
import { plural } from "../format";
import type { LensProps } from "./item_lenses";
import type { IndexSight, ShownItem } from "./look";
import { KeyValue, Patterns, Template } from "./parts";
import { SeenThrough } from "./seen";

export function Indexes({ table, design, itemKey, sensitive }: LensProps) {
  return (
    <SeenThrough design={design} lens="indexes" question={{ key: itemKey }} sensitive={sensitive}>
      {(answer) => (
        <div class="sights">
          <ItemItself table={table} item={answer.item} />
          {answer.indexes.map((sight) => <Sight key={sight.index} sight={sight} table={table} design={design} />)}
          {answer.indexes.length === 0 && <p class="quiet">The design has no index.</p>}
        </div>
      )}
    </SeenThrough>
  );
}

function Keys({ table, item }: { table: string; item: ShownItem }) {
  const names = Object.keys(item.parts ?? item.key);
  return (
    <dl class="sight-keys">
      {names.map((name) => <div key={name}><dt>{name}</dt><dd><KeyValue table={table} value={item.item[name] ?? item.key[name]} parts={item.parts?.[name]} /></dd></div>)}
    </dl>
  );
}

function Values({ item, without }: { item: ShownItem; without: readonly string[] }) {
  const names = Object.keys(item.item).filter((name) => !without.includes(name)).sort();
  if (names.length === 0) return null;
  return (
    <details class="sight-values">
      <summary>{plural(names.length, "attribute")}</summary>
      <dl class="nested">{names.map((name) => <div key={name}><dt>{name}</dt><dd class={item.masked?.includes(name) ? "quiet" : ""}><span class="cut">{preview(item.item[name]!)}</span></dd></div>)}</dl>
    </details>
  );
}

function ItemItself({ table, item }: { table: string; item: ShownItem }) {
  return (
    <section class="panel sight" aria-label="The item">
      <header><h3>The item</h3><span class="quiet small">{item.entity}</span></header>
      <Keys table={table} item={item} />
      <Values item={item} without={Object.keys(item.parts ?? item.key)} />
    </section>
  );
}

function Sight({ sight, table, design }: { sight: IndexSight; table: string; design: string }) {
  const { index, title, local, entry, why, hash, range, keys = {}, unprojected = [], patterns = [] } = sight;
  const isRight = why === "";
  const state = entry ? (isRight ? "in the index" : "differs") : "absent";
  return (
    <section class="panel sight" aria-label={index}>
      <header>
        <h3 title={title || undefined}>{index}</h3>{local && <span class="quiet small">local</span>}
        <span class="grow" />
        <Badge kind={entry ? (isRight ? "good" : "bad") : undefined}>{state}</Badge>
      </header>
      {!entry && hash && <p class="sight-templates"><Template text={hash} />{range && <Template text={range} />}</p>}
      {!isRight && <p class={entry ? "sight-why is-wrong" : "sight-why"}>{why}</p>}
      {entry && <Keys table={table} item={{ ...entry, parts: Object.fromEntries(Object.entries(entry.parts ?? {}).filter(([name]) => name in keys)) }} />}
      {entry && <Values item={entry} without={Object.keys(entry.parts ?? {})} />}
      {unprojected.length > 0 && <p class="quiet small">Not in the index: {unprojected.join(", ")}</p>}
      {hash && <Patterns design={design} names={patterns} />}
    </section>
  );
}
