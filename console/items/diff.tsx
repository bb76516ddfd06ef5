// What differs between two items, as people read it: one line per value, removed and added.
import { pathText } from "../db/placeholders";
import { type Value, contentOf, preview, typeNames, typeOf } from "../db/value";
import type { Change } from "./changes";

const lettersMost = 600;

/** A draft may have binary that is none yet: then its text is shown as it was typed. */
function shown(value: Value): string {
  try {
    return preview(value, 4);
  } catch {
    return String(contentOf(value));
  }
}

/** A value in a line of a difference. Its type is said if it is not plain from the value. */
export function Said({ value, withType }: { value: Value; withType: boolean }) {
  const text = shown(value);
  return (
    <>
      {text === "" ? <span class="quiet">empty</span> : <span class="said">{text.length > lettersMost ? `${text.slice(0, lettersMost)}…` : text}</span>}
      {withType && <span class="quiet small"> {typeNames[typeOf(value)]}</span>}
    </>
  );
}

export function Diff({ changes, label = "Changes" }: { changes: readonly Change[]; label?: string }) {
  return (
    <dl class="diff" aria-label={label}>
      {changes.map(({ path, before, after }) => {
        const withType = !before || !after || typeOf(before) !== typeOf(after);
        return (
          <div key={pathText(path)}>
            <dt class="mono">{pathText(path)}</dt>
            {before && <dd class="is-old"><span class="visually-hidden">before: </span><span aria-hidden="true">− </span><Said value={before} withType={withType} /></dd>}
            {after && <dd class="is-new"><span class="visually-hidden">after: </span><span aria-hidden="true">+ </span><Said value={after} withType={withType} /></dd>}
          </div>
        );
      })}
    </dl>
  );
}
