// Point-in-time recovery of a table: on and off, and the time to which it is restored, by a slider or exactly.
import { useState } from "preact/hooks";
import { Confirm } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Panel } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { moment, plural, zoneName } from "../format";
import { has, isReadOnly } from "../session";
import { exactMoment, momentOfTyped, span, typedMoment } from "../when";
import { type Period, restoreMoment, switchRecovery } from "./api";
import { TargetDialog } from "./target";

interface Props {
  table: string;
  period: Period | undefined;
  again: () => void;
}

export function Recovery({ table, period, again }: Props) {
  const [isAsking, setAsking] = useState(false);
  const change = (days: number | undefined): void =>
    void switchRecovery(table, days).then(() => (say(`Point-in-time recovery is ${days === undefined ? "off" : "on"}`), again()), sayError);
  const end = period && (
    <span class="row">
      <Badge kind="good">on</Badge>
      {!isReadOnly.value && <button class="button small" type="button" onClick={() => setAsking(true)}>Switch off</button>}
    </span>
  );
  return (
    <Panel title="Point-in-time recovery" end={end || undefined}>
      {period ? <Moment key={period.latest} table={table} period={period} /> : <Off change={change} />}
      {isAsking && <Confirm title="Switch off point-in-time recovery" text={`${table} can then not be restored to an earlier time any more, and the history of its items ends: what was kept until now is deleted. Backups stay.`} yes="Switch off" onYes={() => change(undefined)} onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function Off({ change }: { change: (days: number) => void }) {
  const [days, setDays] = useState(35);
  return (
    <form class="stack wide" onSubmit={(event) => (event.preventDefault(), change(days))}>
      <p>While it is on, the database keeps every change: the table can be restored as it was at any millisecond, and every item has a history. It costs each write a little, and the space of what was changed.</p>
      {!isReadOnly.value && (
        <div class="row recovery-off">
          <Field label="Days">{(id) => <input {...id} type="number" min={1} max={35} required value={days} onInput={(e) => setDays(e.currentTarget.valueAsNumber)} />}</Field>
          <button class="button primary" type="submit"><Icon name="clock" />Switch on</button>
        </div>
      )}
    </form>
  );
}

const stepsOfSlider = 1000;

/** The time to restore, between the ends of the period. The last end means now, whenever the restore begins. */
function Moment({ table, period }: { table: string; period: Period }) {
  const { earliest, latest, days } = period;
  const [at, setAt] = useState(latest);
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const written = typed === undefined ? at : momentOfTyped(typed);
  const end = Math.max(latest, Date.now()); // the page may have been open for a while
  const isInside = written !== undefined && written >= earliest && written <= end;
  const isNow = at === latest && typed === undefined;
  const slide = (to: number): void => (setAt(Math.min(Math.max(to, earliest), latest)), setTyped(undefined));
  const type = (text: string): void => {
    setTyped(text);
    const read = momentOfTyped(text);
    if (read !== undefined && read >= earliest && read <= end) setAt(read);
  };
  const step = Math.max(1, Math.round((latest - earliest) / stepsOfSlider));
  const words = isNow ? "Now" : `${exactMoment(at)}, ${span(end - at)} ago`;
  return (
    <div class="stack wide">
      <p class="quiet small">Every change is kept for {plural(days, "day")}. The table can be restored as it was at any time since {moment(earliest / 1000)}, as a new table.{has("history") && <> Every item has <a href={`/t/${encodeURIComponent(table)}/history`}>a history</a>.</>}</p>
      <div class="moment">
        <input type="range" min={earliest} max={latest} step="any" value={at} aria-label="Time to restore" aria-valuetext={words} onInput={(e) => slide(Math.round(e.currentTarget.valueAsNumber))}
          onKeyDown={(e) => { const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -50, PageUp: 50 }[e.key]; if (way) (e.preventDefault(), slide(at + way * step)); }} />
        <div class="moment-ends quiet small"><span>{moment(earliest / 1000)}</span><span>now</span></div>
      </div>
      <div class="row as-of">
        <Field label={`Exact time (${zoneName.value})`} wrong={isInside || isNow ? undefined : "This time is not in the period"}>
          {(id) => <input {...id} type="datetime-local" step="0.001" value={typed ?? typedMoment(isNow ? latest - 999 : at)} onInput={(e) => type(e.currentTarget.value)} />}
        </Field>
        <span class="moment-words" role="status">{words}</span>
        <span class="grow" />
        {!isReadOnly.value && <button class="button primary" type="button" disabled={!isInside && !isNow} onClick={() => setOpen(true)}><Icon name="refresh" />Restore</button>}
      </div>
      {isOpen && (
        <TargetDialog source={table} restore={(target) => restoreMoment(table, target, isNow ? undefined : at)} onClose={() => setOpen(false)}>
          <p>A new table with what <code>{table}</code> {isNow ? "is now" : <>was at <strong>{exactMoment(at)}</strong></>}. {table} stays as it is.</p>
        </TargetDialog>
      )}
    </div>
  );
}
