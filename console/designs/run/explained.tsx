// A pattern or an operation explained before it runs: its requests in words, what they cost, and why an operation would be refused.
import { Badge } from "web/ui/table";
import type { Item } from "../../db/value";
import { amount, bytes, plural } from "../../format";
import { doubleOf } from "../exact";
import { Snippet } from "../../snippet";
import { type ExplainedOperation, type ExplainedPattern, type ExplainedRead, type Sent, actionsOf, inWords, keyInWords } from "./requests";

const units = (count: number): string => plural(doubleOf(count), "read unit");

function Cost({ read }: { read: ExplainedRead }) {
  if (read.operation === "Scan" || read.reads.length === 0) return <p>It reads all items: one read unit for each 8 KB of them.</p>;
  if (read.reads.length === 1 || read.operation === "GetItem") return <p>{units(read.reads[0]?.units ?? 0)} for an item of about {bytes(read.itemBytes)}.</p>;
  return (
    <dl class="costs" aria-label="Cost">
      {read.reads.map(({ items, units: cost }) => <div key={items}><dt>{plural(items, "item")}</dt><dd>{units(cost)}</dd></div>)}
    </dl>
  );
}

function Condition({ name, text }: { name: string; text: string }) {
  return text ? <div><dt>{name}</dt><dd><code>{text}</code></dd></div> : null;
}

function Read({ read }: { read: ExplainedRead }) {
  const { request } = read;
  return (
    <li class="explained">
      <h3>
        {read.operation} <span class="quiet">on {read.index ?? "the table"}, for {read.entity}</span> {read.consistent && <Badge>consistent</Badge>} {read.operation === "Scan" && <Badge kind="warn">reads everything</Badge>}
      </h3>
      <dl class="facts">
        <Condition name="Keys" text={request["Key"] ? keyInWords(request["Key"] as Item) : inWords(request["KeyConditionExpression"], request)} />
        <Condition name="Filter" text={inWords(request["FilterExpression"], request)} />
        {read.alsoReturns.length > 0 && <div><dt>Also reads</dt><dd>{read.alsoReturns.join(", ")}</dd></div>}
      </dl>
      <Cost read={read} />
      {read.notes.map((note) => <p key={note} class="quiet small">{note}</p>)}
      <details><summary class="quiet small">The request</summary><Snippet text={JSON.stringify(request, null, 2)} label={`The ${read.operation} request`} /></details>
    </li>
  );
}

export function PatternExplained({ explained }: { explained: ExplainedPattern }) {
  if (explained.requests.length === 0) return <p class="quiet">No request serves this pattern yet.</p>;
  return <ol class="explanations">{explained.requests.map((read, at) => <Read key={at} read={read} />)}</ol>;
}

const actionNames: Record<string, string> = { Put: "Puts", Update: "Changes", Delete: "Deletes", ConditionCheck: "Checks" };

/** What a write does, action by action, and the request itself. */
export function Writes({ sent, tableKeys }: { sent: Sent; tableKeys: readonly string[] }) {
  const actions = actionsOf(sent, tableKeys);
  return (
    <div class="explained">
      <h3>{sent.operation} <span class="quiet">{actions.length > 1 ? `of ${actions.length} actions: all of them, or none` : ""}</span></h3>
      <ol class="actions">
        {actions.map((action, at) => (
          <li key={at}>
            <Badge kind={action.kind === "Delete" ? "warn" : undefined}>{actionNames[action.kind] ?? action.kind}</Badge> <code>{action.on}</code>
            {action.details.map(([name, text]) => <p key={name} class="small"><span class="quiet">{name}</span> <code>{text}</code></p>)}
          </li>
        ))}
      </ol>
      <details><summary class="quiet small">The request</summary><Snippet text={JSON.stringify(sent.request, null, 2)} label={`The ${sent.operation} request`} /></details>
    </div>
  );
}

export function Refused({ name, reason }: { name: string; reason: string }) {
  return <div class="notice bad" role="alert"><span><strong>{name ? `Refused: ${name}.` : "Refused."}</strong> {reason.replace(/^Tavola: /, "")}</span></div>;
}

export function OperationExplained({ explained, tableKeys }: { explained: ExplainedOperation; tableKeys: readonly string[] }) {
  const { writes, refused } = explained;
  return (
    <div class="stack">
      {explained.reads.map((read, at) => (
        <p key={at}>
          <strong>{read.operation}</strong> <code>{read.request["Key"] ? keyInWords(read.request["Key"] as Item) : inWords(read.request["KeyConditionExpression"], read.request)}</code>{" "}
          {read.found !== undefined && <span class="quiet">found {plural(read.found, "item")}</span>}
        </p>
      ))}
      {refused && <Refused name={refused.name} reason={refused.reason} />}
      {writes?.writes && <Writes sent={writes.writes} tableKeys={tableKeys} />}
      {writes && !writes.writes && <p class="quiet">There is nothing to write.</p>}
      {writes && writes.causes.length > 0 && (
        <details>
          <summary>{plural(new Set(writes.causes.map((cause) => cause.name)).size, "reason")} to refuse it</summary>
          <ul>{writes.causes.map((cause, at) => <li key={at}><strong>{cause.name}</strong> <span class="quiet">action {amount(cause.action + 1)}</span>: {cause.reason} {cause.condition && <code>{cause.condition}</code>}</li>)}</ul>
        </details>
      )}
    </div>
  );
}
