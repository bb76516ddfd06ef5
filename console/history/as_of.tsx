// The item as of a time that somebody types.
import { useEffect, useState } from "preact/hooks";
import { setQuery } from "web/route";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Problem } from "web/ui/table";
import type { TableInfo } from "../db/tables";
import { zoneName } from "../format";
import { Attributes } from "../browse/attributes";
import { exactMoment, momentOfTyped, typedMoment } from "../when";
import { type Past, type Question, type Then, asOf } from "./api";
import { RestoreButton } from "./restore";

interface Props {
  table: TableInfo;
  question: Question;
  past: Past;
  at: string | null; // of the URL
}

export function AsOf({ table, question, past, at }: Props) {
  const chosen = at === null ? Number.NaN : Date.parse(at);
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<{ at: number; then: Then }>();
  const [error, setError] = useState<Error>();
  const shownAt = Number.isNaN(chosen) ? undefined : chosen;
  useEffect(() => {
    setFound(undefined);
    setError(undefined);
    if (shownAt === undefined) return;
    const stop = new AbortController();
    asOf(question, shownAt, stop.signal).then((then) => setFound({ at: shownAt, then }), (why: Error) => stop.signal.aborted || setError(why));
    return () => stop.abort();
  }, [shownAt, question.sensitive]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const moment = momentOfTyped(typed || typedMoment(shownAt ?? Date.now()));
    if (moment !== undefined) setQuery({ at: new Date(moment).toISOString() });
  };
  return (
    <section class="panel panel-body stack" aria-label="As of a time">
      <form class="row as-of" onSubmit={submit}>
        <Field label={`As of (${zoneName.value})`}>
          {(id) => <input {...id} type="datetime-local" step="0.001" required value={typed || typedMoment(shownAt ?? past.earliest)} onInput={(e) => setTyped(e.currentTarget.value)} />}
        </Field>
        <button class="button" type="submit"><Icon name="clock" />Show</button>
        {shownAt !== undefined && <button class="button plain" type="button" onClick={() => (setTyped(""), setQuery({ at: "" }))}><Icon name="close" />Close</button>}
      </form>
      {error && <Problem error={error} />}
      {shownAt !== undefined && !found && !error && <div class="loading" role="progressbar" aria-label="Searching" />}
      {found && (
        <div class="stack" role="status">
          <p>
            {found.then.seen ? "This was the item" : "There was no such item"} at {exactMoment(found.at)}; {found.then.until === undefined ? "it is the same now." : `it was so until ${exactMoment(found.then.until)}.`}
          </p>
          {found.then.seen && <Attributes table={table} item={found.then.seen.item} />}
          {found.then.until !== undefined && <RestoreButton table={table} version={found.then.seen} name="Restore this version" />}
        </div>
      )}
    </section>
  );
}
