// The frame of all views: navigation with the tables, theme, time zone, read-only switch; and the place where the view of the URL is shown.
import { type Signal, computed, effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { follow, go, path, query } from "web/route";
import { Icon } from "web/ui/icons";
import { Mark } from "web/ui/mark";
import { Empty, Problem } from "web/ui/table";
import { ThemeButton } from "web/ui/theme";
import { Toasts } from "web/ui/toast";
import { loadTables, names, tables } from "./db/tables";
import { compact, setZone, zone, zoneName, zones } from "./format";
import { onKey, useKey } from "./keys";
import { KeyboardHelp, isHelpOpen } from "./keyboard_help";
import { Palette, isPaletteOpen } from "./palette";
import { type Match, type View, type ViewProps, isOffered, matchOf, tableUrl, tabsOf, urlOf, views } from "./routes";
import { has, isGuarded, isOnline, isReadOnly, logOut, session, setGuard } from "./session";

const match = computed<Match | undefined>(() => matchOf(path.value));

const loaded = new Map<View, ComponentType<ViewProps>>();

/** Shows the view of the URL; its code is loaded when it is needed for the first time. */
function Shown() {
  const [, setLoads] = useState(0);
  const [error, setError] = useState<Error>();
  const found = match.value;
  const load = (): void => {
    if (!found || loaded.has(found.view)) return;
    setError(undefined);
    found.view.load().then(
      (part) => (loaded.set(found.view, part.default), setLoads((count) => count + 1)),
      () => setError(new Error("This part of the console cannot be loaded. The server may have been stopped or replaced: load the page again.")),
    );
  };
  useEffect(load, [found?.view]);
  if (!found) return <NotFound />;
  if (error) return <Problem error={error} again={load} />;
  const Part = loaded.get(found.view);
  if (!Part) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return <Part key={found.view.url + Object.values(found.params).join("/")} params={found.params} query={query.value} />;
}

function NotFound() {
  return (
    <Empty icon="search" title="There is no such view">
      <p>The address may be from another version of the console. <a href="/">All tables</a></p>
    </Empty>
  );
}

const isCurrent = (view: View): boolean => match.value?.view === view;
const filter = signal("");

function TableLinks() {
  const all = names.value ?? [];
  const shown = all.filter((name) => name.toLowerCase().includes(filter.value.toLowerCase()));
  const current = match.value?.params["table"];
  return (
    <section class="side-tables" aria-label="Tables">
      <div class="side-title">
        <span>Tables</span>
        <span class="number">{names.value ? all.length : ""}</span>
        <a class="button plain small" href="/new" aria-label="New table" title="New table"><Icon name="plus" /></a>
      </div>
      {all.length > 12 && (
        <input class="side-filter" type="search" placeholder="Filter tables" aria-label="Filter tables" value={filter.value} onInput={(e) => (filter.value = e.currentTarget.value)} />
      )}
      <ul>
        {shown.slice(0, 300).map((name) => (
          <li key={name}>
            <a href={tableUrl(name)} aria-current={name === current ? "page" : undefined} title={name}>
              <span class="name">{name}</span>
              <span class="number">{tables.value.has(name) ? compact(tables.value.get(name)!.ItemCount) : ""}</span>
            </a>
          </li>
        ))}
      </ul>
      {names.value && shown.length === 0 && <p class="quiet small side-note">{all.length === 0 ? "None yet." : "No table has such a name."}</p>}
    </section>
  );
}

/** There are some four hundred zones, so they are listed when somebody comes near: before, they would take half of the time until the first paint. */
function Zone() {
  const [isNear, setNear] = useState(false);
  const come = (): void => setNear(true);
  const others = isNear ? Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC") : [zone.value].filter((name) => !(zones as readonly string[]).includes(name));
  return (
    <select class="side-zone" aria-label="Time zone" title={`Times are shown in ${zoneName.value}`} value={zone.value} onPointerEnter={come} onFocus={come} onChange={(e) => setZone(e.currentTarget.value)}>
      <option value="local">Local time</option>
      {[...zones.slice(1), ...others].map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  );
}

function Guard() {
  const isFixed = session.value?.mode === "read-only";
  const text = isFixed ? "The server was started with --console read-only" : isGuarded.value ? "This browser changes nothing. Switch off to write" : "Switch on, and this browser changes nothing";
  return (
    <label class="switch" title={text}>
      <input type="checkbox" role="switch" checked={isReadOnly.value} disabled={isFixed} onChange={(e) => setGuard(e.currentTarget.checked)} />
      <span>Read-only</span>
    </label>
  );
}

function Side() {
  const upstream = session.value?.upstream;
  return (
    <header class="side" id="side" popover="auto">
      <a class="brand" href="/"><Mark /><span class="name">Tavola</span></a>
      <button class="side-search" type="button" onClick={() => (isPaletteOpen.value = true)}>
        <Icon name="search" /><span class="grow">Search, open, run</span><kbd>Ctrl K</kbd>
      </button>
      <nav class="side-nav" aria-label="Main">
        {views.filter((view) => view.icon && isOffered(view)).map((view) => (
          <a key={view.url} href={view.url} aria-current={isCurrent(view) ? "page" : undefined}><Icon name={view.icon!} />{view.name}</a>
        ))}
      </nav>
      <TableLinks />
      <div class="side-foot">
        {upstream && <p class="quiet small" title={upstream}>at {upstream}</p>}
        <Guard />
        <div class="row">
          <Zone />
          <ThemeButton />
          <button class="button plain small" type="button" aria-label="Keyboard help" title="Keyboard help (?)" onClick={() => (isHelpOpen.value = true)}><Icon name="keyboard" /></button>
          {has("logout") && <button class="button plain small" type="button" aria-label="Log out" title="Log out" onClick={() => void logOut()}><Icon name="out" /></button>}
        </div>
      </div>
    </header>
  );
}

/** The name of the table or design above its views, which are tabs. */
function TabHead({ found }: { found: Match }) {
  const tabs = tabsOf(found.view).filter((view) => isOffered(view, found.params));
  const subject = Object.values(found.params)[0] ?? "";
  const nav = useRef<HTMLElement>(null);
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [found.view, subject]);
  return (
    <div class="head">
      <h1 class="mono">{subject}</h1>
      <nav class="tabs" aria-label={`Views of ${subject}`} ref={nav}>
        {tabs.map((view) => (
          <a key={view.url} href={urlOf(view.url, found.params)} aria-current={isCurrent(view) ? "page" : undefined}>{view.tab}</a>
        ))}
      </nav>
    </div>
  );
}

function useTitle(found: Signal<Match | undefined>): void {
  useEffect(
    () =>
      effect(() => {
        const subject = Object.values(found.value?.params ?? {})[0];
        document.title = [subject, found.value?.view.name, "Tavola"].filter(Boolean).join(" · ");
      }),
    [],
  );
}

/** Closes the navigation of a phone, and moves the focus to the new view, so that a screen reader begins there. */
function useArrival(): void {
  const [first] = useState({ path: path.value });
  useEffect(() => {
    if (first.path === path.value) return;
    first.path = "";
    (document.getElementById("side") as HTMLElement).hidePopover();
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path.value]);
}

export function Frame() {
  const found = match.value;
  useTitle(match);
  useArrival();
  useEffect(() => void loadTables(), []);
  useLayoutEffect(() => (addEventListener("keydown", onKey), () => removeEventListener("keydown", onKey)), []);
  useKey("mod+k", "Search tables, views and actions", openPalette);
  useKey("?", "Show these keys", openHelp);
  useKey("g t", "Go to the tables", goHome);
  return (
    <div class="shell" onClick={follow}>
      <a class="skip" href="#content" data-load>Skip to the content</a>
      <div class="phone-head">
        <button class="button plain" type="button" popovertarget="side" aria-label="Navigation"><Icon name="menu" /></button>
        <a class="brand" href="/"><Mark /><span class="name">{found?.params["table"] ?? "Tavola"}</span></a>
        <button class="button plain" type="button" aria-label="Search, open, run" onClick={openPalette}><Icon name="search" /></button>
      </div>
      <Side />
      <main class="content" id="content" tabIndex={-1}>
        {!isOnline.value && <div class="notice" role="status">The server cannot be reached. The page tries again with your next step.</div>}
        {found?.view.tab && <TabHead found={found} />}
        <Shown />
      </main>
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <KeyboardHelp />}
      <Toasts />
    </div>
  );
}

const openPalette = (): void => void (isPaletteOpen.value = true);
const openHelp = (): void => void (isHelpOpen.value = true);
const goHome = (): void => go("/");
