// One request: what is known of it, its body, sending it again, code to copy.
import { useState } from "preact/hooks";
import { useLoad } from "web/load";
import { Icon } from "web/ui/icons";
import { Confirm, Dialog } from "web/ui/dialog";
import { Badge, Problem } from "web/ui/table";
import { Code } from "../browse/code";
import { DbError } from "../db/call";
import { exactText, parseExact } from "../designs/exact";
import { amount, bytes, clockTime, moment, plural } from "../format";
import { useKey } from "../keys";
import { tableUrl } from "../routes";
import { ask, designOf, isReadOnly, session } from "../session";
import { Snippet } from "../snippet";
import { type Row, isRefused } from "./feed";
import { PatternOf, isWasteful, milliseconds } from "./list";
import { type Answered, changesSomething, sendAgain } from "./replay";

/** A recorded request with its body. */
export interface Whole extends Row {
  path?: string; // under /v1, with its query
  body?: string; // none: it was too large to be kept
  masked?: string[]; // attributes whose values are not in it
}

const load = (id: number, sensitive: boolean): Promise<Whole> => ask<Whole>(`/console/requests/${id}${sensitive ? "?sensitive=shown" : ""}`);

export function Details({ row, onClose }: { row: Row; onClose: () => void }) {
  const [isShown, setShown] = useState(false);
  const { state, again } = useLoad(() => load(row.id, isShown), [row.id, isShown]);
  const whole = state.value.value;
  return (
    <aside class="item-panel" aria-label="Request">
      <div class="item-panel-head">
        <h2 class="grow">{row.operation}</h2>
        <button class="button plain small" type="button" aria-label="Close the request" title="Close (Esc)" onClick={onClose}><Icon name="close" /></button>
      </div>
      {isRefused(row) && (
        <div class="notice bad refusal">
          <div><strong>{row.error ?? row.status}</strong>{row.why && <p>{row.why}</p>}</div>
        </div>
      )}
      <Facts row={row} />
      {state.value.error && <Problem error={state.value.error} again={again} />}
      {whole && <Body whole={whole} isShown={isShown} onShow={() => setShown(!isShown)} />}
    </aside>
  );
}

function Facts({ row }: { row: Row }) {
  const design = row.tables?.[0] === undefined ? undefined : designOf(row.tables[0]);
  return (
    <dl class="facts">
      <dt>Time</dt><dd>{moment(row.at / 1000)}<span class="quiet">{clockTime(row.at).slice(8)}</span></dd>
      {row.tables && <><dt>{row.tables.length > 1 ? "Tables" : "Table"}</dt><dd>{row.tables.map((name) => <a key={name} href={tableUrl(name)}>{name}</a>)}</dd></>}
      {row.index && <><dt>Index</dt><dd class="mono">{row.index}</dd></>}
      {(row.patterns || row.scan) && (
        <>
          <dt>Pattern</dt>
          <dd>
            <PatternOf row={row} />
            {row.patterns?.length === 0 && <p class="quiet small">No pattern of the design explains this request. Either the design lacks one, or a program reads what it should not.{design && <> See <a href={`/d/${encodeURIComponent(design)}/traffic`}>all of them</a>.</>}</p>}
            {row.scan && <p class="quiet small">A Scan reads {row.index ? "the index" : "the table"} from its beginning, whatever the filter keeps.</p>}
          </dd>
        </>
      )}
      {row.scanned !== undefined && (
        <>
          <dt>Read</dt>
          <dd>
            {plural(row.scanned, "item")}, the client got {amount(row.returned)} {isWasteful(row) && <Badge kind="warn">most of them for nothing</Badge>}
          </dd>
        </>
      )}
      {(row.read || row.write) && <><dt>Capacity</dt><dd>{[row.read && plural(row.read, "read unit"), row.write && plural(row.write, "write unit")].filter(Boolean).join(", ")}</dd></>}
      <dt>Took</dt><dd>{milliseconds(row.ms)} ms</dd>
      <dt>Size</dt><dd>{bytes(row.sent)} sent, {bytes(row.received)} answered</dd>
      <dt>Status</dt><dd>{row.status}</dd>
      {row.key && <><dt>Key</dt><dd class="mono">{row.key}</dd></>}
      {row.from && <><dt>From</dt><dd>{row.from === "console" ? "a console" : "a tool of Tavola"}</dd></>}
    </dl>
  );
}

