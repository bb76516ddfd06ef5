// Tables, panels, figures and empty states.
import type { ComponentChildren } from "preact";
import { Icon } from "./icons";

export interface Column<T> {
  name: string;
  show: (row: T) => ComponentChildren;
  isNumber?: boolean;
  isActions?: boolean;
}

/** On a phone each row becomes a card, in which every value has the name of its column. */
export function Table<T>(props: { caption: string; columns: Column<T>[]; rows: T[]; keyOf: (row: T) => string; more?: (() => void) | undefined }) {
  const kind = (column: Column<T>): string => (column.isActions ? "actions" : column.isNumber ? "number" : "");
  return (
    <>
      <div class="table-scroll">
        <table class="stacks">
          <caption class="visually-hidden">{props.caption}</caption>
          <thead>
            <tr>
              {props.columns.map((column) => (
                <th key={column.name} scope="col" class={kind(column)}>
                  {column.isActions ? <span class="visually-hidden">{column.name}</span> : column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.rows.map((row) => (
              <tr key={props.keyOf(row)}>
                {props.columns.map((column) => (
                  <td key={column.name} class={kind(column)} data-label={column.isActions ? undefined : column.name}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {props.more && (
        <div class="more">
          <button class="button small" type="button" onClick={props.more}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}

export function Panel({ title, end, children, flush }: { title?: string; end?: ComponentChildren; children: ComponentChildren; flush?: boolean }) {
  return (
    <section class="panel">
      {title && (
        <div class="panel-head">
          <h2>{title}</h2>
          {end}
        </div>
      )}
      {flush ? children : <div class="panel-body">{children}</div>}
    </section>
  );
}

export function Figure({ label, value, note }: { label: string; value: ComponentChildren; note?: ComponentChildren }) {
  return (
    <div class="panel figure">
      <span class="quiet small">{label}</span>
      <span class="value">{value}</span>
      {note && <span class="quiet small">{note}</span>}
    </div>
  );
}

export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Badge({ kind, children }: { kind?: "good" | "warn" | "bad" | undefined; children: ComponentChildren }) {
  return <span class={`badge ${kind ?? ""}`}>{children}</span>;
}

/** Named amounts as bars; `share` is from 0 to 1, for the picture alone. */
export function Bars({ rows }: { rows: { name: string; value: string; share: number }[] }) {
  return (
    <ul class="bars">
      {rows.map((row) => (
        <li key={row.name}>
          <div class="label">
            <span>{row.name}</span>
            <span class="number">{row.value}</span>
          </div>
          <div class="bar" aria-hidden="true">
            <i style={{ width: row.share > 0 ? `${Math.max(1, Math.min(100, row.share * 100))}%` : 0 }} />
          </div>
        </li>
      ))}
    </ul>
  );
}

export function Problem({ error, again }: { error: Error; again?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <span class="grow">{error.message}</span>
      {again && (
        <button class="button small" type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
