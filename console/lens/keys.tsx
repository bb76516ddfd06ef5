// The keys of a governed table: the tree of their prefixes, or one partition of it. The URL says which: /t/shop/keys?index=GSI1&hash={"S":"SHOP#1"}.
import { Empty } from "web/ui/table";
import type { Value } from "../db/value";
import type { ViewProps } from "../routes";
import { designOf } from "../session";
import { KeyTree } from "./key_tree";
import { Partition } from "./partition";

function valueIn(text: string | null): Value | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Value);
  } catch {
    return undefined;
  }
}

export default function Keys({ params, query }: ViewProps) {
  const table = params["table"] ?? "";
  const design = designOf(table);
  const index = query.get("index") ?? "";
  const hash = valueIn(query.get("hash"));
  if (design === undefined) {
    return (
      <Empty icon="tree" title="No design governs this table">
        <p>A design says which entities a table has and how their keys are made. With one, this view shows the tree of the keys, and the patterns that read them.</p>
      </Empty>
    );
  }
  if (hash) return <Partition key={`${index} ${JSON.stringify(hash)}`} table={table} design={design} index={index} hash={hash} />;
  return <KeyTree key={index} table={table} design={design} index={index} />;
}
