// The form of an item: a line for each value, with its name and type; maps, lists and sets have their parts below them.
import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { pathText } from "../db/placeholders";
import { type Type, typeNames } from "../db/value";
import { plural } from "../format";
import { BinaryField } from "./binary";
import { type Node, type Part, type Problems, elementTypes, emptyNode, hasParts, retyped } from "./draft";

export interface Form {
  problems: Problems;
  keys: ReadonlySet<string>; // attributes of the table's key
  areKeysFixed: boolean;
  computed: ReadonlyMap<string, string>; // attributes that the design computes, with why
  hidden: ReadonlySet<string>; // attributes whose values are sensitive, and not shown
  isReadOnly: boolean;
  change: (id: number, change: (node: Node) => Node | undefined) => void;
}

export const FormContext = createContext<Form | undefined>(undefined);
const useForm = (): Form => useContext(FormContext)!;

type Path = readonly (string | number)[];
const types = Object.keys(typeNames) as Type[];
const shownMost = 100; // parts of one list, map or set that are drawn before somebody asks for more

let focused = 0; // the node that was added last: its first field gets the focus

function useFocus(id: number): { current: HTMLElement | null } {
  const line = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (focused !== id) return; // at once: somebody may be typing already
    focused = 0;
    line.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, []);
  return line;
}

/** The parts of a map, list or set, and a button for one more. */
export function Parts({ node, path, rootName = "attribute" }: { node: Node; path: Path; rootName?: string }) {
  const { change, isReadOnly } = useForm();
  const [most, setMost] = useState(shownMost);
  const word = path.length === 0 ? rootName : node.type === "M" ? "member" : "element";
  const add = (): void => {
    const part = { name: "", node: emptyNode(elementTypes[node.type] ?? "S") };
    focused = part.node.id;
    setMost((now) => Math.max(now, node.parts.length + 1));
    change(node.id, (now) => ({ ...now, parts: [...now.parts, part] }));
  };
  const where = pathText(path);
  return (
    <div class={path.length === 0 ? "fields" : "fields inner"}>
      {node.parts.slice(0, most).map((part, at) => <Line key={part.node.id} part={part} parent={node} at={at} path={[...path, node.type === "M" ? part.name : at]} />)}
      <div class="fields-end">
        {node.parts.length > most && <button class="button small" type="button" onClick={() => setMost(most + 1000)}>Show {plural(Math.min(1000, node.parts.length - most), "more", "more")} of {node.parts.length}</button>}
        {!isReadOnly && <button class="button plain small" type="button" aria-label={where ? `Add: ${word} of ${where}` : `Add: ${word}`} onClick={add}><Icon name="plus" />Add {word}</button>}
      </div>
    </div>
  );
}

interface LineProps {
  part: Part;
  parent: Node;
  at: number;
  path: Path;
}

/** A line of the form. The label of each of its fields begins with the path of the value. */
function Line({ part, parent, at, path }: LineProps) {
  const form = useForm();
  const { node } = part;
  const line = useFocus(node.id);
  const name = String(path[0]);
  const isKey = path.length === 1 && form.keys.has(name);
  const isHidden = path.length === 1 && form.hidden.has(name);
  const isFixed = form.isReadOnly || isHidden || (isKey && form.areKeysFixed);
  const computed = path.length === 1 ? form.computed.get(name) : undefined;
  const problem = form.problems.get(node.id);
  const isAwaited = isKey && node.text === "" && !form.areKeysFixed; // nobody has typed it yet
  const label = pathText(path) || "New attribute";
  const isElement = parent.type in elementTypes;
  const remove = (): void => form.change(parent.id, (now) => ({ ...now, parts: now.parts.filter((one) => one.node.id !== node.id) }));
  return (
    <div class={`line ${hasParts(node.type) ? "has-parts" : ""} ${isElement ? "is-element" : ""}`} ref={line as never} {...(hasParts(node.type) ? { role: "group", "aria-label": label } : {})} data-attribute={path.length === 1 ? name : undefined}>
      <Name part={part} parent={parent} at={at} label={label} isFixed={isFixed} isKey={isKey} />
      {!isElement && <TypeChoice node={node} label={label} isFixed={isFixed} />}
      <div class="line-value">
        {isHidden ? <span class="line-note quiet"><Icon name="hidden" /> Sensitive, and not shown</span> : <Content node={node} label={label} isFixed={isFixed} problem={isAwaited ? undefined : problem} />}
        {computed && <span class="hint small"><Icon name="shape" />{computed}</span>}
        {problem && <span class={isAwaited ? "quiet small" : "wrong small"} id={`problem-${node.id}`} role={isAwaited ? undefined : "alert"}>{isAwaited ? "A key needs a value" : problem}</span>}
      </div>
      <div class="line-end">
        {parent.type === "L" && !form.isReadOnly && <Moves parent={parent} at={at} label={label} />}
        {!isFixed && <button class="button plain small" type="button" aria-label={`${label}: remove`} title="Remove" onClick={remove}><Icon name="close" /></button>}
      </div>
      {hasParts(node.type) && !isHidden && <Parts node={node} path={path} />}
    </div>
  );
}

