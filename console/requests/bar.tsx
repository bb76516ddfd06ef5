// What is shown of the requests: filters, pause, how many there are.
import { useId } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { amount, compact, plural } from "../format";
import { type Feed, type Filter, type Seen, noFilter, noPattern } from "./feed";

interface FilterProps {
  filter: Filter;
  seen: Seen;
  onChange: (filter: Filter) => void;
}

export function FilterBar({ filter, seen, onChange }: FilterProps) {
  const set = (part: Partial<Filter>): void => onChange({ ...filter, ...part });
  const isSet = Object.entries(filter).some(([name, value]) => value !== noFilter[name as keyof Filter]);
  return (
    <div class="question-row filters" role="search" aria-label="Filter">
      <input class="text" type="search" aria-label="Text" placeholder="Text, error, key id (/)" value={filter.text} spellcheck={false} onInput={(e) => set({ text: e.currentTarget.value })} />
      <Choice label="Table" all="every table" names={seen.tables} value={filter.table} onChange={(table) => set({ table })} />
      <Choice label="Operation" all="every operation" names={seen.operations} value={filter.operation} onChange={(operation) => set({ operation })} />
      <Choice label="Pattern" all="every pattern" names={seen.patterns} value={filter.pattern} extra={[noPattern, "no pattern"]} onChange={(pattern) => set({ pattern })} />
      <select aria-label="Result" value={filter.status} onChange={(e) => set({ status: e.currentTarget.value })}>
        <option value="">every result</option>
        <option value="refused">refused</option>
        <option value="scan">Scans</option>
      </select>
      <label class="check small" title="Requests that this console and others send for their views">
        <input type="checkbox" checked={filter.hasOwn} onChange={(e) => set({ hasOwn: e.currentTarget.checked })} />console’s own
      </label>
      {isSet && <button class="button plain small" type="button" onClick={() => onChange(noFilter)}><Icon name="close" />No filter</button>}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  names: ReadonlySet<string>;
  value: string;
  extra?: readonly [string, string];
  onChange: (value: string) => void;
}

function Choice({ label, all, names, value, extra, onChange }: ChoiceProps) {
  const known = [...new Set([...names, ...(value && value !== extra?.[0] ? [value] : [])])].sort();
  return (
    <select aria-label={label} value={value} onChange={(e) => onChange(e.currentTarget.value)}>
      <option value="">{all}</option>
      {extra && <option value={extra[0]}>{extra[1]}</option>}
      {known.map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  );
}

interface StateProps {
  feed: Feed;
  shown: number;
  waiting: number; // rows that came since the list stands still
  isPaused: boolean;
  onPause: () => void;
  onClear: () => void;
}

/** How many requests there are and whether they come. */
export function StateBar({ feed, shown, waiting, isPaused, onPause, onClear }: StateProps) {
  const id = useId();
  return (
    <div class="bar">
      <span class={`live ${isPaused ? "" : "is-live"}`} aria-hidden="true" />
      <span role="status">{isPaused ? "Stands still" : feed.isLive.value ? "Live" : "Connecting"}</span>
      <span class="quiet">{shown < feed.total && `${amount(shown)} of `}{plural(Math.max(shown, feed.total), "request")} · {compact(feed.rate)}/s</span>
      {feed.missed > 0 && <span class="quiet" id={id} title="More than a thousand came in a tenth of a second: then the latest are shown, refused requests and Scans first.">{amount(feed.missed)} more not shown</span>}
      <span class="grow" />
      {isPaused && waiting > 0 && <span class="badge">{compact(waiting)} new</span>}
      <button class="button small" type="button" aria-pressed={isPaused} onClick={onPause} title={`${isPaused ? "Go on" : "Pause"} (P)`}><Icon name={isPaused ? "play" : "pause"} />{isPaused ? "Go on" : "Pause"}</button>
      <button class="button plain small" type="button" onClick={onClear}>Clear</button>
    </div>
  );
}
