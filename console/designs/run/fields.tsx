// A form made from parameters: each has a field of its type.
import { Field, type FieldIds } from "web/ui/form";
import type { Parameter } from "../api";
import { type Draft, hintOf, kindOf, wrongOf } from "./parameters";
import type { Suggestions } from "./suggestions";

type Shown = Pick<Parameter, "name" | "type" | "required"> & Partial<Parameter>;

interface Props {
  parameters: readonly Shown[];
  draft: Draft;
  isChecked: boolean; // missing ones are named only after somebody tried to send the form
  onChange: (draft: Draft) => void;
  suggestions?: Suggestions;
  refused?: { parameter: string | undefined; reason: string } | undefined;
}

export function ParameterFields({ parameters, draft, isChecked, onChange, suggestions, refused }: Props) {
  return (
    <div class="form parameters">
      {parameters.map((one) => {
        const text = draft[one.name] ?? "";
        const wrong = refused?.parameter === one.name ? refused.reason : isChecked || text !== "" ? wrongOf(one, text) : undefined;
        return (
          <Field key={one.name} label={`${one.name}${one.required ? "" : " (optional)"}`} hint={hintOf({ ...one, required: true })} wrong={wrong} whole={kindOf(one) === "json"}>
            {(ids) => <Input parameter={one} text={text} ids={ids} values={suggestions?.get(one.name) ?? []} onChange={(next) => onChange({ ...draft, [one.name]: next })} />}
          </Field>
        );
      })}
    </div>
  );
}

interface InputProps {
  parameter: Shown;
  text: string;
  ids: FieldIds;
  values: readonly string[]; // to choose from; others are taken, too
  onChange: (text: string) => void;
}

function Input({ parameter, text, ids, values, onChange }: InputProps) {
  const kind = kindOf(parameter);
  const typed = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  const common = { ...ids, name: parameter.name, value: text, onInput: typed, "aria-required": parameter.required };
  if (kind === "choice" || kind === "boolean") {
    return (
      <select {...common} onChange={typed}>
        <option value="">{parameter.required ? "Choose" : "–"}</option>
        {(kind === "boolean" ? ["true", "false"] : parameter.values ?? []).map((value) => <option key={value} value={value}>{value}</option>)}
      </select>
    );
  }
  if (kind === "json") return <textarea {...common} class="mono" rows={3} spellcheck={false} placeholder={parameter.type.startsWith("map") ? "{}" : '["…"]'} />;
  if (kind === "time") {
    return (
      <span class="joined">
        <input {...common} spellcheck={false} autocomplete="off" placeholder="2024-01-31T12:00:00Z" />
        <button class="button small" type="button" aria-label={`${parameter.name}: now`} onClick={() => onChange(new Date().toISOString().replace(/\.\d+Z$/, "Z"))}>Now</button>
      </span>
    );
  }
  const list = `${ids.id}-values`;
  return (
    <>
      <input {...common} {...(kind === "date" ? { type: "date" } : {})} {...(kind === "number" ? { inputMode: "decimal" as const } : {})} {...(values.length > 0 ? { list } : {})} spellcheck={false} autocomplete="off" />
      {values.length > 0 && <datalist id={list}>{values.map((value) => <option key={value} value={value} />)}</datalist>}
    </>
  );
}