function Name({ part, parent, at, label, isFixed, isKey }: { part: Part; parent: Node; at: number; label: string; isFixed: boolean; isKey: boolean }) {
  const { change } = useForm();
  const rename = (name: string): void => change(parent.id, (now) => ({ ...now, parts: now.parts.map((one) => (one.node.id === part.node.id ? { ...one, name } : one)) }));
  if (parent.type === "L") return <span class="line-name is-place number">{at}</span>;
  if (parent.type !== "M") return null;
  if (isFixed || isKey) return <span class={`line-name mono ${isKey ? "is-key" : ""}`} title={isKey ? "An attribute of the table's key" : undefined}>{part.name}</span>;
  return <input class="line-name mono" aria-label={`${label}: name`} placeholder="name" value={part.name} spellcheck={false} autocomplete="off" onInput={(e) => rename(e.currentTarget.value)} />;
}

function TypeChoice({ node, label, isFixed }: { node: Node; label: string; isFixed: boolean }) {
  const { change } = useForm();
  if (isFixed) return <span class="line-type quiet small">{typeNames[node.type]}</span>;
  return (
    <select class="line-type" aria-label={`${label}: type`} value={node.type} onChange={(e) => change(node.id, (now) => retyped(now, e.currentTarget.value as Type))}>
      {types.map((type) => <option key={type} value={type}>{typeNames[type]}</option>)}
    </select>
  );
}

function Moves({ parent, at, label }: { parent: Node; at: number; label: string }) {
  const { change } = useForm();
  const swap = (from: number): void =>
    change(parent.id, (now) => {
      const parts = [...now.parts];
      [parts[from], parts[from + 1]] = [parts[from + 1]!, parts[from]!];
      return { ...now, parts };
    });
  return (
    <>
      <button class="button plain small" type="button" aria-label={`${label}: move up`} title="Move up" disabled={at === 0} onClick={() => swap(at - 1)}>↑</button>
      <button class="button plain small" type="button" aria-label={`${label}: move down`} title="Move down" disabled={at + 1 >= parent.parts.length} onClick={() => swap(at)}>↓</button>
    </>
  );
}

function Content({ node, label, isFixed, problem }: { node: Node; label: string; isFixed: boolean; problem: string | undefined }) {
  const { change } = useForm();
  const say = (text: string): void => change(node.id, (now) => ({ ...now, text }));
  const about = { "aria-label": label, "aria-invalid": problem ? ("true" as const) : undefined, "aria-describedby": problem ? `problem-${node.id}` : undefined, readOnly: isFixed };
  switch (node.type) {
    case "S":
      return <textarea {...about} rows={1} value={node.text} spellcheck={false} placeholder="empty" onInput={(e) => say(e.currentTarget.value)} />;
    case "N":
      return <input {...about} class="mono" inputMode="decimal" value={node.text} autocomplete="off" onInput={(e) => say(e.currentTarget.value)} />;
    case "BOOL":
      return (
        <label class="switch">
          <input type="checkbox" role="switch" aria-label={label} checked={node.text === "true"} disabled={isFixed} onChange={(e) => say(String(e.currentTarget.checked))} />
          <span class="mono">{node.text}</span>
        </label>
      );
    case "NULL":
      return <span class="line-note quiet mono">null</span>;
    case "B":
      return <BinaryField {...about} text={node.text} onChange={say} />;
    default:
      return <span class="line-note quiet">{node.parts.length === 0 ? "empty" : plural(node.parts.length, node.type === "M" ? "member" : "element")}</span>;
  }
}
