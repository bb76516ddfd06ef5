// The restores that are running: how far each is.
import { useEffect, useState } from "preact/hooks";
import { Panel } from "web/ui/table";
import { type TableInfo, tables } from "../db/tables";
import { amount, plural } from "../format";
import { exactMoment } from "../when";
import { itemsOfSource } from "./api";
import { isRestoring, watch } from "./watch";

export function Restores() {
  const running = [...tables.value.values()].filter(isRestoring);
  if (running.length === 0) return null;
  return <Panel title="Running restores"><div class="stack wide">{running.map((table) => <Restore key={table.TableName} table={table} />)}</div></Panel>;
}

function Restore({ table }: { table: TableInfo }) {
  const name = table.TableName;
  const summary = table.RestoreSummary!;
  const [total, setTotal] = useState<number>();
  useEffect(() => void itemsOfSource(summary).then(setTotal), [name]);
  useEffect(() => watch(name), [name]);
  const source = (summary.SourceTableArn ?? "").split("/").pop();
  const isCounted = total !== undefined && total > 0 && table.ItemCount < total;
  return (
    <div class="restore" role="status">
      <span class="mono grow">{name}</span>
      <span class="quiet small">{source && `${source} as of ${exactMoment(summary.RestoreDateTime * 1000)} · `}{amount(table.ItemCount)}{total === undefined ? " items" : ` of ${plural(total, "item")}`}</span>
      <progress {...(isCounted ? { max: total, value: table.ItemCount } : {})} aria-label={`Restored items of ${name}`} />
    </div>
  );
}
