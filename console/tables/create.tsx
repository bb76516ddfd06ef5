// A new table: by a form, or by the request as JSON, which takes everything that CreateTable takes.
import { useState } from "preact/hooks";
import { go } from "web/route";
import { Field, Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Panel } from "web/ui/table";
import { say } from "web/ui/toast";
import { call } from "../db/call";
import { loadTables } from "../db/tables";
import { tableUrl } from "../routes";
import { isReadOnly } from "../session";
import { type TableDraft, emptyIndex, emptyTable, requestOf } from "./draft";
import { IndexFields, KeyField } from "./index_form";

type Way = "form" | "json";

export default function Create() {
  const [draft, setDraft] = useState<TableDraft>(emptyTable);
  const [way, setWay] = useState<Way>("form");
  const [text, setText] = useState("");
  const [ttl, setTtl] = useState("");
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<TableDraft>): void => setDraft({ ...draft, ...part });
  const choose = (next: Way): void => {
    if (next === "json") setText(JSON.stringify(requestOf(draft), null, 2));
    setWay(next);
  };
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setWrong("");
    try {
      const request = way === "form" ? requestOf(draft) : JSON.parse(text);
      await call("CreateTable", request);
      if (ttl && way === "form") await call("UpdateTimeToLive", { TableName: request.TableName, TimeToLiveSpecification: { AttributeName: ttl, Enabled: true } });
      await loadTables();
      say(`The table ${request.TableName} is there`);
      go(tableUrl(request.TableName));
    } catch (why) {
      setWrong((why as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="page narrow" onSubmit={(event) => void create(event)}>
      <div class="page-head">
        <h1>New table</h1>
        <Segments label="How" options={[["form", "Form"], ["json", "JSON"]]} value={way} onChange={choose} />
      </div>
      {way === "json" ? (
        <Panel>
          <Field label="The request (CreateTable)" hint="What the form does not have (tags, the class of the table) goes here, too.">
            {(id) => <textarea {...id} class="mono" rows={24} spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} />}
          </Field>
        </Panel>
      ) : (
        <>
          <KeysPanel draft={draft} change={change} />
          <IndexesPanel draft={draft} change={change} />
          <SettingsPanel draft={draft} change={change} ttl={ttl} setTtl={setTtl} />
        </>
      )}
      {wrong && <div class="notice bad" role="alert">{wrong}</div>}
      <div class="form-end">
        <a class="button" href="/">Cancel</a>
        <button class="button primary" type="submit" disabled={isBusy || isReadOnly.value} title={isReadOnly.value ? "The console is read-only" : undefined}>Create the table</button>
      </div>
    </form>
  );
}

interface Part {
  draft: TableDraft;
  change: (part: Partial<TableDraft>) => void;
}

function KeysPanel({ draft, change }: Part) {
  return (
    <Panel>
      <div class="form">
        <Field label="Name" hint="3 to 255 letters, digits, _ - and ." whole>
          {(id) => <input {...id} name="table" class="mono" value={draft.name} required minLength={3} maxLength={255} pattern="[\w.\-]+" spellcheck={false} autocomplete="off" autofocus onInput={(e) => change({ name: e.currentTarget.value })} />}
        </Field>
        <KeyField label="Partition key" hint="Items with the same value are stored together" value={draft.partition} isRequired onChange={(partition) => change({ partition })} />
        <KeyField label="Sort key" hint="Optional: orders the items of a partition" value={draft.sort} onChange={(sort) => change({ sort })} />
      </div>
    </Panel>
  );
}

function IndexesPanel({ draft, change }: Part) {
  return (
    <Panel
      title="Secondary indexes"
      end={<button class="button small" type="button" onClick={() => change({ indexes: [...draft.indexes, emptyIndex] })}><Icon name="plus" />Add an index</button>}
    >
      {draft.indexes.length === 0 && <p class="quiet">None. Global indexes can be added later, local ones only now.</p>}
      {draft.indexes.map((index, at) => (
        <fieldset key={at} class="part">
          <legend class="visually-hidden">Index {at + 1}</legend>
          <IndexFields index={index} canBeLocal={draft.sort.name !== ""} onChange={(changed) => change({ indexes: draft.indexes.map((one, place) => (place === at ? changed : one)) })} />
          <button class="button plain small danger" type="button" onClick={() => change({ indexes: draft.indexes.filter((_, place) => place !== at) })}><Icon name="trash" />Remove this index</button>
        </fieldset>
      ))}
    </Panel>
  );
}

function SettingsPanel({ draft, change, ttl, setTtl }: Part & { ttl: string; setTtl: (name: string) => void }) {
  const units = (label: string, name: "reads" | "writes") => (
    <Field label={label}>{(id) => <input {...id} type="number" min={1} value={draft[name]} onInput={(e) => change({ [name]: e.currentTarget.valueAsNumber })} />}</Field>
  );
  return (
    <Panel title="Settings">
      <div class="form">
        <Field label="Billing">
          {(id) => (
            <select {...id} value={draft.billing} onChange={(e) => change({ billing: e.currentTarget.value as TableDraft["billing"] })}>
              <option value="PAY_PER_REQUEST">on demand</option>
              <option value="PROVISIONED">provisioned</option>
            </select>
          )}
        </Field>
        {draft.billing === "PROVISIONED" && units("Read units", "reads")}
        {draft.billing === "PROVISIONED" && units("Write units", "writes")}
        <Field label="Stream" hint="Changes can be read for 24 hours">
          {(id) => (
            <select {...id} value={draft.stream} onChange={(e) => change({ stream: e.currentTarget.value as TableDraft["stream"] })}>
              <option value="">none</option>
              <option value="NEW_AND_OLD_IMAGES">new and old items</option>
              <option value="NEW_IMAGE">new items</option>
              <option value="OLD_IMAGE">old items</option>
              <option value="KEYS_ONLY">keys only</option>
            </select>
          )}
        </Field>
        <Field label="Time to live" hint="Optional: the attribute that says when an item expires">{(id) => <input {...id} class="mono" value={ttl} spellcheck={false} autocomplete="off" onInput={(e) => setTtl(e.currentTarget.value)} />}</Field>
        <label class="check">
          <input type="checkbox" checked={draft.isProtected} onChange={(e) => change({ isProtected: e.currentTarget.checked })} />Protect the table from deletion
        </label>
      </div>
    </Panel>
  );
}
