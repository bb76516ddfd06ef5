// The tab "Design" of a table: leads to the design that governs it. Where there is none, one is drafted from the items of the table.
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { Panel, Problem } from "web/ui/table";
import type { ViewProps } from "../routes";
import { designOf, has, session } from "../session";
import { Snippet } from "../snippet";
import { askDesigns, designUrl } from "./api";
import { draft } from "./edit/draft";

export default function DesignOfTable({ params }: ViewProps) {
  const table = params["table"] ?? "";
  const design = designOf(table);
  useEffect(() => void (design && go(designUrl(design), "replace")), [design]);
  if (design) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return <Ungoverned table={table} />;
}

function Ungoverned({ table }: { table: string }) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const infer = (): void => {
    setBusy(true);
    setError(undefined);
    askDesigns<{ text: string }>("infer", { table }).then((answer) => setText(answer.text), setError).finally(() => setBusy(false));
  };
  const open = (): void => {
    draft.value = text;
    go(`/designs/new?table=${encodeURIComponent(table)}`);
  };
  const endpoint = session.value?.endpoint ?? "";
  return (
    <div class="page narrow">
      <Panel title="No design governs this table">
        <div class="stack wide">
          <p>
            A design names the entities of a table, the patterns that read them and the operations that change them. With one, every write is checked and completed by the database, and this console shows
            entities instead of items: facets, the tree of keys, a board of states, and forms that run patterns.
          </p>
          <p class="quiet">A first design can be drafted from the items that are here: their keys tell the entities, and their values the fields. Nothing changes before you apply it.</p>
          {has("infer") ? (
            <div class="row"><button class="button primary" type="button" disabled={isBusy} onClick={infer}><Icon name="shape" />{isBusy ? "Reading the items …" : "Draft a design from the items"}</button></div>
          ) : (
            <Snippet text={`tavola design infer ${table} --endpoint ${endpoint} > ${table}.yaml\ntavola design apply ${table}.yaml --endpoint ${endpoint}`} label="The commands that draft and apply a design" />
          )}
          {error && <Problem error={error} again={infer} />}
        </div>
      </Panel>
      {text !== undefined && (
        <Panel title="The draft" end={<button class="button small" type="button" onClick={open}><Icon name="edit" />Edit and apply</button>}>
          <Snippet text={text} label="The draft of a design" />
        </Panel>
      )}
    </div>
  );
}
