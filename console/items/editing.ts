// The editing of one item: what was read, the draft, and what the database said about it. Drafts stay in the page when somebody looks at another view.
import { useEffect, useMemo, useState } from "preact/hooks";
import { keyOf } from "../db/key";
import { JsonError, parseJson } from "../db/json";
import { readItem } from "../db/json_items";
import { type TableInfo, indexesOf, typeOfKey } from "../db/tables";
import type { Item } from "../db/value";
import { bytes } from "../format";
import { type Change, changesOf, isSame, withChanges } from "./changes";
import { refusedAttribute } from "./computed";
import { type KeyRule, type Node, type Problems, draftOf, emptyNode, itemOf, problemsOf, sizeMost, sizeOfDraft, withChange } from "./draft";
import { Collision, type WriteRequest, read, requestBetween, write } from "./requests";
import { noteDone, writes } from "./undo";

/** The item that a URL is about: `key` of an item that exists, `copy` of one to begin with; neither: a new item. */
export interface Subject {
  key: Item | undefined;
  copy: Item | undefined;
}

export interface Staged {
  base: Item | undefined; // as it was read; undefined: it is not there
  draft: Node;
  text: string | undefined; // JSON that is no item yet
}

const kept = new Map<string, Staged>();

/** Leaving the page loses drafts, so the browser asks. */
addEventListener("beforeunload", (event) => kept.size > 0 && event.preventDefault());

export const keyNames = (table: TableInfo): string[] => table.KeySchema.map((key) => key.AttributeName);

/** Returns what the keys of the table and of its indexes demand of attributes. */
export function keyRules(table: TableInfo): Map<string, KeyRule> {
  const rules = new Map<string, KeyRule>();
  for (const index of indexesOf(table)) for (const { AttributeName } of index.KeySchema) rules.set(AttributeName, { type: typeOfKey(table, AttributeName), of: `the index ${index.IndexName}`, isRequired: false });
  for (const { AttributeName } of table.KeySchema) rules.set(AttributeName, { type: typeOfKey(table, AttributeName), of: "the table", isRequired: true });
  return rules;
}

function newDraft(table: TableInfo, copy: Item | undefined): Node {
  const draft = draftOf(copy ?? {}, keyNames(table));
  const missing = keyNames(table).filter((name) => !draft.parts.some((part) => part.name === name));
  return { ...draft, parts: [...missing.map((name) => ({ name, node: emptyNode(typeOfKey(table, name)) })), ...draft.parts] };
}

export interface Editing {
  staged: Staged | undefined;
  item: Item;
  changes: readonly Change[];
  problems: Problems;
  request: WriteRequest | undefined; // what would be sent
  error: Error | undefined;
  theirs: { item: Item | undefined; isDelete: boolean } | undefined; // after a collision
  note: readonly Change[]; // what else was different after the last write
  isBusy: boolean;
  change: (id: number, change: (node: Node) => Node | undefined) => void;
  type: (text: string) => void;
  stage: (base: Item | undefined, draft: Item) => void;
  reset: () => void;
  reload: () => void;
  save: () => Promise<Item | undefined>;
  remove: () => Promise<boolean>;
}

/** Reads the draft from JSON. Throws with a line, or with the attribute that is wrong. */
export const draftOfText = (table: TableInfo, text: string): Node => draftOf(readItem(parseJson(text)), keyNames(table));

function problemOfText(table: TableInfo, text: string, base: Item | undefined): string | undefined {
  try {
    const item = itemOf(draftOfText(table, text));
    const changed = base && keyNames(table).find((name) => !isSame(item[name], base[name]));
    return changed ? `${changed} is in the key of the item, which stays. Duplicate the item to write it under another key.` : undefined;
  } catch (why) {
    return why instanceof JsonError ? why.message : (why as Error).message;
  }
}

/** Reads the item of the URL, unless there is a draft of it. */
function useStaged(table: TableInfo, subject: Subject, id: string) {
  const [staged, setStaged] = useState<Staged | undefined>(kept.get(id));
  const [error, setError] = useState<Error>();
  const [asked, setAsked] = useState(0);
  const stage = (next: Staged): void => {
    const isChanged = next.text !== undefined || changesOf(next.base ?? {}, itemOf(next.draft)).length > 0;
    isChanged ? kept.set(id, next) : kept.delete(id);
    setStaged(next);
  };
  useEffect(() => {
    if (kept.has(id)) return;
    let isShown = true;
    const begin = async (): Promise<void> => {
      const found = subject.key ?? subject.copy ? await read(table.TableName, (subject.key ?? subject.copy)!) : undefined;
      if (!isShown || kept.has(id)) return;
      setError(undefined);
      const base = subject.key ? found : undefined;
      setStaged({ base, draft: base ? draftOf(base, keyNames(table)) : newDraft(table, found ?? subject.key), text: undefined });
    };
    begin().catch((why: Error) => isShown && setError(why));
    return () => void (isShown = false);
  }, [id, asked, writes.value]);
  return { staged, stage, error, drop: (): void => void kept.delete(id), again: () => (kept.delete(id), setAsked(asked + 1)) };
}

