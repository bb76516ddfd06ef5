// The parameters of patterns and operations: what is typed for them, and the values that it stands for.
import type { Parameter } from "../api";
import { Exact } from "../exact";

/** What is typed, by the names of the parameters. An empty text is a parameter that is left out. */
export type Draft = Record<string, string>;
export type Kind = "choice" | "boolean" | "number" | "time" | "date" | "json" | "text";
type Typed = Pick<Parameter, "name" | "type" | "required"> & { values?: string[] };

export function kindOf({ type, values }: Typed): Kind {
  if (/^(list|set)</.test(type) || type === "map" || type === "any") return "json";
  if (values && values.length > 0) return "choice";
  if (type === "boolean" || type === "date") return type;
  if (/^(number|integer)|epoch/.test(type)) return "number";
  return type.startsWith("timestamp") ? "time" : "text";
}

const hints: Partial<Record<Kind, string>> = { time: "As 2024-01-31T12:00:00Z", json: "As JSON" };

/** Says what a parameter is, for the line below its field. */
export function hintOf(parameter: Typed & { doc?: string; default?: string }): string {
  const type = parameter.type === "string" || parameter.type === "enum" ? "" : parameter.type;
  const parts = [parameter.doc, hints[kindOf(parameter)] ?? type, parameter.default ? `Left empty, it is ${parameter.default}` : "", parameter.required ? "" : "Optional"];
  return parts.filter(Boolean).map((part) => part!.replace(/\.$/, "")).join(". ");
}

const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns why a text is no value of a parameter; undefined if it is one, as far as the page can tell. */
export function wrongOf(parameter: Typed, text: string): string | undefined {
  const typed = text.trim();
  if (typed === "") return parameter.required ? "This parameter is required" : undefined;
  const kind = kindOf(parameter);
  if (kind === "number" && !isNumber.test(typed)) return "This is not a number";
  if (kind === "number" && parameter.type === "integer" && /[.eE]/.test(typed)) return "This is not an integer";
  if (kind === "json" && !isJson(typed)) return "This is not JSON";
  return undefined;
}

/** JSON text as it was typed: it is sent with all its digits. */
class Written extends Exact {}

/** Returns the value that a text stands for; undefined if the parameter is left out. */
function valueOf(parameter: Typed, text: string): unknown {
  const kind = kindOf(parameter);
  if (text.trim() === "") return undefined;
  if (kind === "number" || kind === "json") return new Written(text.trim());
  return kind === "boolean" ? text === "true" : text;
}

/** Returns the parameters of a form that have values. Those that are wrong are left out. */
export function valuesOf(parameters: readonly Typed[], draft: Draft): Record<string, unknown> {
  const given = parameters.filter((one) => (draft[one.name] ?? "") !== "" && !wrongOf(one, draft[one.name] ?? ""));
  return Object.fromEntries(given.map((one) => [one.name, valueOf(one, draft[one.name]!)]));
}

export const isComplete = (parameters: readonly Typed[], draft: Draft): boolean => parameters.every((one) => !wrongOf(one, draft[one.name] ?? ""));
