// Fields with their labels, hints and mistakes, connected for screen readers.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { dayIn } from "../format";

export interface FieldIds {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": "true" | undefined;
}

export function Field(props: { label: string; hint?: string; wrong?: string | undefined; whole?: boolean; children: (ids: FieldIds) => ComponentChildren }) {
  const id = useId();
  const note = props.wrong || props.hint;
  return (
    <div class={`field ${props.whole ? "whole" : ""}`}>
      <label for={id}>{props.label}</label>
      {props.children({ id, "aria-describedby": note ? `${id}-note` : undefined, "aria-invalid": props.wrong ? "true" : undefined })}
      {note && (
        <span id={`${id}-note`} class={props.wrong ? "wrong" : "hint"} role={props.wrong ? "alert" : undefined}>
          {note}
        </span>
      )}
    </div>
  );
}

/** Buttons of which one is chosen, or none. */
export function Segments<T extends string>(props: { label: string; options: readonly (readonly [T, string])[]; value: T | undefined; onChange: (value: T) => void }) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}

const periods = [["today", "Today"], ["week", "Seven days"], ["month", "This month"]] as const;
function daysOf(period: (typeof periods)[number][0]): [first: string, last: string] {
  const today = dayIn();
  return [period === "today" ? today : period === "week" ? dayIn(-6) : `${today.slice(0, 8)}01`, today];
}

/** Two days, both included. */
export function DateRange(props: { first: string; last: string; onChange: (first: string, last: string) => void }) {
  const chosen = periods.find(([period]) => daysOf(period).join() === `${props.first},${props.last}`)?.[0];
  return (
    <div class="row days" role="group" aria-label="Days">
      <Segments label="Period" options={periods} value={chosen} onChange={(period) => props.onChange(...daysOf(period))} />
      <Field label="From">
        {(id) => <input {...id} type="date" value={props.first} max={props.last} required onChange={(e) => e.currentTarget.value && props.onChange(e.currentTarget.value, props.last)} />}
      </Field>
      <Field label="Through">
        {(id) => <input {...id} type="date" value={props.last} min={props.first} required onChange={(e) => e.currentTarget.value && props.onChange(props.first, e.currentTarget.value)} />}
      </Field>
    </div>
  );
}
