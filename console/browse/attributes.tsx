// Every attribute of an item with its type, whole: the key first, the others by their names, index keys that a design computes last.
import { Icon } from "web/ui/icons";
import { type TableInfo, indexKeysOf } from "../db/tables";
import { type Item, type Value, bytesOf, hexOf, typeNames, typeOf } from "../db/value";
import { plural } from "../format";
import { designOf } from "../session";
import { expiryOf } from "../tables/extras";

interface Props {
  table: TableInfo;
  item: Item;
  filterUrl?: (name: string, value: Value) => string | undefined; // of the items with the same value
}

export function Attributes({ table, item, filterUrl }: Props) {
  const keys = table.KeySchema.map((key) => key.AttributeName);
  const computed = designOf(table.TableName) === undefined ? [] : indexKeysOf(table);
  const others = Object.keys(item).filter((name) => !computed.includes(name)).sort();
  const names = [...new Set([...keys, ...others, ...computed])].filter((name) => Object.hasOwn(item, name));
  const expires = expiryOf(table.TableName, item);
  return (
    <dl class="attributes">
      {names.map((name) => {
        const url = filterUrl?.(name, item[name]!);
        return (
          <div key={name}>
            <dt>
              <span class={keys.includes(name) ? "is-key" : ""}>{name}</span> <span class="quiet small">{typeNames[typeOf(item[name]!)]}</span>
              {url && <a class="same-value" href={url} aria-label={`Filter: ${name} is the same`} title="Only items with this value"><Icon name="filter" /></a>}
            </dt>
            <dd><Whole value={item[name]!} />{expires?.attribute === name && <span class="quiet small"> {expires.words}</span>}</dd>
          </div>
        );
      })}
    </dl>
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
