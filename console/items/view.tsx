// One item: a form by type or DynamoDB's JSON, both of one draft; what changes, and the request that it will be.
import { useEffect, useState } from "preact/hooks";
import { go } from "web/route";
import { Confirm } from "web/ui/dialog";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { itemUrl, keyIn, keyText } from "../db/key";
import type { TableInfo } from "../db/tables";
import { type Item, itemSize } from "../db/value";
import { bytes } from "../format";
import { useKey } from "../keys";
import { type ViewProps, tableUrl } from "../routes";
import { designOf, has, isReadOnly } from "../session";
import { ItemLenses } from "../lens/item_lenses";
import { SensitiveSwitch, useSensitive } from "../lens/sensitive";
import { KnownTable } from "../tables/known_table";
import { computedOf, loadDesignOf, secretsOf } from "./computed";
import { Conflict } from "./conflict";
import { type Editing, type Subject, keyNames, keyWords, useEditing } from "./editing";
import { FormContext, Parts } from "./fields";
import { JsonField } from "./json_field";
import { Review } from "./review";
import { undo } from "./undo";

export default function ItemView({ params, query }: ViewProps) {
  const name = params["table"] ?? "";
  useEffect(() => void loadDesignOf(name).catch(() => undefined), [name]);
  const subject = { key: keyIn(query, "key"), copy: keyIn(query, "copy") };
  const id = `${name} ${JSON.stringify(subject)}`;
  return <KnownTable name={name}>{(table) => <ItemEditor key={id} id={id} table={table} subject={subject} />}</KnownTable>;
}

function ItemEditor({ id, table, subject }: { id: string; table: TableInfo; subject: Subject }) {
  const editing = useEditing(table, subject, id);
  const [way, setWay] = useState<"form" | "json">("form");
  const sensitive = useSensitive();
  const { staged } = editing;
  const save = async (): Promise<void> => {
    const written = await editing.save();
    if (written && !subject.key) go(itemUrl(table, written), "replace");
  };
  useKey("mod+s", "Save the item", () => void save());
  useKey("u", "Undo the last change", () => void undo());
  if (!staged) return editing.error ? <Problem error={editing.error} again={editing.reload} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  const isGone = subject.key !== undefined && !staged.base && !editing.theirs && editing.changes.length <= keyNames(table).length;
  const secrets = staged.base ? secretsOf(table, staged.base) : new Set<string>();
  const hidden = sensitive.isShown ? new Set<string>() : secrets;
  return (
    <div class="item-page">
      <ItemHead table={table} subject={subject} editing={editing} />
      {editing.theirs && !staged.base && <Taken table={table} theirs={editing.theirs.item} />}
      {editing.theirs && staged.base && !editing.theirs.isDelete && <Conflict table={table} base={staged.base} theirs={editing.theirs.item} mine={editing.item} onMerged={editing.stage} />}
      {editing.theirs?.isDelete && <NotDeleted editing={editing} />}
      {isGone && <NotThere table={table} subjectKey={subject.key!} />}
      <div class="item-columns">
        <section class="panel item-form" aria-label="Attributes">
          <div class="panel-head">
            <Segments label="Edit as" options={[["form", "Form"], ["json", "DynamoDB JSON"]]} value={way} onChange={(next) => staged.text === undefined && setWay(next)} />
            <span class="grow" />
            <SensitiveSwitch sensitive={sensitive} names={[...secrets]} />
            <span class="quiet small">{bytes(itemSize(editing.item))}</span>
          </div>
          {way === "form" ? <ItemForm table={table} editing={editing} isNew={!staged.base} hidden={hidden} /> : hidden.size > 0 ? <p class="quiet panel-body">The JSON of this item has sensitive values: {[...hidden].join(", ")}. Show them to see it.</p> : <JsonField editing={editing} />}
        </section>
        <Review editing={editing} isNew={!staged.base} onSave={() => void save()} />
      </div>
      {staged.base && subject.key && designOf(table.TableName) !== undefined && has("lenses") && (
        <section class="panel panel-body" aria-label="Through the design"><ItemLenses key={JSON.stringify(staged.base)} table={table.TableName} itemKey={subject.key} /></section>
      )}
    </div>
  );
}

function ItemForm({ table, editing, isNew, hidden }: { table: TableInfo; editing: Editing; isNew: boolean; hidden: ReadonlySet<string> }) {
  const keys = new Set(keyNames(table));
  const form = { problems: editing.problems, keys, areKeysFixed: !isNew, computed: computedOf(table, editing.item), hidden, isReadOnly: isReadOnly.value, change: editing.change };
  const draft = editing.staged!.draft;
  const problem = editing.problems.get(draft.id);
  return (
    <FormContext.Provider value={form}>
      <Parts node={draft} path={[]} />
      {problem && <p class="wrong small panel-body" role="alert">{problem}</p>}
    </FormContext.Provider>
  );
}

function ItemHead({ table, subject, editing }: { table: TableInfo; subject: Subject; editing: Editing }) {
  const [isDeleting, setDeleting] = useState(false);
  const base = editing.staged?.base;
  const remove = async (): Promise<void> => {
    if (await editing.remove()) go(tableUrl(table.TableName));
  };
  const with_ = (view: string, query: string): string => `/t/${encodeURIComponent(table.TableName)}/${view}?${query}=${encodeURIComponent(keyText(table, base ?? subject.key ?? {}))}`;
  return (
    <div class="item-head">
      <a class="quiet" href={tableUrl(table.TableName)}>{table.TableName}</a>
      <div class="row">
        <h1 class="mono grow">{subject.key ? keyWords(table, subject.key) : "New item"}</h1>
        <span class="actions-row">
          {subject.key && has("history") && <a class="button small" href={with_("history", "key")}><Icon name="clock" />History</a>}
          {base && !isReadOnly.value && <a class="button small" href={with_("item", "copy")}><Icon name="copy" />Duplicate</a>}
          {base && !isReadOnly.value && <button class="button small danger" type="button" onClick={() => setDeleting(true)}><Icon name="trash" />Delete</button>}
        </span>
      </div>
      {isDeleting && <Confirm title="Delete this item" text={`${keyWords(table, base!)} will be deleted from ${table.TableName}, if nobody has changed it since it was read. It can be undone as long as this page is open.`} yes="Delete" onYes={() => void remove()} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function Taken({ table, theirs }: { table: TableInfo; theirs: Item | undefined }) {
  return (
    <div class="notice bad" role="alert">
      <span class="grow">There is already an item with this key. Nothing was written.</span>
      {theirs && <a class="button small" href={itemUrl(table, theirs)}>Open that item</a>}
    </div>
  );
}

function NotDeleted({ editing }: { editing: Editing }) {
  const { item } = editing.theirs!;
  return (
    <div class="notice bad" role="alert">
      <span class="grow">{item ? "The item was not deleted: somebody changed it since it was read." : "Somebody else has deleted the item already."}</span>
      <button class="button small" type="button" onClick={() => editing.reload()}>{item ? "Show it as it is now" : "Read it again"}</button>
    </div>
  );
}

function NotThere({ table, subjectKey }: { table: TableInfo; subjectKey: Item }) {
  return (
    <Empty icon="search" title="There is no item with this key">
      <p>{keyWords(table, subjectKey)} is not in {table.TableName}, or it was deleted. It can be written with the form below.</p>
    </Empty>
  );
}
