// The test cases of a design: their text, and a report of a run on the design as it is written now. Each case has a database in memory of its own.
import { useMemo, useState } from "preact/hooks";
import { Editor } from "web/editor/editor";
import { yaml } from "web/editor/languages";
import { type Mark, markAt } from "web/editor/marks";
import { Icon } from "web/ui/icons";
import { Badge } from "web/ui/table";
import { plural } from "../../format";
import { useKey } from "../../keys";
import { askDesigns } from "../api";

interface CaseResult {
  name: string;
  line: number;
  covers: string[];
  passed: boolean;
  skipped: boolean;
  seconds: number;
  failure?: { line: number; step: string; differences: { expected: string; found: string }[] };
}

interface Report {
  passed: number;
  failed: number;
  skipped: number;
  files: { file: string; cases: CaseResult[] }[];
}

const firstCases = (file: string): string => `design: ${file.split("/").pop()}
now: "2026-01-15T10:00:00Z"
cases:
  - name: what is expected, in words
    when: { anOperation: { parameter: value } }
    then: { field: value }
`;

type Outcome = { of: string; report: Report } | { of: string; error: Error };

interface Props {
  isShown: boolean;
  name: string;
  text: string;
  file: string;
  given: string;
  isWrong: boolean;
}

export function Cases({ isShown, text, file, given, isWrong }: Props) {
  const [cases, setCases] = useState(given);
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const [failedOnly, setFailedOnly] = useState(false);
  const run = (): void => {
    if (isWrong || cases.trim() === "") return;
    setBusy(true);
    const of = `${text}\n${cases}`;
    askDesigns<Report>("cases", { text, file, cases })
      .then((report) => setOutcome({ of, report }), (error: Error) => setOutcome({ of, error }))
      .finally(() => setBusy(false));
  };
  useKey("mod+'", "Run the cases of the design", run);
  const marks = useMemo(() => (outcome ? marksOf(cases, outcome) : []), [outcome]);
  if (!isShown) return null;
  if (cases === "") {
    return (
      <div class="stack wide">
        <p class="quiet">A file of cases says what a design has to do: operations that run, and what has to be there then. The server knows none for this design: it would be beside the file <code>{file}</code>.</p>
        <div><button class="button small" type="button" onClick={() => setCases(firstCases(file))}><Icon name="plus" />Write a case</button></div>
      </div>
    );
  }
  const isOld = outcome !== undefined && outcome.of !== `${text}\n${cases}`;
  return (
    <div class="stack wide case-runs">
      <div class="row">
        <button class="button primary small" type="button" disabled={isBusy || isWrong} onClick={run}><Icon name="play" />{isBusy ? "Running …" : "Run the cases"}</button>
        {isWrong && <span class="quiet small">The design has errors.</span>}
        {isOld && !isBusy && <span class="quiet small">The texts have changed since.</span>}
      </div>
      {outcome && "error" in outcome && <pre class="report" role="alert">{outcome.error.message}</pre>}
      {outcome && "report" in outcome && <ReportShown report={outcome.report} failedOnly={failedOnly} onFailedOnly={setFailedOnly} />}
      <details open={outcome === undefined}>
        <summary>The text of the cases</summary>
        <Editor class="cases-text" label="The cases as YAML" language={yaml} hasLines isListElsewhere value={cases} marks={marks} onChange={setCases} />
      </details>
    </div>
  );
}

function marksOf(cases: string, outcome: Outcome): Mark[] {
  if ("error" in outcome) return [];
  const failures = outcome.report.files.flatMap((file) => file.cases).flatMap((one) => (one.failure ? [{ ...one.failure, name: one.name }] : []));
  return failures.map((one) => markAt(cases, { line: one.line, column: (/^\s*(?:- )?/.exec(cases.split("\n")[one.line - 1] ?? "")?.[0].length ?? 0) + 1 }, "error", `${one.name}: ${one.differences.map(({ expected, found }) => [expected, found].filter(Boolean).join(" → ")).join("; ")}`));
}

function ReportShown({ report, failedOnly, onFailedOnly }: { report: Report; failedOnly: boolean; onFailedOnly: (on: boolean) => void }) {
  const all = report.files.flatMap((file) => file.cases);
  const failed = all.filter((one) => one.failure);
  // What failed comes first: it is what somebody looks for.
  const shown = failedOnly ? failed : [...failed, ...all.filter((one) => !one.failure)];
  return (
    <section aria-label="Report">
      <p class="badges" role="status">
        <Badge kind={failed.length === 0 ? "good" : undefined}>{plural(report.passed, "case")} passed</Badge>
        {failed.length > 0 && <Badge kind="bad">{report.failed} failed</Badge>}
        {report.skipped > 0 && <Badge kind="warn">{report.skipped} skipped</Badge>}
        {failed.length > 0 && <label class="row small"><input type="checkbox" checked={failedOnly} onChange={(e) => onFailedOnly(e.currentTarget.checked)} />failed ones only</label>}
      </p>
      <ol>{shown.map((one) => <CaseShown key={`${one.line} ${one.name}`} result={one} />)}</ol>
    </section>
  );
}

function CaseShown({ result }: { result: CaseResult }) {
  const { failure } = result;
  return (
    <li class={failure ? "fails" : result.skipped ? "" : "passes"}>
      <span class="row">
        <Icon name={failure ? "close" : result.skipped ? "more" : "check"} />
        <span class="grow"><span class="visually-hidden">{failure ? "Failed" : result.skipped ? "Skipped" : "Passed"}: </span>{result.name} <span class="quiet small">{result.covers.join(", ")}</span></span>
        <span class="quiet small">line {failure?.line ?? result.line}</span>
      </span>
      {failure && (
        <>
          <p class="small"><code>{failure.step}</code></p>
          {failure.differences.map((one, at) => (
            <dl key={at} class="difference">
              {one.expected !== "" && <div><dt>Expected</dt><dd>{one.expected}</dd></div>}
              {one.found !== "" && <div><dt>Found</dt><dd>{one.found}</dd></div>}
            </dl>
          ))}
        </>
      )}
    </li>
  );
}
