// The items of a table or an index: a form that is a Query or a Scan, and what it finds. The URL of the view is the request.
import { useEffect, useMemo, useState } from "preact/hooks";
import { go, path, setQuery } from "web/route";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { isWholeKey, itemUrl } from "../db/key";
import { type TableInfo, indexKeysOf, keysOf } from "../db/tables";
import { plural } from "../format";
import { writes } from "../items/undo";
import { useHints, useKey } from "../keys";
import { FacetBar } from "../lens/facet_bar";
import { facetsOf, unknownName } from "../lens/facets";
import { useSensitive } from "../lens/sensitive";
import type { ViewProps } from "../routes";
import { isReadOnly } from "../session";
import { KnownTable } from "../tables/known_table";
import { manyUrl } from "../many/links";
import { Bar } from "./bar";
import { ChosenBar, useChoice } from "./choice";
import { Grid, noRow } from "./grid";
import { ItemPanel } from "./item_panel";
import { noteRecent } from "./kept";
import { CodeDialog, ColumnsMenu, KeptMenu, Menu, openKept } from "./menus";
import { Only } from "./only";
import { type Question, type Request, questionOf, requestOf, schemaOf, searchOf } from "./question";
import { Options, QuestionForm } from "./question_form";
import { Results, type Rows } from "./results";

export default function Browse({ params, query }: ViewProps) {
  return <KnownTable name={params["table"] ?? ""}>{(table) => <Items table={table} search={searchOf(questionOf(query))} only={query.get("only") ?? ""} />}</KnownTable>;
}

const firstRows = 60;

/** The request of a question, or why it is none. */
function attempt(question: Question, table: TableInfo): { request?: Request; error?: Error } {
  try {
    return { request: requestOf(question, table) };
  } catch (why) {
    return { error: why as Error };
  }
}

/** Sends the request of the URL: when it changes, and when somebody runs it again. */
function useResults(table: TableInfo, search: string, runs: number): { results: Results | undefined; error: Error | undefined } {
  const made = useMemo(() => {
    const { request, error } = attempt(questionOf(new URLSearchParams(search)), table);
    return { results: request && new Results(request, facetsOf(table)), error };
  }, [table.TableName, table.CreationDateTime, search, runs, writes.value]);
  useEffect(() => {
    noteRecent({ table: table.TableName, search });
    void made.results?.read(firstRows);
    return () => made.results?.stop();
  }, [made]);
  return made;
}

function Items({ table, search, only }: { table: TableInfo; search: string; only: string }) {
  const [runs, setRuns] = useState(0);
  const [question, setQuestion] = useState(() => questionOf(new URLSearchParams(search)));
  const [isCodeShown, setCodeShown] = useState(false);
  useEffect(() => setQuestion(questionOf(new URLSearchParams(search))), [search]);
  const { results, error } = useResults(table, search, runs);
  const draft = attempt(question, table);
  const run = (changed: Question = question): void => {
    const next = searchOf(changed);
    if (next === search && path.peek().endsWith("/items")) setRuns(runs + 1);
    else openKept(table.TableName, next);
  };
  useKey("mod+enter", "Run the request", () => run());
  useKey("/", "Go to the first key", () => document.querySelector<HTMLInputElement>(".question .key input")?.focus());
  useKey("c", "Show the request as code", () => setCodeShown(true));
  return (
    <form class="browse" onSubmit={(event) => (event.preventDefault(), run())}>
      <section class="panel request" aria-label="Request">
        <QuestionForm table={table} question={question} attributes={results?.attributes.value ?? []} onChange={setQuestion} />
        <div class="request-end">
          <button class="button primary small" type="submit" title="Run (Ctrl + Enter)"><Icon name="play" />Run</button>
          <button class="button small" type="button" disabled={!draft.request} onClick={() => setCodeShown(true)} aria-label="Code"><Icon name="code" /><span class="word">Code</span></button>
          <KeptMenu table={table.TableName} search={searchOf(question)} />
          <ColumnsMenu all={results ? columnsOf(table, question.index, results) : []} chosen={questionOf(new URLSearchParams(search)).columns} onChange={(columns) => run({ ...question, columns })} />
          <ManyMenu table={table} search={search} only={only} />
          {!isReadOnly.value && <a class="button small" href={`/t/${encodeURIComponent(table.TableName)}/item`} aria-label="New item"><Icon name="plus" /><span class="word">New item</span></a>}
          <Options table={table} question={question} onChange={setQuestion} />
          {draft.error && <span class="wrong small" role="alert">{draft.error.message}</span>}
        </div>
      </section>
      {error && <Problem error={error} />}
      {results && <Found key={search.replace(/[?&]column=[^&]*/g, "")} table={table} question={questionOf(new URLSearchParams(search))} results={results} only={only} />}
      {isCodeShown && draft.request && <CodeDialog request={draft.request} onClose={() => setCodeShown(false)} />}
    </form>
  );
}

/** What is done with all that the request finds, which may be more than what was read. */
function ManyMenu({ table, search, only }: { table: TableInfo; search: string; only: string }) {
  const query = new URLSearchParams(search);
  if (only) query.set("only", only);
  const text = query.size > 0 ? `?${query}` : "";
  return (
    <Menu icon="more" name="More">
      <a class="menu-item" href={manyUrl(table.TableName, "export", text)}><Icon name="archive" />Export what this request finds</a>
      {!isReadOnly.value && <a class="menu-item" href={manyUrl(table.TableName, "edit-many", text)}><Icon name="edit" />Edit or delete what it finds</a>}
      {!isReadOnly.value && <a class="menu-item" href={manyUrl(table.TableName, "import")}><Icon name="upload" />Import a file</a>}
    </Menu>
  );
}

