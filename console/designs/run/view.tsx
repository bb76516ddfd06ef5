// Runs what a design names: a pattern or an operation is chosen, its form is filled in, and it is explained before it runs. The URL has all of it.
import { useEffect } from "preact/hooks";
import { go } from "web/route";
import { Empty, Problem } from "web/ui/table";
import { type TableInfo, describe, tables } from "../../db/tables";
import type { ViewProps } from "../../routes";
import { type Design, useDesign } from "../api";
import { OperationRunner } from "./operation";
import type { Draft } from "./parameters";
import { type Chosen, Parts, partUrl } from "./parts";
import { PatternRunner } from "./pattern";

function chosenOf(query: URLSearchParams, design: Design): Chosen | undefined {
  for (const kind of ["pattern", "operation"] as const) {
    const name = query.get(kind);
    if (name !== null) return { kind, name };
  }
  const first = design.patterns.find((one) => one.kind !== "none") ?? design.patterns[0];
  return first && { kind: "pattern", name: first.name };
}

const draftOf = (query: URLSearchParams): Draft => Object.fromEntries([...query].filter(([name]) => name.startsWith("p.")).map(([name, text]) => [name.slice(2), text]));

export default function Run({ params, query }: ViewProps) {
  const { design, error, again } = useDesign(params["design"] ?? "");
  useEffect(() => void (design && !tables.peek().has(design.table) && describe(design.table).catch(() => undefined)), [design?.table]);
  if (!design) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  const chosen = chosenOf(query, design);
  return (
    <div class="runner">
      <Parts design={design} chosen={chosen} />
      <div class="runner-main">{chosen ? <ChosenPart design={design} chosen={chosen} draft={draftOf(query)} /> : <Nothing />}</div>
    </div>
  );
}

const keysOf = (table: TableInfo | undefined): string[] => (table?.KeySchema ?? []).map((key) => key.AttributeName);

function ChosenPart({ design, chosen, draft }: { design: Design; chosen: Chosen; draft: Draft }) {
  const keep = (next: Draft): void => go(partUrl(design.name, chosen, next), "replace");
  const key = `${chosen.kind} ${chosen.name}`;
  const pattern = chosen.kind === "pattern" ? design.patterns.find((one) => one.name === chosen.name) : undefined;
  const operation = chosen.kind === "operation" ? design.operations.find((one) => one.name === chosen.name) : undefined;
  if (pattern) return <PatternRunner key={key} design={design} pattern={pattern} first={draft} keep={keep} />;
  if (operation) return <OperationRunner key={key} design={design} operation={operation} first={draft} keep={keep} tableKeys={keysOf(tables.value.get(design.table))} />;
  return <Empty icon="search" title={`The design has no ${chosen.kind} ${chosen.name}`}><p>It may have been renamed. Choose one of the list.</p></Empty>;
}

function Nothing() {
  return (
    <Empty icon="code" title="The design names no pattern and no operation">
      <p>A pattern is a question that programs ask by name; an operation is a change of several items that takes effect completely or is refused by name. Both are written into the design.</p>
    </Empty>
  );
}
