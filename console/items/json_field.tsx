// The draft as DynamoDB's JSON. Its text is the person's until it is an item; then the draft is that item.
import { useState } from "preact/hooks";
import { isReadOnly } from "../session";
import type { Editing } from "./editing";

export function JsonField({ editing }: { editing: Editing }) {
  const staged = editing.staged!;
  const [text, setText] = useState(() => staged.text ?? JSON.stringify(editing.item, null, 2));
  const problem = staged.text === undefined ? undefined : editing.problems.get(staged.draft.id);
  const input = (next: string): void => (setText(next), editing.type(next));
  return (
    <div class="panel-body json-field">
      <textarea
        class="mono" aria-label="The item as DynamoDB JSON" aria-invalid={problem ? "true" : undefined} aria-describedby="json-note" rows={Math.min(40, Math.max(12, text.split("\n").length + 1))} spellcheck={false}
        readOnly={isReadOnly.value} value={text} onInput={(e) => input(e.currentTarget.value)}
      />
      <p id="json-note" class={problem ? "wrong small" : "quiet small"} role={problem ? "alert" : undefined}>{problem ?? "Every value is written with its type. Numbers keep all their digits."}</p>
    </div>
  );
}
