// An item while somebody edits it: a tree whose leaves are text as it was typed, so that nothing is lost while it is no value yet. The form and
// the JSON beside it edit the same draft.
import { numberProblem } from "../db/number";
import { typedBinary } from "../db/typed";
import { type Item, type Type, type Value, base64Of, bytesOf, hexOf, itemSize } from "../db/value";

/** A value. `text` is what a leaf says: "true" and "false" for BOOL; base64, or hexadecimal digits after 0x, for B. `parts` are those of a list, map or set. */
export interface Node {
  id: number;
  type: Type;
  text: string;
  parts: readonly Part[];
}

export interface Part {
  name: string; // of a map's member; otherwise empty
  node: Node;
}

export const elementTypes: Partial<Record<Type, Type>> = { SS: "S", NS: "N", BS: "B" };
export const hasParts = (type: Type): boolean => type === "L" || type === "M" || type in elementTypes;

let lastId = 0;
export const emptyNode = (type: Type): Node => ({ id: ++lastId, type, text: type === "BOOL" ? "true" : "", parts: elementTypes[type] ? [{ name: "", node: emptyNode(elementTypes[type]!) }] : [] });
const leaf = (type: Type, text: string): Node => ({ id: ++lastId, type, text, parts: [] });
const branch = (type: Type, parts: Part[]): Node => ({ id: ++lastId, type, text: "", parts });

export function nodeOf(value: Value): Node {
  if ("S" in value) return leaf("S", value.S);
  if ("N" in value) return leaf("N", value.N);
  if ("B" in value) return leaf("B", value.B);
  if ("BOOL" in value) return leaf("BOOL", String(value.BOOL));
  if ("NULL" in value) return leaf("NULL", "");
  if ("M" in value) return draftOf(value.M);
  if ("L" in value) return branch("L", value.L.map((one) => ({ name: "", node: nodeOf(one) })));
  if ("SS" in value) return branch("SS", value.SS.map((one) => ({ name: "", node: leaf("S", one) })));
  if ("NS" in value) return branch("NS", value.NS.map((one) => ({ name: "", node: leaf("N", one) })));
  return branch("BS", value.BS.map((one) => ({ name: "", node: leaf("B", one) })));
}

/** Returns an item as a draft: a map, with `first` names before the others. */
export function draftOf(item: Item, first: readonly string[] = []): Node {
  const names = [...first.filter((name) => Object.hasOwn(item, name)), ...Object.keys(item).filter((name) => !first.includes(name)).sort()];
  return branch("M", names.map((name) => ({ name, node: nodeOf(item[name]!) })));
}

/** Returns the value of a node. It is one that the database takes if problemsOf has none. */
export function valueOf(node: Node): Value {
  const texts = (): string[] => node.parts.map((part) => part.node.text.trim());
  switch (node.type) {
    case "S": return { S: node.text };
    case "N": return { N: node.text.trim() };
    case "B": return { B: rewritten(node.text.trim(), "base64") };
    case "BOOL": return { BOOL: node.text === "true" };
    case "NULL": return { NULL: true };
    case "L": return { L: node.parts.map((part) => valueOf(part.node)) };
    case "M": return { M: itemOf(node) };
    case "SS": return { SS: node.parts.map((part) => part.node.text) };
    case "NS": return { NS: texts() };
    case "BS": return { BS: texts().map((text) => rewritten(text, "base64")) };
  }
}

export const itemOf = (draft: Node): Item => Object.fromEntries(draft.parts.map(({ name, node }) => [name, valueOf(node)]));

/** Returns the draft with one node changed; without it if `change` returns undefined. */
export function withChange(root: Node, id: number, change: (node: Node) => Node | undefined): Node {
  if (root.id === id) return change(root) ?? root;
  let isChanged = false;
  const parts = root.parts.flatMap((part) => {
    const node = part.node.id === id ? change(part.node) : withChange(part.node, id, change);
    isChanged ||= node !== part.node;
    return node ? [node === part.node ? part : { ...part, node }] : [];
  });
  return isChanged ? { ...root, parts } : root;
}

