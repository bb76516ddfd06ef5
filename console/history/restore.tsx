// Brings an item back to a version: what changes is shown first, and it is written only if nobody changes the item meanwhile.
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Icon } from "web/ui/icons";
import { Code } from "../browse/code";
import { keyOf } from "../db/key";
import type { TableInfo } from "../db/tables";
import type { Item } from "../db/value";
import { Attributes } from "../browse/attributes";
import { changesOf } from "../items/changes";
import { Diff } from "../items/diff";
import { keyWords } from "../items/editing";
import { Collision, read, requestBetween, write } from "../items/requests";
import { noteDone } from "../items/undo";
import { isReadOnly } from "../session";
import type { Seen } from "./api";

export function RestoreButton({ table, version, name }: { table: TableInfo; version: Seen | null; name: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!version || isReadOnly.value) return null;
  if ((version.masked ?? []).length > 0) return <p class="quiet small">To restore it, show the sensitive values first: they are a part of it.</p>;
  return (
    <>
      <div class="row"><button class="button" type="button" onClick={() => setOpen(true)}><Icon name="refresh" />{name}</button></div>
      {isOpen && <Restore table={table} item={version.item} onClose={() => setOpen(false)} />}
    </>
  );
}

function Restore({ table, item, onClose }: { table: TableInfo; item: Item; onClose: () => void }) {
  const [now, setNow] = useState<{ item: Item | undefined }>();
  const [problem, setProblem] = useState("");
  const [asked, setAsked] = useState(0);
  const fail = (why: Error): void => setProblem(why.message);
  useEffect(() => void read(table.TableName, keyOf(table, item)).then((found) => setNow({ item: found }), fail), [asked]);
  const request = now && requestBetween(table, now.item, item);
  const restore = async (): Promise<void> => {
    setProblem("");
    try {
      const written = (await write(request!)) ?? (await read(table.TableName, keyOf(table, item))) ?? item;
      noteDone({ name: `Restored ${keyWords(table, item)}`, table, before: now!.item, after: written });
      onClose();
    } catch (why) {
      if (!(why instanceof Collision)) return fail(why as Error);
      setProblem("Somebody changed the item meanwhile. Nothing was written; this is the difference to what it is now.");
      setAsked(asked + 1);
    }
  };
  return (
    <Dialog title={`Restore ${keyWords(table, item)}`} onClose={onClose}>
      <div class="stack wide">
        {problem && <div class="notice bad" role="alert">{problem}</div>}
        {!now && !problem && <div class="loading" role="progressbar" aria-label="Loading" />}
        {now && !request && <p>The item is like this already.</p>}
        {now && request && (
          <>
            {now.item ? <><p>This will change in the item as it is now:</p><Diff changes={changesOf(now.item, item)} /></> : <><p>The item is not there. It will be written as it was:</p><Attributes table={table} item={item} /></>}
            <details><summary>The request: {request.operation}</summary><Code request={request} /></details>
            <div class="form-end">
              <button class="button" type="button" onClick={onClose}>Cancel</button>
              <button class="button primary" type="button" onClick={() => void restore()}>Restore</button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
