// Designs, lenses and /v1 as the console's server answers them (docs/CONSOLE.md). Numbers of fields keep their digits.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Item } from "../db/value";
import { Refused, isReadOnly, send } from "../session";
import { exactText, parseExact } from "./exact";

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
  doc?: string;
  values?: string[];
  default?: string; // the rule that computes it
}

export interface Pattern {
  name: string;
  title: string;
  doc: string;
  kind: string; // get, query, scan, union, aggregate; none: no request serves it
  index: string;
  entity?: string;
  planned: boolean;
  parameters: Parameter[];
}

export interface Operation {
  name: string;
  title: string;
  doc: string;
  parameters: Parameter[];
  refusals?: string[];
}

export interface Transition {
  name: string;
  title: string;
  doc: string;
  from: string[];
  to: string;
}

export interface Lifecycle {
  name: string;
  states: { name: string; title: string; doc: string; initial: boolean; terminal: boolean; stuckAfter: number | null }[];
  transitions: Transition[];
}

export interface Entity {
  name: string;
  title: string;
  doc: string;
  key: Record<string, string>;
  indexes: Record<string, { hash: string; range?: string | null }>;
  fields: { name: string; type: string; doc: string; required: boolean; sensitive: boolean; derived: boolean }[];
  lifecycles: Lifecycle[];
}

/** An error or a lint, as `tavola design check --format json` prints it. */
export interface Finding {
  severity: "error" | "lint";
  code: string;
  message: string;
  why: string;
  advice: string;
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
}

export interface Adoption {
  running: boolean;
  doing?: string;
  items?: number;
  expected?: number; // 0: unknown
  failure?: string;
  complete?: boolean;
  report?: string;
}

/** The items of a table on their way to another one (docs/MIGRATE.md). */
export interface Migration {
  oldTable?: string;
  newTable?: string;
  from?: string;
  to?: string;
  copying: boolean;
  stopped: boolean;
  copied: number;
  checked: number;
  items: number;
  newItems: number;
  differences: number;
  samples: { key: string; why: string }[];
}

export interface Governance {
  enforce?: "strict" | "warn" | "off";
  adopting?: boolean;
  adoption?: Adoption;
  unchecked?: { since: string; checking: boolean };
  broken: { rule: string; writes: number; key: Item }[];
  stuck: number;
  stuckItems: { since: string; entity: string; fields?: Record<string, unknown> }[];
  unfinished: number;
  migration?: Migration | null;
}

export interface Design {
  name: string;
  table: string;
  title: string;
  doc: string;
  file: string;
  text: string;
  docs: string; // Markdown
  cases?: string; // the text of its test cases, if the server knows them
  entities: Entity[];
  patterns: Pattern[];
  operations: Operation[];
  lints: Finding[];
  governance: Governance;
}

export interface DesignLine {
  name: string;
  table: string;
  title: string;
  enforce: string;
  state: string;
  progress: Adoption | null;
}

/** An operation that the design refused, by name; nothing has changed. */
export class NamedRefusal extends Refused {
  readonly refusal: string;
  readonly parameter: string | undefined;
  constructor(status: number, problem: { detail?: string; title?: string; refusal?: string; parameter?: string }) {
    super(status, problem.detail ?? problem.title ?? `The server answered ${status}`);
    this.refusal = problem.refusal ?? "";
    this.parameter = problem.parameter;
  }
}

interface Options {
  signal?: AbortSignal;
  sensitive?: "masked" | "shown"; // what lenses do with sensitive values
}

/** Asks an address of the console or of /v1, without a body by GET. Every number of the question and of the answer keeps its digits. */
export async function askExactly<T>(path: string, body?: unknown, { signal }: Options = {}): Promise<T> {
  const options = signal ? { signal } : {};
  const sent = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: exactText(body) };
  const answer = await send(new Request(new URL(path, location.origin), { ...sent, ...options }));
  const text = await answer.text();
  const content = answer.headers.get("Content-Type")?.includes("json") && text !== "" ? parseExact(text) : undefined;
  if (!answer.ok) throw new NamedRefusal(answer.status, (content as object | undefined) ?? {});
  return content as T;
}

const named = encodeURIComponent;
export const look = <T>(design: string, lens: string, question: object, options?: Options): Promise<T> => askExactly(`/console/lens/${named(design)}/${lens}${options?.sensitive === "shown" ? "?sensitive=shown" : ""}`, question, options);
/** Asks what is about one design: `part` is "traffic", "drift", … */
export const askDesign = <T>(design: string, part: string, body?: object, options?: Options): Promise<T> => askExactly(`/console/designs/${named(design)}/${part}`, body, options);
export const askDesigns = <T>(part: string, body: object, options?: Options): Promise<T> => askExactly(`/console/designs/${part}`, body, options);
export const listDesigns = async (): Promise<DesignLine[]> => (await askExactly<{ designs: DesignLine[] }>("/console/designs")).designs;

export const designUrl = (design: string, part = ""): string => `/d/${named(design)}${part && `/${part}`}`;
export const itemUrl = (table: string, key: Item): string => `/t/${named(table)}/item?key=${named(JSON.stringify(key))}`;

/** Performs an operation under /v1. */
export async function perform(design: string, operation: string, parameters: object): Promise<unknown> {
  if (isReadOnly.peek()) throw new Error("This console is read-only. The switch is at the end of the navigation.");
  return askExactly(`/v1/${named(design)}/${named(operation)}`, parameters);
}

const known = signal<ReadonlyMap<string, Design>>(new Map());
/** Returns a design as it was asked for last; undefined before. */
export const knownDesign = (name: string): Design | undefined => known.value.get(name);

export async function loadDesign(name: string): Promise<Design> {
  const design = await askExactly<Design>(`/console/designs/${named(name)}`);
  known.value = new Map(known.peek()).set(name, design);
  return design;
}

/** The design as all its views share it; it is asked for again whenever a view of it opens. */
export function useDesign(name: string): { design: Design | undefined; error: Error | undefined; again: () => void } {
  const [error, setError] = useState<Error>();
  const again = (): void => void loadDesign(name).then(() => setError(undefined), setError);
  useEffect(again, [name]);
  return { design: known.value.get(name), error, again };
}
