// What a draft changes, as a difference and as the request that is sent, with the button that sends it.
import { Icon } from "web/ui/icons";
import { Code } from "../browse/code";
import { plural } from "../format";
import { isReadOnly } from "../session";
import { Diff } from "./diff";
import type { Editing } from "./editing";
import { done, undo } from "./undo";

export function Review({ editing, isNew, onSave }: { editing: Editing; isNew: boolean; onSave: () => void }) {
  const last = done.value.at(-1);
  const { changes, request, problems, error, note, isBusy, staged } = editing;
  const isStaged = changes.length > 0 || staged?.text !== undefined;
  const isUntouched = isNew && staged !== undefined && staged.text === undefined && staged.draft.parts.every(({ node }) => !problems.has(node.id) || node.text === "");
  if (isReadOnly.value) return <aside class="panel review panel-body" aria-label="Changes"><p class="quiet small">This console is read-only. The switch is at the end of the navigation.</p></aside>;
  return (
    <aside class="panel review" aria-label="Changes">
      <div class="panel-head">
        <h2>{isNew ? "To be written" : "Changes"}</h2>
        <span class="quiet small">{isStaged ? plural(changes.length, "attribute") : ""}</span>
      </div>
      <div class="panel-body stack">
        {!isStaged && <p class="quiet small">What you change shows here, before it is sent. It is written only if nobody else has changed it since it was read.</p>}
        {changes.length > 0 && !isNew && <Diff changes={changes} />}
        {problems.size > 0 && isStaged && <p class={isUntouched ? "quiet small" : "wrong small"} role="status">{isUntouched ? "The item can be written as soon as its key is there." : `${plural(problems.size, "value")} cannot be written as ${problems.size === 1 ? "it is" : "they are"}.`}</p>}
        {error && <div class="notice bad" role="alert">{error.message}</div>}
        {note.length > 0 && (
          <div class="notice" role="status">
            <div><p>Saved. These are also different now: the design computed them, or somebody else changed them.</p><Diff changes={note} label="Also different" /></div>
          </div>
        )}
        {request && (
          <details>
            <summary>The request: {request.operation}</summary>
            <Code request={request} />
          </details>
        )}
        <div class="row">
          <button class="button primary" type="button" disabled={!request || isBusy} onClick={onSave} title="Ctrl + S"><Icon name="check" />{isNew ? "Create the item" : "Save"}</button>
          {isStaged && <button class="button" type="button" onClick={editing.reset}>Discard</button>}
          {!isStaged && last && <button class="button" type="button" title={last.name} onClick={() => void undo(last)}>Undo last change</button>}
        </div>
      </div>
    </aside>
  );
}
