// One item beside the table of items: every attribute with its type, whole.
import { useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { itemUrl } from "../db/key";
import { type TableInfo } from "../db/tables";
import { type Item, type Value, bytesOf, hexOf, itemSize, typeNames, typeOf } from "../db/value";
import { bytes, plural } from "../format";
import { EntityBadge } from "../lens/entity";
import { type Facets, withMask } from "../lens/facets";
import type { Seen } from "../lens/look";
import { viewOf } from "../routes";
import { Snippet } from "../snippet";

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
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const names = [...keys, ...Object.keys(item).filter((name) => !keys.includes(name)).sort()].filter((name) => Object.hasOwn(item, name));
  return (
    <aside class="item-panel" aria-label="Item">
      <div class="item-panel-head">
        <Segments label="Show as" options={[["read", "Attributes"], ["json", "JSON"]]} value={way} onChange={setWay} />
        <span class="quiet small grow">{bytes(itemSize(whole))}</span>
        {viewOf("/t/:table/item") && keys.every((name) => Object.hasOwn(item, name)) && <a class="button small" href={itemUrl(table, whole)}><Icon name="edit" />Open</a>}
        <button class="button plain small" type="button" aria-label="Close the item" title="Close (Esc)" onClick={onClose}><Icon name="close" /></button>
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
        <dl class="attributes">
          {names.map((name) => (
            <div key={name}>
              <dt><span class={keys.includes(name) ? "is-key" : ""}>{name}</span> <span class="quiet small">{typeNames[typeOf(item[name]!)]}</span></dt>
              <dd><Whole value={item[name]!} /></dd>
            </div>
          ))}
        </dl>
      )}
    </aside>
  );
}

function Whole({ value }: { value: Value }) {
  if ("M" in value) return <Nested rows={Object.entries(value.M)} none="{}" />;
  if ("L" in value) return <Nested rows={value.L.map((one, at) => [String(at), one])} none="[]" />;
  if ("SS" in value) return <ul class="set">{value.SS.map((one) => <li key={one}>{one}</li>)}</ul>;
  if ("NS" in value) return <ul class="set">{value.NS.map((one) => <li key={one}>{one}</li>)}</ul>;
  if ("BS" in value) return <ul class="set">{value.BS.map((one) => <li key={one}><Bytes base64={one} /></li>)}</ul>;
  if ("B" in value) return <Bytes base64={value.B} />;
  if ("BOOL" in value) return <span class="is-word">{String(value.BOOL)}</span>;
  if ("NULL" in value) return <span class="is-word">null</span>;
  if ("N" in value) return <span class="is-number">{value.N}</span>;
  return value.S === "" ? <span class="quiet">empty</span> : <span class="text">{value.S}</span>;
}

function Nested({ rows, none }: { rows: [string, Value][]; none: string }) {
  if (rows.length === 0) return <span class="quiet">{none}</span>;
  return (
    <dl class="nested">
      {rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd><Whole value={value} /></dd></div>)}
    </dl>
  );
}

const shownBytes = 256;

function Bytes({ base64 }: { base64: string }) {
  const all = bytesOf(base64);
  return <span class="is-binary">{hexOf(all.subarray(0, shownBytes))}{all.length > shownBytes && "…"} <span class="quiet small">{plural(all.length, "byte")}</span></span>;
}
