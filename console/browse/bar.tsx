// What a request has read so far: items, sizes, units, time; and what can be done about the rest: read it, count it, stop.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { sayError } from "web/ui/toast";
import { pagesOf } from "../db/pages";
import { amount, bytes, plural } from "../format";
import type { Results } from "./results";

interface BarProps {
  results: Results;
  whole?: number | undefined; // items of the table, if the request reads all of it
  children?: ComponentChildren; // more to do with what is found
}

export function Bar({ results, whole, children }: BarProps) {
  const { found, scanned, units, bytes: size, milliseconds, requests, isRunning, isComplete } = results.progress.value;
  return (
    <div class="bar" role="status">
      <strong>{plural(found, "item")}</strong>
      {whole !== undefined && !isComplete && <span class="quiet">of {amount(whole)}</span>}
      {!isComplete && !isRunning && <span class="quiet">so far</span>}
      <span class="quiet">{scanned !== found && `${amount(scanned)} read · `}{bytes(size)} · {amount(units)} {units === 1 ? "unit" : "units"} · {plural(requests, "request")} · {amount(Math.round(milliseconds))} ms</span>
      <span class="grow" />
      {isRunning && <progress aria-label="Reading" {...(whole ? { max: whole, value: found } : {})} />}
      {isRunning && <button class="button small" type="button" onClick={() => results.stop()}><Icon name="stop" />Stop</button>}
      {!isRunning && !isComplete && <button class="button small" type="button" onClick={() => void results.read(Infinity)}>Read all</button>}
      {!isComplete && results.request.operation !== "ExecuteStatement" && <Count key={JSON.stringify(results.request.body)} results={results} />}
      {children}
    </div>
  );
}

/** Counts all items of the request without fetching them; the number grows as pages are counted. */
function Count({ results }: { results: Results }) {
  const [counted, setCounted] = useState<{ items: number; isRunning: boolean }>();
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const count = async (): Promise<void> => {
    const { Limit: _, ...body } = results.request.body;
    const stop = (stopping.current = new AbortController());
    let items = 0;
    setCounted({ items, isRunning: true });
    try {
      for await (const page of pagesOf({ ...results.request, body: { ...body, Select: "COUNT" } }, stop.signal)) setCounted({ items: (items += page.count), isRunning: true });
    } catch (why) {
      if (!stop.signal.aborted) sayError(why);
    }
    setCounted({ items, isRunning: false });
  };
  return (
    <>
      {counted && <span><strong class="counted">{amount(counted.items)}</strong> {counted.isRunning || stopping.current.signal.aborted ? "counted so far" : "in all"}</span>}
      {counted?.isRunning ? <button class="button small" type="button" onClick={() => stopping.current.abort()}>Stop counting</button> : <button class="button small" type="button" title="Counts all items without fetching them" onClick={() => void count()}>Count</button>}
    </>
  );
}
