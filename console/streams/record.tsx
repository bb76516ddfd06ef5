// One change of a stream: what differs, or what the stream shows of it.
import { useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Attributes } from "../browse/attributes";
import { historyUrl, itemUrl } from "../db/key";
import type { TableInfo } from "../db/tables";
import { bytes } from "../format";
import { type Change as Difference, changesOf } from "../items/changes";
import { Diff } from "../items/diff";
import { keyWords } from "../items/editing";
import { mask } from "../lens/facets";
import { has } from "../session";
import { Snippet } from "../snippet";
import type { ShownChange } from "./view";

interface Props {
  table: TableInfo;
  shown: ShownChange;
  onClose: () => void;
}

export function Record({ table, shown, onClose }: Props) {
  const [way, setWay] = useState<"changes" | "json">("changes");
  const { change, before, after } = shown;
  return (
    <section class="panel" aria-label="The change">
      <div class="panel-head">
        <h2 class="mono tail-key">{keyWords(table, change.keys)}</h2>
        <button class="button plain small" type="button" aria-label="Close the change" onClick={onClose}><Icon name="close" /></button>
      </div>
      <div class="panel-body stack">
        <div class="row">
          <Segments label="Show" options={[["changes", "What changed"], ["json", "JSON"]]} value={way} onChange={setWay} />
          <span class="grow" />
          <a class="button small" href={itemUrl(table, change.keys)}><Icon name="edit" />Item</a>
          {has("history") && <a class="button small" href={historyUrl(table, change.keys)}><Icon name="clock" />History</a>}
        </div>
        {way === "json" ? <Snippet text={JSON.stringify({ Keys: change.keys, OldImage: before, NewImage: after }, null, 2)} label="The change as JSON" /> : <Images table={table} shown={shown} />}
        <p class="quiet small">{bytes(change.bytes)} · sequence number <code class="tail-key">{change.sequence}</code></p>
      </div>
    </section>
  );
}

/** A change of a value that is hidden is said, and the value is not. */
function differencesOf({ change, before, after, names }: ShownChange): Difference[] {
  const visible = changesOf(before!, after!);
  const hidden = names.filter((name) => [before![name], after![name]].some((value) => value && "S" in value && value.S === mask) && !visible.some(({ path }) => path[0] === name));
  return [...visible, ...hidden.map((name) => ({ path: [name], before: change.before![name] && { S: mask }, after: change.after![name] && { S: mask } }))];
}

function Images({ table, shown }: { table: TableInfo; shown: ShownChange }) {
  const { change, before, after } = shown;
  if (before && after) return <Diff changes={differencesOf(shown)} label="What changed" />;
  const image = after ?? before;
  const words = change.event === "INSERT" ? "The item was created." : change.event === "REMOVE" ? (change.hasExpired ? "The item has expired." : "The item was deleted.") : "The item was changed.";
  return (
    <>
      <p class="quiet small">{words} {image ? (change.event === "REMOVE" || !after ? "This is what it was." : "This is what it is then.") : "The stream shows keys only."}</p>
      <Attributes table={table} item={image ?? change.keys} />
    </>
  );
}