export function useEditing(table: TableInfo, subject: Subject, id: string): Editing {
  const { staged, stage, error: readError, drop, again } = useStaged(table, subject, id);
  const [error, setError] = useState<Error>();
  const [theirs, setTheirs] = useState<Editing["theirs"]>();
  const [note, setNote] = useState<readonly Change[]>([]);
  const [isBusy, setBusy] = useState(false);
  const item = useMemo(() => (staged ? itemOf(staged.draft) : {}), [staged]);
  const changes = useMemo(() => (staged ? changesOf(staged.base ?? {}, item) : []), [staged]);
  const wrong = useMemo(() => (staged ? allProblems(table, staged) : new Map<number, string>()), [staged, table]);
  const problems = useMemo(() => (staged && error ? withRefusal(wrong, staged, error) : wrong), [wrong, error]);
  const request = staged && wrong.size === 0 ? requestBetween(table, staged.base, item) : undefined;
  const forget = (): void => (setError(undefined), setTheirs(undefined), setNote([]));
  const attempt = async (run: () => Promise<void>, isDelete: boolean): Promise<boolean> => {
    setBusy(true);
    forget();
    try {
      await run();
      return true;
    } catch (why) {
      why instanceof Collision ? setTheirs({ item: why.theirs, isDelete }) : setError(why as Error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const save = async (): Promise<Item | undefined> => {
    if (!staged || !request || isBusy) return undefined;
    let written: Item | undefined;
    let typed: Staged | undefined; // meanwhile
    const isDone = await attempt(async () => {
      written = (await write(request)) ?? (await read(table.TableName, keyOf(table, item))) ?? item;
      typed = staged.base && kept.get(id);
      drop();
      noteDone({ name: `${staged.base ? "Changed" : "Created"} ${keyWords(table, item)}`, table, before: staged.base && withChanges(written, changesOf(item, staged.base)), after: written });
    }, false);
    if (!isDone || !written) return undefined;
    setNote(staged.base ? changesOf(item, written) : []);
    const later = typed ? changesOf(item, itemOf(typed.draft)) : [];
    stage({ base: written, draft: draftOf(withChanges(written, later), keyNames(table)), text: typed?.text });
    return written;
  };
  const remove = (): Promise<boolean> =>
    attempt(async () => {
      const base = staged!.base!;
      await write(requestBetween(table, base, undefined)!);
      drop();
      noteDone({ name: `Deleted ${keyWords(table, base)}`, table, before: base, after: undefined });
    }, true);
  return {
    staged, item, changes, problems, request, error: error ?? readError, theirs, note, isBusy, save, remove,
    change: (at, change) => staged && (setError(undefined), stage({ ...staged, draft: withChange(staged.draft, at, change) })),
    type: (text) => staged && (setError(undefined), stage(typedText(table, staged, text))),
    stage: (base, draft) => (forget(), stage({ base, draft: draftOf(draft, keyNames(table)), text: undefined })),
    reset: () => staged && (forget(), staged.base ? stage({ base: staged.base, draft: draftOf(staged.base, keyNames(table)), text: undefined }) : again()),
    reload: () => (forget(), again()),
  };
}

/** Takes JSON into the draft; as long as it is no item, it stays beside the draft as text. */
function typedText(table: TableInfo, staged: Staged, text: string): Staged {
  return problemOfText(table, text, staged.base) === undefined ? { ...staged, draft: draftOfText(table, text), text: undefined } : { ...staged, text };
}

function allProblems(table: TableInfo, staged: Staged): Problems {
  const found = new Map(problemsOf(staged.draft, keyRules(table)));
  if (staged.text !== undefined) found.set(staged.draft.id, problemOfText(table, staged.text, staged.base) ?? "");
  const size = found.size === 0 ? sizeOfDraft(staged.draft) : 0;
  if (size > sizeMost) found.set(staged.draft.id, `The item has ${bytes(size)}; DynamoDB takes ${bytes(sizeMost)}`);
  return found;
}

/** Adds a refusal of the database at the attribute that it names. */
function withRefusal(problems: Problems, { draft }: Staged, { message }: Error): Problems {
  const name = refusedAttribute(message, draft.parts.map((part) => part.name));
  const part = draft.parts.find((one) => one.name === name);
  return part ? new Map([[part.node.id, message.replace(/^Tavola: /, "")], ...problems]) : problems;
}

/** The key of an item in words, for titles. */
export function keyWords(table: TableInfo, item: Item): string {
  return keyNames(table).map((name) => String(Object.values(item[name] ?? { S: "?" })[0])).join(" · ");
}
