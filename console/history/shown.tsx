// One version: what it changed, and the whole item.
import { useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Attributes } from "../browse/attributes";
import type { TableInfo } from "../db/tables";
import { changesOf } from "../items/changes";
import { Diff } from "../items/diff";
import type { Seen, Version } from "./api";
import { exactMoment } from "../when";
import { RestoreButton } from "./restore";

interface Props {
  table: TableInfo;
  version: Version;
  now: Seen | null;
  isNewest: boolean;
}

export function Shown({ table, version, now, isNewest }: Props) {
  const [way, setWay] = useState<"changes" | "item">("changes");
  const { seen, before, kind } = version;
  const masked = [...new Set([...(seen?.masked ?? []), ...(before?.masked ?? [])])];
  const isNow = isNewest || (seen !== null && now !== null && changesOf(seen.item, now.item).length === 0);
  return (
    <section class="panel" id="version" aria-label="The version">
      <div class="panel-head">
        <h2>{exactMoment(version.at)}</h2>
        {kind === "modify" && <Segments label="Show" options={[["changes", "What changed"], ["item", "The item"]]} value={way} onChange={setWay} />}
      </div>
      <div class="panel-body stack">
        {kind === "insert" && <p class="quiet small">The item was created.</p>}
        {kind === "remove" && <p class="quiet small">The item was deleted. This is what it was.</p>}
        {kind === "modify" && way === "changes" ? <Diff changes={changesOf(before!.item, seen!.item)} label="What changed" /> : <Attributes table={table} item={(seen ?? before)!.item} />}
        {masked.length > 0 && <p class="quiet small">Hidden: {masked.join(", ")}. Changes of hidden values do not show.</p>}
        {kind === "remove" && <RestoreButton table={table} version={before} name="Bring it back" />}
        {kind !== "remove" && (isNow ? <p class="quiet small">The item is like this now.</p> : <RestoreButton table={table} version={seen} name="Restore this version" />)}
      </div>
    </section>
  );
}
