// The request inspector: the requests that the server answers, as they come. The URL of the view has the filter.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { setQuery } from "web/route";
import { Empty, Problem } from "web/ui/table";
import { useKey } from "../keys";
import type { ViewProps } from "../routes";
import { session } from "../session";
import { FilterBar, StateBar } from "./bar";
import { Details } from "./details";
import { Feed, type Filter, type Row, noFilter } from "./feed";
import { List, rowPixels } from "./list";

const filterOf = (query: URLSearchParams): Filter => ({
  table: query.get("table") ?? "", operation: query.get("operation") ?? "", pattern: query.get("pattern") ?? "", status: query.get("status") ?? "", text: query.get("text") ?? "",
  hasOwn: query.get("own") === "yes",
});

export default function Requests({ query }: ViewProps) {
  const search = query.toString();
  const filter = useMemo(() => filterOf(query), [search]);
  const feed = useMemo(() => new Feed(filter), []);
  const chosen = useSignal(0);
  const [opened, setOpened] = useState<Row>();
  const [still, setStill] = useState<{ rows: readonly Row[]; by: "pause" | "scroll" }>();
  const version = feed.version.value;
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, []);
  useEffect(() => (feed.filter(filter), still && setStill({ ...still, rows: [...feed.shown] })), [filter]);
  const rows = still?.rows ?? feed.shown;
  const stand = (by: "pause" | "scroll"): void => setStill((now) => now ?? { rows: [...feed.shown], by });
  const pause = (): void => (still ? setStill(undefined) : stand("pause"));
  const open = (row: Row): void => {
    chosen.value = row.id;
    setOpened(row);
    stand("scroll"); // nobody can read what runs away
  };
  const close = (): void => {
    const list = document.querySelector<HTMLElement>(".requests");
    setOpened(undefined);
    if (still?.by === "scroll" && (list?.scrollTop ?? 0) < rowPixels / 2) setStill(undefined);
    list?.focus();
  };
  const onScrolled = (isAtTop: boolean): void => {
    if (!isAtTop) stand("scroll");
    else if (still?.by === "scroll" && !opened) setStill(undefined);
  };
  useKey("p", "Pause, or go on", pause);
  useKey("/", "Go to the filter", () => document.querySelector<HTMLInputElement>(".filters input")?.focus());
  const waiting = still ? Math.max(0, feed.shown.length - feed.shown.findLastIndex((row) => row.id <= (still.rows.at(-1)?.id ?? 0)) - 1) : 0;
  const setFilter = (next: Filter): void => setQuery({ table: next.table, operation: next.operation, pattern: next.pattern, status: next.status, text: next.text, own: next.hasOwn ? "yes" : "" });
  return (
    <div class="browse" onKeyDown={(event) => event.key === "Escape" && opened && !(event.target as Element).closest("dialog") && close()}>
      <h1 class="visually-hidden">Requests</h1>
      <section class="panel request question" aria-label="Filter of the requests">
        <FilterBar filter={filter} seen={feed.seen} onChange={setFilter} />
      </section>
      {feed.error.value && <Problem error={feed.error.value} again={() => feed.start()} />}
      <section class="panel found" aria-label="Requests">
        <StateBar feed={feed} shown={rows.length} waiting={waiting} isPaused={still !== undefined} onPause={pause} onClear={() => (feed.clear(), setStill(undefined), setOpened(undefined))} />
        {rows.length === 0 && !opened ? (
          <Nothing isFiltered={JSON.stringify(filter) !== JSON.stringify(noFilter)} />
        ) : (
          <div class={`found-body ${opened ? "with-item" : ""}`}>
            <List rows={rows} version={still ? 0 : version} chosen={chosen} onScrolled={onScrolled} onOpen={open} />
            {opened && <Details key={opened.id} row={opened} onClose={close} />}
          </div>
        )}
      </section>
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty icon="pulse" title={isFiltered ? "No request fits the filter" : "No request yet"}>
      <p>{isFiltered ? "Those that come and fit appear here." : <>Requests appear here as your application sends them to <code>{session.value?.endpoint}</code>: what they read, what they cost, and why they are refused. The server records them while this view is open.</>}</p>
    </Empty>
  );
}
