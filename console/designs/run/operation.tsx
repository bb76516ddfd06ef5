// One operation: its form, what it would read and write now or why it would be refused, and the confirmation before it writes.
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Icon } from "web/ui/icons";
import { Panel } from "web/ui/table";
import { useKey } from "../../keys";
import { isReadOnly } from "../../session";
import { Snippet } from "../../snippet";
import { type Design, NamedRefusal, type Operation, perform } from "../api";
import { exactText } from "../exact";
import { CodeDialog } from "./code_dialog";
import { type Explained, useExplained } from "./explain";
import { OperationExplained, Refused, Writes } from "./explained";
import { ParameterFields } from "./fields";
import { type Draft, isComplete, valuesOf } from "./parameters";
import { PartHead } from "./part_head";
import type { ExplainedOperation } from "./requests";
import { useSuggestions } from "./suggestions";

interface Props {
  design: Design;
  operation: Operation;
  first: Draft;
  keep: (draft: Draft) => void;
  tableKeys: readonly string[];
}

type Outcome = { answer: unknown } | { refused: Error };

export function OperationRunner({ design, operation, first, keep, tableKeys }: Props) {
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const [shown, setShown] = useState<"code" | "confirm">();
  const [outcome, setOutcome] = useState<Outcome>();
  const [runs, setRuns] = useState(0);
  const suggestions = useSuggestions(design.name, "");
  const isReady = isComplete(operation.parameters, draft);
  const values = valuesOf(operation.parameters, draft);
  const explained = useExplained<ExplainedOperation>(design.name, isReady ? { operation: operation.name, parameters: values } : undefined, runs);
  const refused = explained.error instanceof NamedRefusal && explained.error.parameter ? { parameter: explained.error.parameter, reason: explained.error.message } : undefined;
  const change = (next: Draft): void => (setDraft(next), setOutcome(undefined));
  const ask = (): void => {
    setTried(true);
    if (!isReady || isReadOnly.value) return;
    keep(draft);
    setShown("confirm");
  };
  const run = (): void => {
    setShown(undefined);
    perform(design.name, operation.name, values).then((answer) => setOutcome({ answer }), (error: Error) => setOutcome({ refused: error })).finally(() => setRuns(runs + 1));
  };
  useKey("mod+enter", "Perform the operation, after a confirmation", ask);
  useKey("c", "Show the operation as code", () => setShown("code"));
  const sent = explained.value?.writes?.writes;
  return (
    <form class="stack wide" noValidate onSubmit={(event) => (event.preventDefault(), ask())}>
      <PartHead name={operation.name} title={operation.title} doc={operation.doc} />
      <div class="run-columns">
        <Panel title={operation.parameters.length > 0 ? "Parameters" : "It has no parameters"}>
          <ParameterFields parameters={operation.parameters} draft={draft} isChecked={isTried} onChange={change} suggestions={suggestions} refused={refused} />
          <div class="row run-end">
            <button class="button primary" type="submit" disabled={isReadOnly.value} title={isReadOnly.value ? "The console is read-only" : "Perform (Ctrl + Enter)"}><Icon name="play" />Perform …</button>
            <button class="button" type="button" onClick={() => setShown("code")}><Icon name="code" />Code</button>
          </div>
        </Panel>
        <Panel title="What it would do now"><Preview explained={explained} isReady={isReady} isNamed={refused !== undefined} tableKeys={tableKeys} /></Panel>
      </div>
      {outcome && <Result outcome={outcome} />}
      {shown === "code" && <CodeDialog use={{ design, part: operation, isOperation: true, values, sent: sent ? [sent] : [] }} onClose={() => setShown(undefined)} />}
      {shown === "confirm" && <Confirmation operation={operation} explained={explained} tableKeys={tableKeys} onYes={run} onClose={() => setShown(undefined)} />}
    </form>
  );
}

function Preview({ explained, isReady, isNamed, tableKeys }: { explained: Explained<ExplainedOperation>; isReady: boolean; isNamed: boolean; tableKeys: readonly string[] }) {
  if (!isReady) return <p class="quiet">Fill in the required parameters, and the reads, the transaction and every refusal are shown here. Nothing is written before you confirm it.</p>;
  if (explained.error) return isNamed ? null : <p class="wrong" role="alert">{explained.error.message}</p>;
  if (!explained.value) return <div class="loading" role="progressbar" aria-label="Explaining" />;
  return <OperationExplained explained={explained.value} tableKeys={tableKeys} />;
}

function Confirmation({ operation, explained, tableKeys, onYes, onClose }: { operation: Operation; explained: Explained<ExplainedOperation>; tableKeys: readonly string[]; onYes: () => void; onClose: () => void }) {
  const { writes, refused } = explained.value ?? {};
  return (
    <Dialog title={`Perform ${operation.name}?`} onClose={onClose}>
      <div class="stack wide">
        {refused && <Refused name={refused.name} reason={refused.reason} />}
        {writes?.writes && <Writes sent={writes.writes} tableKeys={tableKeys} />}
        <p class="quiet">The server reads again and computes the transaction anew: if something has changed since, it writes what is right then, or refuses.</p>
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>Cancel</button>
          <button class="button primary" type="button" autofocus onClick={onYes}>{refused ? "Try nevertheless" : "Perform"}</button>
        </div>
      </div>
    </Dialog>
  );
}

function Result({ outcome }: { outcome: Outcome }) {
  if ("refused" in outcome) {
    const { refused } = outcome;
    return refused instanceof NamedRefusal ? <Refused name={refused.refusal} reason={refused.message} /> : <div class="notice bad" role="alert">{refused.message}</div>;
  }
  return (
    <section class="panel panel-body" aria-label="Result">
      <p class="done" role="status"><Icon name="check" /> Done. {outcome.answer === undefined && "The operation returns nothing."}</p>
      {outcome.answer !== undefined && <Snippet text={exactText(outcome.answer, "")} label="What the operation returned" />}
    </section>
  );
}
