// The entities that a pattern found: a table for each kind of entity, with what reading them cost.
import type { Signal } from "@preact/signals";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { amount, plural } from "../../format";
import { type Sensitive, SensitiveSwitch } from "../../lens/sensitive";
import { type Entity, itemUrl } from "../api";
import { doubleOf, shown } from "../exact";
import type { FoundEntity, FoundPage } from "./requests";

export interface Found {
  pages: FoundPage[];
  isLoading: boolean;
  error: Error | undefined;
}

const sum = (pages: FoundPage[], of: (page: FoundPage) => number): number => pages.reduce((all, page) => all + doubleOf(of(page)), 0);

function Figures({ pages, sensitive }: { pages: FoundPage[]; sensitive: Sensitive }) {
  const secrets = [...new Set(pages.flatMap((page) => page.entities).flatMap((one) => one.masked))];
  const [returned, scanned] = [sum(pages, (page) => page.returned), sum(pages, (page) => page.scanned)];
  const missing = sum(pages, (page) => page.missing);
  return (
    <div class="bar" role="status">
      <strong>{plural(returned, "entity", "entities")}</strong>
      {pages.at(-1)?.next && <span class="quiet">so far</span>}
      <span class="quiet">
        {plural(scanned, "item")} read · {plural(sum(pages, (page) => page.readUnits), "read unit")} · {plural(sum(pages, (page) => page.requests.length), "request")} · {amount(Math.round(sum(pages, (page) => page.milliseconds) * 10) / 10)} ms
      </span>
      {scanned > returned * 2 && scanned - returned > 10 && <Badge kind="warn">{amount(scanned - returned)} read for nothing</Badge>}
      {missing > 0 && <Badge kind="warn">{plural(missing, "reference")} to a missing item</Badge>}
      <span class="grow" />
      <SensitiveSwitch sensitive={sensitive} names={secrets} />
    </div>
  );
}

/** The fields that rows have, in the order of the design; those that it computes are the last. */
function columnsOf(rows: readonly FoundEntity[], fields: readonly string[]): string[] {
  const all = new Set(rows.flatMap((row) => Object.keys(row.fields)));
  return [...new Set([...fields.filter((name) => all.has(name)), ...all])];
}

const fieldsOf = (entity: Entity | undefined): string[] => [...(entity?.fields ?? [])].sort((a, b) => Number(a.derived) - Number(b.derived)).map(({ name }) => name);

function Rows({ table, title, rows, fields }: { table: string; title: string; rows: FoundEntity[]; fields: readonly string[] }) {
  const columns = columnsOf(rows, fields);
  const isLinked = rows.some((row) => row.key);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
      <table class="entities">
        <caption class="visually-hidden">{title}</caption>
        <thead><tr>{isLinked && <th scope="col"><span class="visually-hidden">Item</span></th>}{columns.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {isLinked && <td>{row.key && <a class="button plain small" href={itemUrl(table, row.key)} aria-label={`Open item ${at + 1}`} title="Open the item"><Icon name="file" /></a>}</td>}
              {columns.map((name) => {
                const value = row.fields[name];
                const isMasked = row.masked.includes(name);
                return <td key={name} class={isMasked ? "quiet" : typeof value === "number" || String(value) !== value && /^-?\d/.test(shown(value)) ? "is-number" : ""} title={isMasked ? "The design marks this as sensitive" : undefined}>{shown(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function FoundPanel({ found, sensitive, table, entities, more }: { found: Signal<Found | undefined>; sensitive: Sensitive; table: string; entities: Entity[]; more: () => void }) {
  const state = found.value;
  if (!state) return null;
  const all = state.pages.flatMap((page) => page.entities);
  const kinds = [...new Set(all.map((one) => one.entity))];
  const about = (name: string): Entity | undefined => entities.find((one) => one.name === name);
  const titleOf = (name: string): string => about(name)?.title || name;
  return (
    <section class="panel" aria-label="Found">
      {state.isLoading && state.pages.length === 0 && <div class="loading" role="progressbar" aria-label="Reading" />}
      {state.pages.length > 0 && <Figures pages={state.pages} sensitive={sensitive} />}
      {state.error && <Problem error={state.error} />}
      {kinds.map((kind) => (
        <div key={kind}>
          {kinds.length > 1 && <h3 class="kind">{titleOf(kind)} <span class="quiet">{amount(all.filter((one) => one.entity === kind).length)}</span></h3>}
          <Rows table={table} title={titleOf(kind)} rows={all.filter((one) => one.entity === kind)} fields={fieldsOf(about(kind))} />
        </div>
      ))}
      {all.length === 0 && state.pages.length > 0 && !state.pages.at(-1)?.next && (
        <Empty icon="search" title="Nothing was found"><p>The request was right, and no item has these keys. An item's “Why not” says why it is not here.</p></Empty>
      )}
      {state.pages.at(-1)?.next && <div class="more"><button class="button small" type="button" disabled={state.isLoading} onClick={more}>Next page</button></div>}
    </section>
  );
}
