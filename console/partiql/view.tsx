// The PartiQL editor: statements, their parameters, and what each of them found. The URL of the view has the text that was run.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Editor, type EditorHandle } from "web/editor/editor";
import { partiql } from "web/editor/languages";
import type { Mark } from "web/editor/marks";
import { setQuery } from "web/route";
import { Icon } from "web/ui/icons";
import { CodeDialog } from "../browse/menus";
import { names, tables } from "../db/tables";
import { useKey } from "../keys";
import type { ViewProps } from "../routes";
import { isReadOnly } from "../session";
import { complete, learn, meet } from "./complete";
import { type KeptText, draft, noteDraft, noteRun } from "./kept";
import { KeptMenu } from "./menu";
import { type Parameter, ParameterField, firstParameter } from "./parameters";
import { Found } from "./found";
import { type Options, type Ran, refusalOf, requestOf, run } from "./run";
import { type Statement, isScan, placeOf, statementsOf } from "./text";

const urlLettersMost = 4000;

/** The text that a new editor has: of the URL, of the last visit, or one that works here. */
function firstText(query: URLSearchParams): string {
  const name = names.peek()?.[0];
  return query.get("q") ?? draft() ?? (name ? `SELECT * FROM "${name}"` : "");
}

function parametersIn(query: URLSearchParams): Parameter[] {
  try {
    const list: unknown = JSON.parse(query.get("parameters") ?? "[]");
    return Array.isArray(list) ? (list as Parameter[]) : [];
  } catch {
    return [];
  }
}

/** The marks of the text: why statements failed, and what a read-only console does not send. */
function marksOf(ran: readonly Ran[], refused: readonly Mark[]): Mark[] {
  const failed = ran.flatMap(({ statement, results }): Mark[] => {
    const error = results?.progress.value.error;
    return error ? [{ ...placeOf(statement, error.message), severity: "error", text: error.message }] : [];
  });
  return [...failed, ...refused];
}

/** Runs statements; what a new run replaces is stopped. */
function useRuns(parameters: readonly Parameter[], options: Options) {
  const [ran, setRan] = useState<Ran[]>([]);
  const [refused, setRefused] = useState<Mark[]>([]);
  const current = useRef<readonly Ran[]>([]);
  const stop = (): void => current.current.forEach(({ results }) => results?.stop());
  const begin = async (statements: readonly Statement[]): Promise<void> => {
    stop();
    const wrong = statements.flatMap((statement): Mark[] => {
      const text = refusalOf(statement, parameters);
      return text ? [{ from: statement.from, to: statement.to, severity: "error", text }] : [];
    });
    setRefused(wrong);
    setRan([]);
    current.current = [];
    if (wrong.length > 0) return;
    let mine: readonly Ran[] | undefined;
    const report = (all: Ran[]): void => {
      if (mine && mine !== current.current) return;
      current.current = mine = all;
      setRan(all);
    };
    const all = await run(statements, (statement) => requestOf(statement, parameters, options), report);
    for (const { statement, results } of all) for (let at = 0; at < Math.min(results?.count ?? 0, 60); at++) learn(statement.table, [results?.item(at) ?? {}]);
  };
  useEffect(() => stop, []);
  return { ran, refused, begin, forget: () => (setRan([]), setRefused([])) };
}

