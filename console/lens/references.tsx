// References in both directions: the items that an item names, and those that name it, with counts.
import { Badge } from "web/ui/table";
import { schemaOf, searchOf } from "../browse/question";
import { keysOf, tables } from "../db/tables";
import { preview } from "../db/value";
import { amount } from "../format";
import { EntityName, placeOf } from "./entity";
import type { LensProps } from "./item_lenses";
import type { Naming, ReferencesAnswer } from "./look";
import { ItemLink, Patterns } from "./parts";
import { SeenThrough } from "./seen";

export function References(props: LensProps) {
  const { design, itemKey, sensitive } = props;
  return (
    <SeenThrough design={design} lens="references" question={{ key: itemKey }} sensitive={sensitive}>
      {(answer) => (
        <div class="columns wide">
          <Names answer={answer} of={props} />
          <NamedBy answer={answer} of={props} />
        </div>
      )}
    </SeenThrough>
  );
}

interface Part {
  answer: ReferencesAnswer;
  of: LensProps;
}

function Names({ answer, of: { table, info } }: Part) {
  return (
    <section class="panel lens-list" aria-label="It names">
      <h3>It names</h3>
      {answer.names.length === 0 && <p class="quiet small">{answer.item.entity ? `No field of ${answer.item.entity} names another item.` : answer.item.why}</p>}
      <ul>
        {answer.names.map(({ field, entity, key, exists }) => (
          <li key={field + JSON.stringify(key)}>
            <span class="line"><code>{field}</code><span aria-hidden="true" class="quiet">→</span><EntityName name={entity} place={placeOf(info, entity)} />{!exists && <Badge kind="bad">missing</Badge>}</span>
            <ItemLink table={table} itemKey={key} exists={exists} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NamedBy({ answer, of }: Part) {
  return (
    <section class="panel lens-list" aria-label="It is named by">
      <h3>It is named by</h3>
      {answer.namedBy.length === 0 && <p class="quiet small">{answer.item.entity ? `No field of the design names ${answer.item.entity}.` : answer.item.why}</p>}
      <ul>{answer.namedBy.map((naming) => <NamingLine key={naming.entity + naming.field} naming={naming} of={of} />)}</ul>
    </section>
  );
}

/** Returns the request that finds what names the item. */
function namingHref(table: string, { index = "", hash, range = "", entity }: Naming): string {
  const info = tables.peek().get(table);
  const hasRange = info !== undefined && keysOf(schemaOf(info, index), "RANGE").length > 0;
  const sort = hasRange && range !== "" ? [{ operator: "begins_with" as const, values: [range] }] : [];
  const search = searchOf({ index, partition: hash ? [preview(hash)] : [], sort, filters: [], isDescending: false, isConsistent: false, limit: 0, columns: [] });
  return `/t/${encodeURIComponent(table)}/items${search}${search ? "&" : "?"}only=${encodeURIComponent(entity)}`;
}

function NamingLine({ naming, of: { table, design, info } }: { naming: Naming; of: LensProps }) {
  const { entity, field, count = 0, more, samples = [], patterns = [], why } = naming;
  return (
    <li>
      <span class="line">
        <EntityName name={entity} place={placeOf(info, entity)} /><span class="quiet">by</span><code>{field}</code>
        <span class="grow" />
        {why === undefined && (count > 0 ? <a class="count" href={namingHref(table, naming)}>{amount(count)}{more ? " or more" : ""}</a> : <span class="quiet">none{more ? " of those read" : ""}</span>)}
      </span>
      {why !== undefined && <span class="quiet small">{why}</span>}
      {samples.map((key) => <ItemLink key={JSON.stringify(key)} table={table} itemKey={key} />)}
      {count > samples.length && <span class="quiet small">and {amount(count - samples.length)} more</span>}
      {why === undefined && patterns.length > 0 && <Patterns design={design} names={patterns} />}
    </li>
  );
}
