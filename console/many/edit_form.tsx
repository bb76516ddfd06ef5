// The form of an edit: attributes to set, with values of every type, and attributes to remove; or the deletion.
import { useMemo } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { type Node, itemOf, problemsOf, withChange } from "../items/draft";
import { type Form, FormContext, Parts } from "../items/fields";
import type { Edit } from "./edit";

export interface EditDraft {
  way: Edit["way"];
  set: Node; // a map whose names are paths
  remove: readonly string[];
}

const nothing = { keys: new Set<string>(), computed: new Map<string, string>(), hidden: new Set<string>() };

export const editOf = ({ way, set, remove }: EditDraft): Edit =>
  way === "delete" ? { way, set: [], remove: [] } : { way, set: Object.entries(itemOf(set)), remove: remove.filter((path) => path.trim() !== "") };

/** Returns whether every value of the form is one. */
export const isWritten = (draft: EditDraft): boolean => draft.way === "delete" || problemsOf(draft.set, new Map()).size === 0;

/** A change of the draft as it is then: letters come faster than the page is drawn. */
export type ChangeDraft = (change: (draft: EditDraft) => EditDraft) => void;

export function EditForm({ draft, attributes, onChange }: { draft: EditDraft; attributes: readonly string[]; onChange: ChangeDraft }) {
  const problems = useMemo(() => problemsOf(draft.set, new Map()), [draft.set]);
  const form: Form = { ...nothing, problems, areKeysFixed: false, isReadOnly: false, change: (id, change) => onChange((now) => ({ ...now, set: withChange(now.set, id, change) })) };
  return (
    <>
      <div class="row"><Segments label="What to do" options={[["change", "Change attributes"], ["delete", "Delete the items"]] as const} value={draft.way} onChange={(way) => onChange((now) => ({ ...now, way }))} /></div>
      {draft.way === "change" && (
        <>
          <section class="edit-part" aria-label="Set">
            <h2>Set</h2>
            <p class="quiet small">In every item, whether the attribute is there or not. <code>credits.label</code> is a member of a map, <code>"a.b"</code> a name with a dot.</p>
            <FormContext.Provider value={form}><Parts node={draft.set} path={[]} /></FormContext.Provider>
          </section>
          <Remove paths={draft.remove} attributes={attributes} onChange={(change) => onChange((now) => ({ ...now, remove: change(lines(now.remove)) }))} />
        </>
      )}
    </>
  );
}

/** There is one line at least, to write in. */
const lines = (paths: readonly string[]): readonly string[] => (paths.length > 0 ? paths : [""]);

function Remove({ paths, attributes, onChange }: { paths: readonly string[]; attributes: readonly string[]; onChange: (change: (paths: readonly string[]) => readonly string[]) => void }) {
  const shown = lines(paths);
  return (
    <section class="edit-part" aria-label="Remove">
      <h2>Remove</h2>
      {shown.map((path, at) => (
        <div class="row" key={at}>
          <input class="mono edit-path" aria-label={`Attribute to remove ${at + 1}`} placeholder="attribute, or path.to" list="attributes-to-remove" value={path} spellcheck={false} autocomplete="off" onInput={({ currentTarget: { value } }) => onChange((now) => now.map((one, place) => (place === at ? value : one)))} />
          {shown.length > 1 && <button class="button plain small" type="button" aria-label={`Do not remove ${path || "this one"}`} onClick={() => onChange((now) => now.filter((_, place) => place !== at))}><Icon name="close" /></button>}
        </div>
      ))}
      <datalist id="attributes-to-remove">{attributes.map((name) => <option key={name} value={/[.["]/.test(name) ? JSON.stringify(name) : name} />)}</datalist>
      <button class="button plain small start" type="button" onClick={() => onChange((now) => [...now, ""])}><Icon name="plus" />Another attribute to remove</button>
    </section>
  );
}
