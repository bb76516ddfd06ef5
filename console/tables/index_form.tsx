// The fields of keys and of an index, for a new table and for a table that gets one more.
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import type { KeyType } from "../db/value";
import type { IndexDraft, KeyAttribute } from "./draft";

const keyTypes: [KeyType, string][] = [["S", "string"], ["N", "number"], ["B", "binary"]];
const attributesMost = 4; // of each kind in the key of a global index

export function KeyField(props: { label: string; hint?: string; value: KeyAttribute; isRequired?: boolean; onChange: (value: KeyAttribute) => void; onRemove?: (() => void) | undefined }) {
  const { value, onChange } = props;
  return (
    <Field label={props.label} {...(props.hint ? { hint: props.hint } : {})}>
      {(id) => (
        <span class="joined">
          <input {...id} class="mono" value={value.name} required={props.isRequired} spellcheck={false} autocomplete="off" maxLength={255} onInput={(e) => onChange({ ...value, name: e.currentTarget.value })} />
          <select aria-label={`Type of the ${props.label.toLowerCase()}`} value={value.type} onChange={(e) => onChange({ ...value, type: e.currentTarget.value as KeyType })}>
            {keyTypes.map(([type, name]) => <option key={type} value={type}>{name}</option>)}
          </select>
          {props.onRemove && <button class="button plain" type="button" aria-label={`Remove the ${props.label.toLowerCase()}`} onClick={props.onRemove}><Icon name="close" /></button>}
        </span>
      )}
    </Field>
  );
}

function KeyFields(props: { label: string; list: KeyAttribute[]; most: number; onChange: (list: KeyAttribute[]) => void; least: number }) {
  const { list, onChange } = props;
  return (
    <div class="stack">
      {list.map((value, at) => (
        <KeyField
          key={at} label={list.length > 1 ? `${props.label} ${at + 1}` : props.label} value={value} isRequired
          onChange={(changed) => onChange(list.map((one, place) => (place === at ? changed : one)))}
          onRemove={list.length > props.least ? () => onChange(list.filter((_, place) => place !== at)) : undefined}
        />
      ))}
      {list.length < props.most && (
        <button class="button plain small start" type="button" onClick={() => onChange([...list, { name: "", type: "S" }])}>
          <Icon name="plus" />{list.length === 0 ? `Add a ${props.label.toLowerCase()}` : "Add an attribute"}
        </button>
      )}
    </div>
  );
}

export function IndexFields({ index, canBeLocal, onChange }: { index: IndexDraft; canBeLocal: boolean; onChange: (index: IndexDraft) => void }) {
  const change = (part: Partial<IndexDraft>): void => onChange({ ...index, ...part });
  const isLocal = index.scope === "local";
  const changeScope = (scope: IndexDraft["scope"]): void => change({ scope, ...(scope === "local" ? { sort: index.sort.length > 0 ? index.sort.slice(0, 1) : [{ name: "", type: "S" as const }] } : {}) });
  return (
    <div class="form">
      <Field label="Name of the index">{(id) => <input {...id} class="mono" value={index.name} required minLength={3} maxLength={255} pattern="[\w.\-]+" spellcheck={false} autocomplete="off" onInput={(e) => change({ name: e.currentTarget.value })} />}</Field>
      {canBeLocal && (
        <Field label="Kind" hint={isLocal ? "It has the partition key of the table, and is made with the table only" : "It has a partition key of its own"}>
          {(id) => (
            <select {...id} value={index.scope} onChange={(e) => changeScope(e.currentTarget.value as IndexDraft["scope"])}>
              <option value="global">global</option>
              <option value="local">local</option>
            </select>
          )}
        </Field>
      )}
      {!isLocal && <KeyFields label="Partition key" list={index.partition} least={1} most={attributesMost} onChange={(partition) => change({ partition })} />}
      <KeyFields label="Sort key" list={index.sort} least={isLocal ? 1 : 0} most={isLocal ? 1 : attributesMost} onChange={(sort) => change({ sort })} />
      <Field label="Attributes in the index">
        {(id) => (
          <select {...id} value={index.projection} onChange={(e) => change({ projection: e.currentTarget.value as IndexDraft["projection"] })}>
            <option value="ALL">all</option>
            <option value="KEYS_ONLY">keys only</option>
            <option value="INCLUDE">keys and some</option>
          </select>
        )}
      </Field>
      {index.projection === "INCLUDE" && <Field label="Which" hint="Names, separated by commas">{(id) => <input {...id} class="mono" value={index.included} required onInput={(e) => change({ included: e.currentTarget.value })} />}</Field>}
    </div>
  );
}