/** Returns a node as another type, with what it says if that type can say it. */
export function retyped(node: Node, type: Type): Node {
  const element = elementTypes[type];
  if (element || type === "L") {
    const parts = hasParts(node.type) ? node.parts.map((part) => part.node) : node.text === "" ? [] : [node];
    const changed = parts.map((part) => ({ name: "", node: element ? retyped(part, element) : part }));
    return { ...node, type, text: "", parts: changed.length === 0 && element ? [{ name: "", node: emptyNode(element) }] : changed };
  }
  if (type === "M") return { ...node, type, text: "", parts: node.parts.map((part, at) => ({ ...part, name: part.name || String(at) })) };
  const text = node.type === "B" && type === "S" ? textOfBinary(node.text) : node.type === "S" && type === "B" ? base64Of(new TextEncoder().encode(node.text)) : node.text;
  return { ...node, type, text: type === "BOOL" ? String(text !== "false") : type === "NULL" ? "" : text, parts: [] };
}

function textOfBinary(text: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(typedBinary(text.trim())));
  } catch {
    return text;
  }
}

/** Returns binary as the other of its two texts: base64, or hexadecimal digits after 0x. Text that is neither stays. */
export function rewritten(text: string, form: "hex" | "base64"): string {
  try {
    const base64 = typedBinary(text.trim());
    return form === "base64" ? base64 : `0x${hexOf(bytesOf(base64))}`;
  } catch {
    return text;
  }
}

export type Problems = ReadonlyMap<number, string>;

export interface KeyRule {
  type: Type;
  of: string; // "the partition key", "the index by-year"
  isRequired: boolean;
}

function leafProblem(node: Node): string | undefined {
  if (node.type === "N") return numberProblem(node.text);
  if (node.type !== "B") return undefined;
  try {
    typedBinary(node.text.trim());
    return undefined;
  } catch (why) {
    return (why as Error).message;
  }
}

const depthMost = 32; // levels of lists and maps that DynamoDB takes

/** Returns what keeps a draft from being an item, by the id of the node that is wrong. `rules` are those of key attributes. */
export function problemsOf(draft: Node, rules: ReadonlyMap<string, KeyRule>): Problems {
  const found = new Map<number, string>();
  const note = (node: Node, problem: string | undefined): unknown => problem !== undefined && !found.has(node.id) && found.set(node.id, problem);
  const visit = (node: Node, depth: number): void => {
    note(node, leafProblem(node));
    if (depth > depthMost) note(node, `Lists and maps are nested more than ${depthMost} levels deep`);
    if (node.type in elementTypes) noteSet(node, note);
    if (node.type === "M") noteNames(node, note);
    for (const part of node.parts) visit(part.node, depth + 1);
  };
  visit(draft, 0);
  for (const [name, rule] of rules) noteKey(draft, name, rule, note);
  return found;
}

type Note = (node: Node, problem: string | undefined) => unknown;

function noteSet(node: Node, note: Note): void {
  if (node.parts.length === 0) note(node, "A set has at least one element");
  const seen = new Set<string>();
  for (const part of node.parts) {
    const text = node.type === "SS" ? part.node.text : rewritten(part.node.text.trim(), "base64");
    note(part.node, seen.has(text) ? "This element is there twice" : undefined);
    seen.add(text);
  }
}

function noteNames(node: Node, note: Note): void {
  const seen = new Set<string>();
  for (const { name, node: part } of node.parts) {
    note(part, name === "" ? "The name is missing" : seen.has(name) ? `The name “${name}” is there twice` : undefined);
    seen.add(name);
  }
}

function noteKey(draft: Node, name: string, rule: KeyRule, note: Note): void {
  const part = draft.parts.find((one) => one.name === name);
  if (!part) return rule.isRequired ? void note(draft, `${name} is missing: it is ${rule.of}`) : undefined;
  if (part.node.type !== rule.type) note(part.node, `The type must be ${rule.type}: ${name} is in the key of ${rule.of}`);
  else if (part.node.text === "") note(part.node, `It must not be empty: ${name} is in the key of ${rule.of}`);
}

export const sizeMost = 400 * 1024;
export const sizeOfDraft = (draft: Node): number => itemSize(itemOf(draft));

/** Returns the id of the node at a path of names, or of the nearest one above it. */
export function nodeAt(draft: Node, path: readonly string[]): Node {
  const [name, ...more] = path;
  const part = draft.parts.find((one) => one.name === name);
  return part ? nodeAt(part.node, more) : draft;
}

