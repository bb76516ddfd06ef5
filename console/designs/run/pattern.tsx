// One pattern: its form, what its requests will be and cost, and the entities that it finds, page after page.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Badge, Panel } from "web/ui/table";
import { plural } from "../../format";
import { useKey } from "../../keys";
import { type Design, NamedRefusal, type Pattern, look } from "../api";
import { CodeDialog } from "./code_dialog";
import { useExplained } from "./explain";
import { PatternExplained } from "./explained";
import { ParameterFields } from "./fields";
import { type Found, FoundPanel } from "./found";
import { PartHead } from "./part_head";
import { type Draft, isComplete, valuesOf } from "./parameters";
import { useSuggestions } from "./suggestions";
import { useSensitive, wordOf } from "../../lens/sensitive";
import type { ExplainedPattern, FoundPage } from "./requests";

interface Props {
  design: Design;
  pattern: Pattern;
  first: Draft;
  keep: (draft: Draft) => void;
}

export function PatternRunner({ design, pattern, first, keep }: Props) {
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const [isCodeShown, setCodeShown] = useState(false);
  const [limit, setLimit] = useState(25);
  const found = useSignal<Found | undefined>(undefined);
  const values = valuesOf(pattern.parameters, draft);
  const explained = useExplained<ExplainedPattern>(design.name, { pattern: pattern.name, parameters: values });
  const wrong = explained.error instanceof NamedRefusal && explained.error.parameter ? { parameter: explained.error.parameter, reason: explained.error.message } : undefined;
  const suggestions = useSuggestions(design.name, pattern.index);
  const sensitive = useSensitive();
  const newest = useRef({ values, limit }); // what was asked last: its further pages belong to it, and an older answer comes too late
  const read = (pages: FoundPage[], question: typeof newest.current): void => {
    const mine = (newest.current = { ...question });
    found.value = { pages, isLoading: true, error: undefined };
    const page = pages.at(-1)?.next;
    look<FoundPage>(design.name, "run", { pattern: pattern.name, parameters: mine.values, limit: mine.limit, ...(page ? { page } : {}) }, { sensitive: wordOf(sensitive) }).then(
      (next) => mine === newest.current && (found.value = { pages: [...pages, next], isLoading: false, error: undefined }),
      (error: Error) => mine === newest.current && (found.value = { pages, isLoading: false, error }),
    );
  };
  const run = (): void => {
    setTried(true);
    if (!isComplete(pattern.parameters, draft)) return;
    keep(draft);
    read([], { values, limit });
  };
  useEffect(() => void (Object.keys(first).length > 0 && isComplete(pattern.parameters, first) && run()), []);
  useEffect(() => void (found.peek() && read([], newest.current)), [sensitive.isShown]);
  useKey("mod+enter", "Run the pattern", run);
  useKey("c", "Show the pattern as code", () => setCodeShown(true));
  return (
    <form class="stack wide" noValidate onSubmit={(event) => (event.preventDefault(), run())}>
      <PartHead name={pattern.name} title={pattern.title} doc={pattern.doc}>
        <Badge>{pattern.kind}</Badge>{pattern.index && <Badge>{pattern.index}</Badge>}{pattern.planned && <Badge kind="warn">planned</Badge>}
      </PartHead>
      <div class="run-columns">
        <Panel title={pattern.parameters.length > 0 ? "Parameters" : "It has no parameters"}>
          <ParameterFields parameters={pattern.parameters} draft={draft} isChecked={isTried} onChange={setDraft} suggestions={suggestions} refused={wrong} />
          <div class="row run-end">
            <button class="button primary" type="submit" disabled={pattern.kind === "none"} title="Run (Ctrl + Enter)"><Icon name="play" />Run</button>
            <button class="button" type="button" onClick={() => setCodeShown(true)}><Icon name="code" />Code</button>
            <label class="row small quiet">Page <select class="page-size" value={limit} onChange={(e) => setLimit(Number(e.currentTarget.value))}>{[10, 25, 100, 1000].map((size) => <option key={size} value={size}>{plural(size, "item")}</option>)}</select></label>
          </div>
        </Panel>
        <Panel title="What it will ask">
          {explained.error && !wrong && <p class="wrong" role="alert">{explained.error.message}</p>}
          {explained.value ? <PatternExplained explained={explained.value} /> : !explained.error && <div class="loading" role="progressbar" aria-label="Explaining" />}
        </Panel>
      </div>
      <FoundPanel found={found} sensitive={sensitive} table={design.table} entities={design.entities} more={() => read(found.peek()?.pages ?? [], newest.current)} />
      {isCodeShown && <CodeDialog use={{ design, part: pattern, isOperation: false, values, sent: explained.value?.requests ?? [] }} onClose={() => setCodeShown(false)} />}
    </form>
  );
}
