// The command palette (Ctrl-K): tables, views and actions by a few letters of their names.
import { signal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { go, path, query } from "web/route";
import { Icon } from "web/ui/icons";
import { setTheme, theme } from "web/ui/theme";
import { keptUrl, saved } from "./browse/kept";
import { names } from "./db/tables";
import type { Design } from "./designs/api";
import { setZone, zone } from "./format";
import { isHelpOpen } from "./keyboard_help";
import { isOffered, matchOf, tableUrl, tabsOf, urlOf, views } from "./routes";
import { has, isGuarded, isReadOnly, session, setGuard } from "./session";

export const isPaletteOpen = signal(false);

interface Command {
  name: string;
  note: string;
  icon: string;
  run: () => void;
}

const open = (url: string) => (): void => go(url);

const ofItem = ["/t/:table/item", "/t/:table/history"];

/** The other views of the item that the view is about. */
function ofThisItem(): Command[] {
  const here = matchOf(path.value);
  const key = query.value.get("key");
  if (!here || key === null || !ofItem.includes(here.view.url)) return [];
  const others = views.filter((view) => ofItem.includes(view.url) && view !== here.view && isOffered(view));
  return others.map((view) => ({ name: `This item: ${view.name}`, note: "View", icon: "file", run: open(`${urlOf(view.url, here.params)}?key=${encodeURIComponent(key)}`) }));
}

function commands(): Command[] {
  const here = matchOf(path.value);
  const subject = Object.values(here?.params ?? {})[0] ?? "";
  const beside = here ? tabsOf(here.view).filter((view) => view !== here.view && isOffered(view, here.params)) : [];
  return [
    ...ofThisItem(),
    ...beside.map((view) => ({ name: `${subject}: ${view.tab}`, note: "View", icon: "file", run: open(urlOf(view.url, here!.params)) })),
    ...(names.value ?? []).map((name) => ({ name, note: "Table", icon: "table", run: open(tableUrl(name)) })),
    ...(session.value?.designs ?? []).map(({ name }) => ({ name, note: "Design", icon: "shape", run: open(`/d/${encodeURIComponent(name)}`) })),
    ...views.filter((view) => !view.url.includes(":") && isOffered(view)).map((view) => ({ name: view.name, note: "View", icon: view.icon ?? "file", run: open(view.url) })),
    ...(["light", "dark", "auto"] as const).filter((one) => one !== theme.value).map((one) => ({ name: `Theme: ${one}`, note: "Setting", icon: "sun", run: () => setTheme(one) })),
    ...["UTC", "local"].filter((one) => one !== zone.value).map((one) => ({ name: `Times in ${one === "local" ? "local time" : one}`, note: "Setting", icon: "clock", run: () => setZone(one) })),
    { name: isGuarded.value ? "Read-only: off" : "Read-only: on", note: "Setting", icon: "shield", run: () => setGuard(!isGuarded.value) },
    { name: "Keyboard help", note: "Help", icon: "keyboard", run: () => (isHelpOpen.value = true) },
  ];
}

/** What is found by its name only: views of every table, saved requests, patterns and operations of designs. */
function furtherCommands(designs: readonly Design[]): Command[] {
  const tabs = views.filter((view) => view.url.startsWith("/t/:table") && (view.tab ?? view.tool) && view.url !== "/t/:table/items");
  const ofTables = (names.value ?? []).flatMap((table) =>
    tabs.filter((view) => isOffered(view, { table }) && !(view.tool && isReadOnly.value)).map((view) => ({ name: `${table}: ${view.tab ?? view.tool}`, note: "View", icon: "file", run: open(urlOf(view.url, { table })) })),
  );
  const ofDesigns = designs.flatMap(({ name: design, patterns, operations }) => [
    ...patterns.filter(({ planned }) => !planned).map(({ name }) => ({ name: `${name} of ${design}`, note: "Pattern", icon: "play", run: open(`/d/${encodeURIComponent(design)}/run?pattern=${encodeURIComponent(name)}`) })),
    ...operations.map(({ name }) => ({ name: `${name} of ${design}`, note: "Operation", icon: "play", run: open(`/d/${encodeURIComponent(design)}/run?operation=${encodeURIComponent(name)}`) })),
  ]);
  return [...saved.value.map((one) => ({ name: `${one.table}: ${one.name}`, note: "Saved request", icon: "star", run: open(keptUrl(one)) })), ...ofDesigns, ...ofTables];
}

const designsMost = 10; // whose patterns are asked for

/** The designs that are served, as they come; nothing is asked before somebody opens the palette. */
function useDesigns(): readonly Design[] {
  const [designs, setDesigns] = useState<readonly Design[]>([]);
  useEffect(() => {
    if (!has("designs") || !has("lenses")) return;
    const wanted = (session.peek()?.designs ?? []).slice(0, designsMost);
    void import("./designs/api").then(({ knownDesign, loadDesign }) => {
      for (const { name } of wanted) void Promise.resolve(knownDesign(name) ?? loadDesign(name)).then((one) => setDesigns((now) => [...now, one]), () => undefined);
    });
  }, []);
  return designs;
}

/** Returns how well a name fits what was typed: smaller is better, undefined if its letters are not there in this order. */
function distance(name: string, typed: string): number | undefined {
  const found = name.indexOf(typed);
  if (found >= 0) return found;
  let at = -1;
  for (const letter of typed) {
    at = name.indexOf(letter, at + 1);
    if (at < 0) return undefined;
  }
  return 100 + at;
}

const shownMost = 50;

function useFound(typed: string): Command[] {
  const designs = useDesigns();
  const first = useMemo(commands, []);
  const further = useMemo(() => furtherCommands(designs), [designs]);
  return useMemo(() => {
    const all = typed.trim() === "" ? first : [...first, ...further.filter(({ name }) => !first.some((one) => one.name === name))];
    const rated = all.map((command) => ({ command, rate: distance(command.name.toLowerCase(), typed.trim().toLowerCase()) }));
    const fitting = rated.filter((one): one is { command: Command; rate: number } => one.rate !== undefined);
    return fitting.sort((a, b) => a.rate - b.rate).slice(0, shownMost).map(({ command }) => command);
  }, [first, further, typed]);
}

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const found = useFound(typed);
  useLayoutEffect(() => dialog.current?.showModal(), []); // the next letter is for it
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  const run = (command: Command | undefined): void => {
    dialog.current?.close(); // the focus goes back to where it was
    isPaletteOpen.value = false;
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((now) => (now + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog class="palette" ref={dialog} aria-label="Search, open, run" onClose={() => dialog.current && (isPaletteOpen.value = false)} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <div class="palette-input">
        <Icon name="search" />
        <input
          role="combobox" aria-expanded="true" aria-controls={`${id}-list`} aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined} aria-label="Table, view or action"
          placeholder="Table, view or action" value={typed} autofocus spellcheck={false} onKeyDown={onKeyDown} onInput={(e) => (setTyped(e.currentTarget.value), setChosen(0))}
        />
        <kbd>Esc</kbd>
      </div>
      <ul role="listbox" id={`${id}-list`} aria-label="Found">
        {found.map((command, at) => (
          <li key={command.note + command.name} id={`${id}-${at}`} role="option" aria-selected={at === chosen} onClick={() => run(command)} onPointerMove={() => setChosen(at)}>
            <Icon name={command.icon} /><span class="name">{command.name}</span><span class="quiet small">{command.note}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet palette-none">Nothing has such a name.</p>}
    </dialog>
  );
}