const firstColumns = 24; // more are chosen by name

/**
 * The columns: the keys of what is read, then those of the table, then the others as they came, with binaries, sets, lists and maps last. A design
 * computes the keys of its indexes from the other attributes, so that they come at the end.
 */
function columnsOf(table: TableInfo, index: string, results: Results): string[] {
  const keys = [...schemaOf(table, index), ...table.KeySchema].map((key) => key.AttributeName);
  const computed = results.facets ? indexKeysOf(table) : [];
  const all = results.attributes.value;
  const others = all.filter((name) => !computed.includes(name));
  return [...new Set([...keys, ...others.filter((name) => !results.isLarge(name)), ...others, ...all])];
}

const lookedAt = 200;

/** Notes the attributes of the first items. It forgets none of them, although items far from the screen are forgotten. */
function learn(known: Set<string>, rows: Rows): void {
  for (let at = 0; at < Math.min(rows.count, lookedAt); at++) for (const name of Object.keys(rows.item(at) ?? {})) known.add(name);
}

const gridKeys = [
  { keys: ["↑", "↓", "Page up", "Page down", "Home", "End"], name: "In the items: go to another row" },
  { keys: ["Enter"], name: "In the items: show the item beside the others" },
  { keys: ["E"], name: "In the items: open the item in the editor" },
  { keys: ["Space", "Shift + ↑", "Shift + ↓", "Ctrl + A"], name: "In the items: choose rows" },
];

function Found({ table, question, results, only }: { table: TableInfo; question: Question; results: Results; only: string }) {
  const active = useMemo(noRow, [results, only]);
  const [opened, setOpened] = useState(false);
  const sensitive = useSensitive();
  const { facets } = results;
  const part = useMemo(() => (facets && only ? new Only(results, facets, only) : undefined), [results, only]);
  const rows = part ?? results;
  const choice = useChoice(table, rows);
  const progress = results.progress.value;
  const all = columnsOf(table, question.index, results);
  const ofPart = useMemo(() => new Set<string>(), [part]);
  if (part) learn(ofPart, part);
  // Columns of other entities would be empty if the items are of one entity alone.
  const wanted = question.columns.length > 0 ? question.columns : part ? [...ofPart] : all;
  const columns = all.filter((name) => wanted.includes(name)).slice(0, question.columns.length > 0 ? undefined : firstColumns);
  const keys = (["HASH", "RANGE"] as const).flatMap((kind) => keysOf(schemaOf(table, question.index), kind));
  const item = opened && active.value >= 0 ? rows.item(active.value) : undefined;
  const isWhole = results.request.operation === "Scan" && !question.index && !("FilterExpression" in results.request.body);
  const isEmpty = progress.isComplete && progress.found === 0;
  const edit = (position: number): void => {
    const one = rows.item(position);
    if (one && isWholeKey(table, one)) go(itemUrl(table, one));
  };
  useHints(gridKeys);
  const close = (): void => {
    setOpened(false);
    document.querySelector<HTMLElement>(".grid")?.focus();
  };
  return (
    <section class="panel found" aria-label="Items" onKeyDown={(event) => event.key === "Escape" && opened && close()}>
      <Bar results={results} whole={isWhole ? table.ItemCount : undefined} />
      <ChosenBar table={table} />
      {facets && <FacetBar facets={facets} only={part} version={results.version.value} sensitive={sensitive} onChoose={(name) => setQuery({ only: name })} />}
      {progress.error && <Problem error={progress.error} again={() => void results.read(results.count + firstRows)} />}
      {isEmpty ? (
        <NothingFound table={table} question={question} />
      ) : part && part.count === 0 && !progress.isRunning ? (
        <NoneOf name={only} isComplete={progress.isComplete} read={progress.found} />
      ) : (
        <div class={`found-body ${item ? "with-item" : ""}`}>
          <Grid results={rows} columns={columns} keys={keys} isSensitiveShown={sensitive.isShown} active={active} choice={choice} onOpen={() => setOpened(true)} onEdit={edit} label={`Items of ${question.index || table.TableName}`} />
          {item && <ItemPanel table={table} question={question} item={item} seen={rows.seen(active.value)} facets={facets} isSensitiveShown={sensitive.isShown} onClose={close} />}
        </div>
      )}
    </section>
  );
}

function NoneOf({ name, isComplete, read }: { name: string; isComplete: boolean; read: number }) {
  return (
    <Empty icon="search" title={name === unknownName ? "Every item is of an entity" : `No ${name} is among them`}>
      <p>{isComplete ? "All items of the request were looked at." : `${plural(read, "item")} were looked at. Others may come: read on.`}</p>
    </Empty>
  );
}

function NothingFound({ table, question }: { table: TableInfo; question: Question }) {
  const isPlain = searchOf({ ...question, columns: [], limit: 0 }) === "";
  if (isPlain) {
    return (
      <Empty icon="table" title={`${table.TableName} has no items`}>
        <p>Items that a program writes appear here when the request is run again. {isReadOnly.value ? "" : "Or begin here:"}</p>
        {!isReadOnly.value && (
          <div class="row">
            <a class="button primary" href={`/t/${encodeURIComponent(table.TableName)}/item`}><Icon name="plus" />Write an item</a>
            <a class="button" href={manyUrl(table.TableName, "import")}><Icon name="upload" />Import a file</a>
          </div>
        )}
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="No item fits">
      <p>
        {question.index ? `${question.index} has only items with all attributes of its key. ` : ""}
        Texts are compared exactly, with upper and lower case; the number 5 and the text “5” are different.
      </p>
    </Empty>
  );
}
