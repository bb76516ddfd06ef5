// Shows how long each kind of item is kept, and the state of the archive.
import { moment, number } from "web/format";
import { useLoad } from "web/load";
import { ask } from "web/session";
import { Badge, Panel, Problem, Table } from "web/ui/table";

interface Retention {
  rules: { entity: string; kind: "keep" | "expire" | "archive" | "soft-delete"; days?: number; why: string }[];
  archiveTo: string;
  items: number;
  batches: number;
  lastRun: string;
  error: string;
}

const words: Record<string, string> = { Sale: "Sales", Transaction: "Changes of stock", Notification: "Notices", Product: "Deleted products" };

function inWords(rule: Retention["rules"][number]): string {
  if (rule.kind === "archive") return `archived after ${rule.days} days`;
  if (rule.kind === "soft-delete") return "kept, and can be restored";
  return rule.kind === "expire" ? "removed when they expire" : "kept forever";
}

const counted = (count: number, one: string, many: string): string => `${number(String(count))} ${count === 1 ? one : many}`;

export function RetentionPanel() {
  const { state, again } = useLoad(() => ask<Retention>("/api/retention"), []);
  const { value, error } = state.value;
  if (error) return <Problem error={error} again={again} />;
  if (!value) return null;
  return (
    <Panel title="What is kept" end={value.archiveTo ? <Badge kind={value.error ? "bad" : "good"}>{value.error ? "archiving failed" : `${number(String(value.items))} archived`}</Badge> : <Badge>no archive</Badge>} flush>
      <Table
        caption="What is kept" rows={value.rules} keyOf={(rule) => rule.entity}
        columns={[
          { name: "Records", show: (rule) => <><strong>{words[rule.entity] ?? rule.entity}</strong><span class="sub">{rule.why}</span></> },
          { name: "Rule", show: inWords },
        ]}
      />
      <div class="panel-body quiet small">
        {value.error && <p>{value.error}</p>}
        {value.archiveTo
          ? `The archive is ${value.archiveTo}, with ${counted(value.items, "record", "records")} in ${counted(value.batches, "batch", "batches")}.${value.lastRun ? ` It was last looked after ${moment(value.lastRun)}.` : ""}`
          : "Nothing is archived: the program was started without --archive-to."}
      </div>
    </Panel>
  );
}
