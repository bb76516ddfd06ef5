// The values of a statement's question marks, as somebody types them.
import { parseJson } from "../db/json";
import { readValue } from "../db/json_items";
import { typed } from "../db/typed";
import { type Type, type Value, typeNames } from "../db/value";

export interface Parameter {
  type: "S" | "N" | "B" | "BOOL" | "NULL" | "JSON"; // JSON: DynamoDB's, for sets, lists and maps
  text: string;
}

export const firstParameter: Parameter = { type: "S", text: "" };

/** Reads a parameter. Fails with words for the person. */
export const valueOf = ({ type, text }: Parameter): Value => (type === "JSON" ? readValue(parseJson(text)) : typed(type, text));

export function problemOf(parameter: Parameter): string | undefined {
  try {
    valueOf(parameter);
    return undefined;
  } catch (why) {
    return (why as Error).message;
  }
}

const types: Parameter["type"][] = ["S", "N", "B", "BOOL", "NULL", "JSON"];
const placeholders: Partial<Record<Parameter["type"], string>> = { S: "text", N: "number", B: "base64 or 0x…", JSON: '{"SS": ["a", "b"]}' };

interface FieldProps {
  name: string; // what the value is called: "Parameter 1", ":price"
  mark: string; // what stands for it in the text
  value: Parameter;
  onChange: (value: Parameter) => void;
}

export function ParameterField({ name, mark, value, onChange }: FieldProps) {
  const wrong = value.text === "" && value.type !== "JSON" && value.type !== "N" ? undefined : problemOf(value);
  return (
    <span class="joined parameter" role="group" aria-label={name}>
      <span class="name">{mark}</span>
      <select aria-label={`${name}: type`} value={value.type} onChange={(e) => onChange({ type: e.currentTarget.value as Parameter["type"], text: e.currentTarget.value === "BOOL" ? "true" : value.text })}>
        {types.map((type) => <option key={type} value={type}>{type === "JSON" ? "DynamoDB JSON" : typeNames[type as Type]}</option>)}
      </select>
      {value.type === "BOOL" ? (
        <select aria-label={name} value={value.text} onChange={(e) => onChange({ ...value, text: e.currentTarget.value })}><option>true</option><option>false</option></select>
      ) : value.type !== "NULL" && (
        <input
          class="mono" aria-label={name} aria-invalid={wrong ? "true" : undefined} title={wrong} placeholder={placeholders[value.type]} value={value.text} spellcheck={false} autocomplete="off"
          onInput={(e) => onChange({ ...value, text: e.currentTarget.value })}
        />
      )}
    </span>
  );
}