interface BodyProps {
  whole: Whole;
  isShown: boolean;
  onShow: () => void;
}

const written = (body: string): string => {
  try {
    return exactText(parseExact(body), "");
  } catch {
    return body;
  }
};

function Body({ whole, isShown, onShow }: BodyProps) {
  const [isCodeShown, setCodeShown] = useState(false);
  const isOperation = whole.path === undefined;
  const isKept = whole.body !== undefined;
  useKey("c", "Show the request as code", () => isKept && setCodeShown(true));
  if (!isKept) return <p class="quiet">The body has {bytes(whole.sent)}, and larger ones than 32 KB are not kept: the request cannot be sent again from here.</p>;
  return (
    <>
      <div class="row">
        <Replay row={whole} />
        <button class="button small" type="button" onClick={() => setCodeShown(true)}><Icon name="code" />Code</button>
        {(whole.masked?.length || isShown) && (
          <button class="button small" type="button" aria-pressed={isShown} onClick={onShow}><Icon name={isShown ? "hidden" : "eye"} />{isShown ? "Hide sensitive values" : `Show ${whole.masked!.join(", ")}`}</button>
        )}
      </div>
      {whole.path && <Snippet text={whole.path} label="The request" />}
      {whole.body && <Snippet text={written(whole.body)} label="The body of the request" />}
      {isCodeShown && (
        <Dialog title={`${whole.operation} as code`} onClose={() => setCodeShown(false)}>
          {isOperation ? <Code request={{ operation: whole.operation, body: JSON.parse(whole.body!) as Record<string, unknown> }} /> : <Snippet text={curl(whole)} label="Code" />}
        </Dialog>
      )}
    </>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ path = "", body }: Whole): string {
  const [method, target = ""] = path.split(" ");
  const url = quoted(`${session.value?.endpoint ?? ""}${target}`);
  return method === "GET" ? `curl ${url}` : `curl ${url} \\\n    --header 'Content-Type: application/json' \\\n    --data ${quoted(body ?? "")}`;
}

/** Sends the request once more, as it was. One that changes something asks before. */
function Replay({ row }: { row: Row }) {
  const [isAsked, setAsked] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [answered, setAnswered] = useState<Answered>();
  const [isShown, setShown] = useState(false);
  const [error, setError] = useState<Error>();
  const changes = changesSomething(row);
  const run = async (): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      setAnswered(await sendAgain(await load(row.id, true)));
    } catch (why) {
      setAnswered(undefined);
      setError(why instanceof DbError ? new Error(`${why.kind}: ${why.message}`) : (why as Error));
    } finally {
      setRunning(false);
    }
  };
  useKey("r", "Send the request again", () => (changes ? setAsked(true) : void run()));
  return (
    <>
      <button class="button primary small" type="button" disabled={isRunning || (changes && isReadOnly.value)} title={changes && isReadOnly.value ? "This console is read-only" : "Send it again (R)"} onClick={() => (changes ? setAsked(true) : void run())}>
        <Icon name="refresh" />Send again
      </button>
      {isAsked && <Confirm title={`Send this ${row.operation} again?`} text="It changes the database once more, as it did then." yes="Send again" onYes={() => void run()} onClose={() => setAsked(false)} />}
      {error && <Problem error={error} />}
      {answered && (
        <div class="answered" role="status">
          <p class="small"><Badge kind="good">Answered</Badge> <span class="quiet">in {milliseconds(answered.ms)} ms, seen from here{answered.items === undefined ? "" : ` · ${plural(answered.items, "item")}`}</span></p>
          {answered.secrets.length === 0 || isShown ? (
            <Snippet text={answered.text} label="The answer" />
          ) : (
            <button class="button small" type="button" onClick={() => setShown(true)}><Icon name="eye" />Show the answer, also {answered.secrets.join(", ")}</button>
          )}
        </div>
      )}
    </>
  );
}
