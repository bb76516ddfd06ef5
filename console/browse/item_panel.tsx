// One item beside the table of items: every attribute with its type, whole.
import { useEffect, useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { historyUrl, isWholeKey, itemUrl } from "../db/key";
import { type TableInfo, keysOf } from "../db/tables";
import { type Item, type Value, contentOf, itemSize, typeOf } from "../db/value";
import { bytes } from "../format";
import { EntityBadge } from "../lens/entity";
import { type Facets, withMask } from "../lens/facets";
import type { Seen } from "../lens/look";
import { has } from "../session";
import { Snippet } from "../snippet";
import { loadTimeToLive } from "../tables/extras";
import { Attributes } from "./attributes";
import { keptUrl } from "./kept";
import { type Question, questionOf, searchOf } from "./question";

interface PanelProps {
  table: TableInfo;
  question?: Question | undefined; // that found the item; none: something else did
  item: Item;
  seen: Seen | undefined;
  facets: Facets | undefined;
  isSensitiveShown: boolean;
  onClose: () => void;
}

/** The request for all items with the partition key of this one. */
function partitionUrl(table: TableInfo, columns: string[], item: Item): string {
  const partition = keysOf(table.KeySchema, "HASH").map((name) => String(contentOf(item[name]!)));
  return keptUrl({ table: table.TableName, search: searchOf({ ...questionOf(new URLSearchParams()), partition, columns }) });
}

/** The request of the view, for the items alone whose attribute has this value; none for a value that a filter does not compare. */
function filterUrl(table: TableInfo, question: Question, name: string, value: Value): string | undefined {
  const type = typeOf(value);
  if (type !== "S" && type !== "N" && type !== "B" && type !== "BOOL") return undefined;
  const path = /[.["]/.test(name) ? JSON.stringify(name) : name;
  const filter = { path, type, operator: "=" as const, values: [String(contentOf(value))] };
  return keptUrl({ table: table.TableName, search: searchOf({ ...question, filters: [...question.filters.filter((one) => one.path !== path || one.operator !== "="), filter] }) });
}

export function ItemPanel({ table, question, item: whole, seen, facets, isSensitiveShown, onClose }: PanelProps) {
  const [way, setWay] = useState<"read" | "json">("read");
  useEffect(() => void loadTimeToLive(table.TableName), [table.TableName]);
  const item = facets && !isSensitiveShown ? withMask(facets, seen, whole) : whole;
  const isWhole = isWholeKey(table, whole);
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const isMasked = (name: string): boolean => item[name] !== whole[name];
  return (
    <aside class="item-panel" aria-label="Item">
      <div class="item-panel-head">
        <Segments label="Show as" options={[["read", "Attributes"], ["json", "JSON"]]} value={way} onChange={setWay} />
        <span class="grow" />
        <button class="button plain small" type="button" aria-label="Close the item" title="Close (Esc)" onClick={onClose}><Icon name="close" /></button>
      </div>
      <div class="item-panel-head wraps">
        <span class="quiet small grow">{bytes(itemSize(whole))}</span>
        {isWhole && keys.length > 1 && <a class="button small" href={partitionUrl(table, question?.columns ?? [], whole)} title="All items with this partition key"><Icon name="list" />Partition</a>}
        {isWhole && has("history") && <a class="button small" href={historyUrl(table, whole)}><Icon name="clock" />History</a>}
        {isWhole && <a class="button small" href={itemUrl(table, whole)} title="Open it in the editor (E)"><Icon name="edit" />Open</a>}
      </div>
      {facets && seen && (
        <div class="item-panel-design">
          <EntityBadge seen={seen} facets={facets} />
          {"why" in seen && <p class="small">{seen.why}</p>}
        </div>
      )}
      {way === "json" ? (
        <Snippet text={JSON.stringify(item, null, 2)} label="The item as JSON" />
      ) : (
        <Attributes table={table} item={item} filterUrl={(name, value) => (!question || keys.includes(name) || isMasked(name) ? undefined : filterUrl(table, question, name, value))} />
      )}
    </aside>
  );
}
