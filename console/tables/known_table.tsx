// What every view of one table begins with: the table as soon as it is known, or where it may be if it is not here.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { DbError } from "../db/call";
import { type TableInfo, describe, names, tables } from "../db/tables";
import { tableUrl } from "../routes";
import { isReadOnly, session } from "../session";

/** Shows a view of a table as soon as the table is known. */
export function KnownTable({ name, children }: { name: string; children: (table: TableInfo) => ComponentChildren }) {
  const [error, setError] = useState<Error>();
  const look = (): void => void describe(name).then(() => setError(undefined), setError);
  useEffect(look, [name]);
  const table = tables.value.get(name);
  if (table) return <>{children(table)}</>;
  return error ? <TableProblem name={name} error={error} again={look} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
}

/** Says why a table cannot be shown. If there is none of this name, somebody has looked for it: then where it may be. */
export function TableProblem({ name, error, again }: { name: string; error: Error; again: () => void }) {
  const isMissing = error instanceof DbError && error.kind === "ResourceNotFoundException";
  if (!isMissing) return <Problem error={error} again={again} />;
  const similar = similarTo(name, names.value ?? []);
  return (
    <Empty icon="search" title={`There is no table ${name}`}>
      {similar.length > 0 && <p>Did you mean {similar.map((one, at) => <>{at > 0 && (at + 1 < similar.length ? ", " : " or ")}<a href={tableUrl(one)}>{one}</a></>)}?</p>}
      <OneDatabase />
      <div class="row">
        <button class="button" type="button" onClick={again}><Icon name="refresh" />Look again</button>
        {!isReadOnly.value && <a class="button" href="/new"><Icon name="plus" />New table</a>}
        <a class="button" href="/">All tables</a>
      </div>
    </Empty>
  );
}

/** Said where people look for tables that another tool showed them. */
export function OneDatabase({ isSmall }: { isSmall?: boolean }) {
  return (
    <p class={isSmall ? "quiet small" : undefined}>
      Is a table missing? This is one database, whatever access key and region a program uses, so every table is listed here. A program whose tables are not
      here uses another endpoint than <code>{session.value?.endpoint}</code>.
    </p>
  );
}

const similarMost = 4;
const letters = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, "");

/** Returns the names that have the same letters in the same order, or of which one is a part of the other. */
function similarTo(name: string, all: readonly string[]): string[] {
  const wanted = letters(name);
  return all.filter((one) => one !== name && wanted !== "" && (letters(one).includes(wanted) || (letters(one) !== "" && wanted.includes(letters(one))))).slice(0, similarMost);
}