export default function PartiQL({ query }: ViewProps) {
  const [text, setText] = useState(() => firstText(query));
  const [parameters, setParameters] = useState<Parameter[]>(() => parametersIn(query));
  const [options, setOptions] = useState<Options>({ limit: 0, isConsistent: false });
  const [chosen, setChosen] = useState(0);
  const [isCodeShown, setCodeShown] = useState(false);
  const editor = useRef<EditorHandle>();
  const { ran, refused, begin, forget } = useRuns(parameters, options);
  const statements = useMemo(() => statementsOf(text), [text]);
  useEffect(() => void statements.forEach(({ table }) => table && void meet(table)), [names.value, statements.map(({ table }) => table).join("\n")]);
  useEffect(() => noteDraft(text), [text]);
  const marks = useMemo(() => marksOf(ran, refused), [refused, ...ran.map(({ results }) => results?.progress.value.error)]);

  /** What is selected; without a selection the statement at the caret. */
  const wanted = (): readonly Statement[] => {
    const { from, to } = editor.current?.selection() ?? { from: 0, to: 0 };
    if (from !== to) return statementsOf(text, { from, to });
    const at = statements.find((one) => from <= one.to + 1);
    return at ? [at] : statements.slice(-1);
  };
  const start = (which: readonly Statement[]): void => {
    if (which.length === 0) return;
    noteRun({ text, parameters });
    setQuery(text.length <= urlLettersMost ? { q: text, parameters: parameters.length > 0 ? JSON.stringify(parameters) : "" } : { q: "", parameters: "" });
    setChosen(0);
    void begin(which);
  };
  const open = (kept: KeptText): void => {
    setText(kept.text);
    setParameters(kept.parameters);
    forget();
    editor.current?.focus();
  };
  const marksCount = statements.reduce((all, one) => all + one.parameters.length, 0);
  const setParameter = (at: number, value: Parameter): void => setParameters(Array.from({ length: Math.max(marksCount, parameters.length) }, (_, place) => (place === at ? value : (parameters[place] ?? firstParameter))));
  useKey("mod+enter", "Run the selection, or the statement at the caret", () => start(wanted()));
  useKey("e", "Go to the statements", () => editor.current?.focus());
  useKey("c", "Show the statement as code", () => statements.length > 0 && setCodeShown(true));
  const code = isCodeShown ? wanted()[0] : undefined;
  return (
    <div class="browse">
      <h1 class="visually-hidden">PartiQL</h1>
      <section class="panel request" aria-label="Statements">
        <Editor
          class="statements" label="PartiQL statements" language={partiql} complete={complete} hasLines value={text} marks={marks} placeholder={'SELECT * FROM "table" WHERE key = \'…\''}
          onChange={(next) => (setText(next), forget())} onReady={(handle) => (editor.current = handle)}
        />
        {marksCount > 0 && (
          <div class="question" role="group" aria-label="Parameters">
            <div class="question-row">
              {Array.from({ length: marksCount }, (_, at) => <ParameterField key={at} name={`Parameter ${at + 1}`} mark={`?${at + 1}`} value={parameters[at] ?? firstParameter} onChange={(value) => setParameter(at, value)} />)}
            </div>
          </div>
        )}
        <div class="request-end">
          <button class="button primary small" type="button" disabled={statements.length === 0} title="Run the selection, or the statement at the caret (Ctrl + Enter)" onClick={() => start(wanted())}><Icon name="play" />Run</button>
          {statements.length > 1 && <button class="button small" type="button" onClick={() => start(statements)}>Run all {statements.length}</button>}
          <button class="button small" type="button" disabled={statements.length === 0} onClick={() => setCodeShown(true)} aria-label="Code"><Icon name="code" /><span class="word">Code</span></button>
          <KeptMenu now={{ text, parameters }} onOpen={open} />
          <RunOptions options={options} onChange={setOptions} />
        </div>
        <Notes statements={statements} />
      </section>
      <Found ran={ran} chosen={chosen} onChoose={setChosen} />
      {code && !refusalOf(code, parameters) && <CodeDialog request={requestOf(code, parameters, options)} onClose={() => setCodeShown(false)} />}
    </div>
  );
}

/** What is worth knowing before a statement runs. */
function Notes({ statements }: { statements: readonly Statement[] }) {
  const notes = statements.flatMap((statement) => {
    const table = tables.value.get(statement.table);
    if (!statement.doesRead) return isReadOnly.value ? [`${statement.verb}: not sent, because this console is read-only`] : [];
    return table && isScan(statement, table) ? [`Scan: without a value of the partition key, this SELECT reads all of ${statement.index || statement.table}`] : [];
  });
  return <>{[...new Set(notes)].map((note) => <p key={note} class="note small"><Icon name="warn" />{note}</p>)}</>;
}

const limits = [0, 10, 50, 200, 1000];

function RunOptions({ options, onChange }: { options: Options; onChange: (options: Options) => void }) {
  return (
    <div class="options">
      <select aria-label="Items per request" value={options.limit} onChange={(e) => onChange({ ...options, limit: Number(e.currentTarget.value) })}>
        {limits.map((limit) => <option key={limit} value={limit}>{limit === 0 ? "page: auto" : `page: ${limit}`}</option>)}
      </select>
      <label class="check small" title="Reads what was written last, for twice the units">
        <input type="checkbox" checked={options.isConsistent} onChange={(e) => onChange({ ...options, isConsistent: e.currentTarget.checked })} />consistent
      </label>
    </div>
  );
}
