// A design as text: what is wrong with it while it is typed, what applying it would do, the application, and its test cases.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Editor, type EditorHandle } from "web/editor/editor";
import { yaml } from "web/editor/languages";
import { Confirm } from "web/ui/dialog";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Problem } from "web/ui/table";
import { plural } from "../../format";
import { useKey } from "../../keys";
import type { Finding } from "../api";
import { Findings } from "../findings";
import { Cases } from "./cases";
import { type Checking, errorsIn, marksOf, placeOf, useCheck } from "./check";
import { type Kept, forgetDraft, keepDraft, keptDraft } from "./draft";
import { Planned } from "./plan";

interface Props {
  name: string; // of the design, under which its draft is kept
  isNew?: boolean;
  served: string; // the text with which the editing begins
  file: string;
  cases: string;
  line?: number; // to be shown first
  again?: () => void; // asks the server for the design again
}

type Side = "findings" | "plan" | "cases";
const sides = [["findings", "Findings"], ["plan", "Plan"], ["cases", "Cases"]] as const;

/** The text, kept while it differs from the one that the editing began with. */
function useText(name: string, served: string) {
  const [kept, setKept] = useState<Kept>(() => keptDraft(name) ?? { base: served, text: served });
  const change = (next: Kept): void => (setKept(next), keepDraft(name, next));
  const reset = (): void => (forgetDraft(name), setKept({ base: served, text: served }));
  useEffect(() => {
    // What somebody else applied is shown at once, unless it would replace what was typed here.
    if (kept.text === kept.base && kept.base !== served) reset();
  }, [served]);
  return { kept, setText: (text: string) => change({ ...kept, text }), rebase: () => change({ base: served, text: kept.text }), reset };
}

export function EditorPage({ name, isNew, served, file, cases, line, again }: Props) {
  const { kept, setText, rebase, reset } = useText(name, served);
  const { text, base } = kept;
  const [side, setSide] = useState<Side>("findings");
  const [planned, setPlanned] = useState(0); // how often somebody asked for the plan
  const [isDiscarding, setDiscarding] = useState(false);
  const editor = useRef<EditorHandle>();
  const about = isNew ? { file } : { file, of: name };
  const checking = useCheck(text, about);
  const findings = checking.answer?.findings ?? [];
  const errors = errorsIn(findings);
  const marks = useMemo(() => (checking.isCurrent ? marksOf(text, findings) : []), [checking.answer, checking.isCurrent]);
  const show = ({ line: at, column, endLine, endColumn }: Pick<Finding, "line" | "column" | "endLine" | "endColumn">): void => {
    const from = placeOf(text, at, column);
    editor.current?.select(from, endLine === at && endColumn ? placeOf(text, at, endColumn) : from);
  };
  const plan = (): void => {
    if (errors > 0) return setSide("findings");
    setSide("plan");
    setPlanned((times) => times + 1);
  };
  const ready = (handle: EditorHandle): void => {
    editor.current = handle;
    if (line) handle.select(placeOf(text, line, 1), placeOf(text, line + 1, 1) - 1);
  };
  useKey("mod+enter", "Show what applying the design would do", plan);
  useKey("e", "Go to the text of the design", () => editor.current?.focus());
  return (
    <div class="design-editor">
      <div class="editor-bar">
        <code>{file}</code>
        <Verdict checking={checking} />
        {text !== base && <Badge>changed</Badge>}
        <span class="grow" />
        {text !== base && <button class="button plain small" type="button" onClick={() => setDiscarding(true)}>Discard the changes</button>}
        <a class="button small" download={file.split("/").pop()} href={`data:application/yaml;charset=utf-8,${encodeURIComponent(text)}`}><Icon name="file" />Download</a>
        <button class="button primary small" type="button" disabled={errors > 0} title="What applying it would do (Ctrl + Enter)" onClick={plan}><Icon name="search" />Plan</button>
      </div>
      {!isNew && text !== base && base !== served && (
        <div class="notice" role="status">
          <span class="grow">The design that is served has changed since this editing began. What is written here would replace it.</span>
          <button class="button small" type="button" onClick={rebase}>Keep mine</button>
          <button class="button small" type="button" onClick={() => setDiscarding(true)}>Take the served one</button>
        </div>
      )}
      <div class="editor-columns">
        <Editor class="panel design-text" label="The design as YAML" language={yaml} hasLines isListElsewhere value={text} marks={marks} onChange={setText} onReady={ready} />
        <section class="panel editor-side" aria-label="About the design">
          <div class="panel-tools"><Segments label="Show" options={sides} value={side} onChange={setSide} /></div>
          <div class="panel-body">
            {side === "findings" && <Found checking={checking} onGo={show} />}
            {side === "plan" && <Planned text={text} about={about} asked={planned} isWrong={errors > 0} onPlan={plan} onApplied={() => (forgetDraft(name), rebase(), again?.())} />}
            <Cases isShown={side === "cases"} name={name} text={text} file={file} given={cases} isWrong={errors > 0} />
          </div>
        </section>
      </div>
      {isDiscarding && <Confirm title="Discard the changes?" text="The text becomes the one that is served. What was written here is lost." yes="Discard" onYes={reset} onClose={() => setDiscarding(false)} />}
    </div>
  );
}

function Verdict({ checking }: { checking: Checking & { isCurrent: boolean } }) {
  const findings = checking.answer?.findings;
  if (!findings) return <span class="quiet small" role="status">Checking …</span>;
  const errors = errorsIn(findings);
  const lints = findings.length - errors;
  return (
    <span class="badges" role="status">
      {errors > 0 && <Badge kind="bad">{plural(errors, "error")}</Badge>}
      {lints > 0 && <Badge kind="warn">{plural(lints, "lint")}</Badge>}
      {findings.length === 0 && <Badge kind="good">no findings</Badge>}
    </span>
  );
}

function Found({ checking, onGo }: { checking: Checking; onGo: (finding: Finding) => void }) {
  if (checking.error) return <Problem error={checking.error} />;
  const findings = checking.answer?.findings;
  if (!findings) return <div class="loading" role="progressbar" aria-label="Checking" />;
  if (findings.length === 0) return <p class="quiet">Nothing in the design is wrong or surprising. It is checked while you type.</p>;
  return <Findings findings={[...findings].sort((a, b) => Number(a.severity === "lint") - Number(b.severity === "lint") || a.line - b.line)} onGo={onGo} />;
}
