// One item beside the table of items: every attribute with its type, whole.
import { useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { historyUrl, itemUrl } from "../db/key";
import { type TableInfo } from "../db/tables";
import { type Item, itemSize } from "../db/value";
import { bytes } from "../format";
import { EntityBadge } from "../lens/entity";
import { type Facets, withMask } from "../lens/facets";
import type { Seen } from "../lens/look";
import { has } from "../session";
import { Snippet } from "../snippet";
import { Attributes } from "./attributes";

interface PanelProps {
  table: TableInfo;
  item: Item;
  seen: Seen | undefined;
  facets: Facets | undefined;
  isSensitiveShown: boolean;
  onClose: () => void;
}

export function ItemPanel({ table, item: whole, seen, facets, isSensitiveShown, onClose }: PanelProps) {
  const [way, setWay] = useState<"read" | "json">("read");
  const item = facets && !isSensitiveShown ? withMask(facets, seen, whole) : whole;
  const isWhole = table.KeySchema.every((key) => Object.hasOwn(item, key.AttributeName));
  return (
    <aside class="item-panel" aria-label="Item">
      <div class="item-panel-head">
        <Segments label="Show as" options={[["read", "Attributes"], ["json", "JSON"]]} value={way} onChange={setWay} />
        <span class="grow" />
        <button class="button plain small" type="button" aria-label="Close the item" title="Close (Esc)" onClick={onClose}><Icon name="close" /></button>
      </div>
      <div class="item-panel-head">
        <span class="quiet small grow">{bytes(itemSize(whole))}</span>
        {isWhole && has("history") && <a class="button small" href={historyUrl(table, whole)}><Icon name="clock" />History</a>}
        {isWhole && <a class="button small" href={itemUrl(table, whole)}><Icon name="edit" />Open</a>}
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
        <Attributes table={table} item={item} />
      )}
    </aside>
  );
}
