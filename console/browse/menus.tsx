// What is beside a request: its code to copy, the saved and recent ones, and the choice of columns.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { go } from "web/route";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { say } from "web/ui/toast";
import { Code } from "./code";
import type { Request } from "./codes";
import { forget, keptUrl, recent, save, saved } from "./kept";
import { questionOf } from "./question";

/** A button that opens what belongs to it; the browser closes it on Escape and on a click elsewhere, and so does a choice in it. */
export function Menu({ icon, name, isWide, children }: { icon: string; name: string; isWide?: boolean; children: ComponentChildren }) {
  const id = `menu${useId()}`;
  const place = (event: ToggleEvent): void => {
    const menu = event.currentTarget as HTMLElement;
    if (event.newState !== "open") return;
    const button = document.querySelector(`[popovertarget="${id}"]`)!.getBoundingClientRect();
    menu.style.top = `${Math.min(button.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
    menu.style.left = `${Math.max(8, Math.min(button.left, innerWidth - menu.offsetWidth - 8))}px`;
  };
  const closeAfterChoice = (event: MouseEvent): void => {
    if ((event.target as Element).closest("a.menu-item, button.menu-item")) (event.currentTarget as HTMLElement).hidePopover();
  };
  return (
    <>
      <button class="button small" type="button" popovertarget={id} aria-label={name}><Icon name={icon} /><span class="word">{name}</span></button>
      <div class={`menu ${isWide ? "wide" : ""}`} id={id} popover="auto" onToggle={place} onClick={closeAfterChoice}>{children}</div>
    </>
  );
}

export function CodeDialog({ request, onClose }: { request: Request; onClose: () => void }) {
  return <Dialog title={`This ${request.operation} as code`} onClose={onClose}><Code request={request} /></Dialog>;
}

/** Says in a line what a kept request asks. */
function summary(search: string): string {
  const { index, partition, sort, filters, isDescending } = questionOf(new URLSearchParams(search));
  const parts = [
    ...(index ? [index] : []), ...partition.filter(Boolean), ...sort.filter(({ values }) => values[0]).map(({ operator, values }) => `${operator} ${values.join(" and ")}`),
    ...filters.map(({ path, operator, values }) => `${path} ${operator} ${values.join(", ")}`.trim()), ...(isDescending ? ["descending"] : []),
  ];
  return parts.join(" · ") || "all items";
}

export function KeptMenu({ table, search }: { table: string; search: string }) {
  const [isNaming, setNaming] = useState(false);
  const own = saved.value.filter((one) => one.table === table);
  const others = recent.value.filter((one) => one.table === table).slice(0, 12);
  return (
    <>
      <Menu icon="star" name="Requests" isWide>
        <button class="menu-item" type="button" onClick={() => setNaming(true)}><Icon name="plus" />Save this request</button>
        {own.length > 0 && <h3>Saved</h3>}
        {own.map((one) => (
          <div class="menu-line" key={one.name}>
            <a class="menu-item" href={keptUrl(one)}><strong>{one.name}</strong><span class="quiet small">{summary(one.search)}</span></a>
            <button class="button plain small" type="button" aria-label={`Forget ${one.name}`} onClick={() => forget(one)}><Icon name="close" /></button>
          </div>
        ))}
        {others.length > 0 && <h3>Recent</h3>}
        {others.map((one) => <a class="menu-item" key={one.search} href={keptUrl(one)}><span>{summary(one.search)}</span></a>)}
        {own.length + others.length === 0 && <p class="quiet small menu-note">Requests with conditions that you send are listed here. They stay in this browser.</p>}
      </Menu>
      {isNaming && <NameDialog title="Save this request" first={summary(search)} hint={summary(search)} onSave={(name) => save({ table, search, name })} onClose={() => setNaming(false)} />}
    </>
  );
}

/** Asks for the name of what is kept. */
export function NameDialog({ title, first, hint, onSave, onClose }: { title: string; first: string; hint: string; onSave: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState(first);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSave(name);
    say(`“${name}” is saved in this browser`);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack wide" onSubmit={submit}>
        <Field label="Name" hint={hint}>{(id) => <input {...id} value={name} required autofocus onInput={(e) => setName(e.currentTarget.value)} />}</Field>
        <div class="form-end"><button class="button primary" type="submit">Save</button></div>
      </form>
    </Dialog>
  );
}

export function ColumnsMenu({ all, chosen, onChange }: { all: readonly string[]; chosen: readonly string[]; onChange: (columns: string[]) => void }) {
  const shown = chosen.length > 0 ? chosen : all;
  const toggle = (name: string): void => onChange(shown.includes(name) ? shown.filter((one) => one !== name) : all.filter((one) => one === name || shown.includes(one)));
  return (
    <Menu icon="columns" name="Columns">
      {chosen.length > 0 && <button class="menu-item" type="button" onClick={() => onChange([])}>Show all</button>}
      {all.map((name) => (
        <label class="menu-item" key={name}>
          <input type="checkbox" checked={shown.includes(name)} disabled={shown.length === 1 && shown.includes(name)} onChange={() => toggle(name)} /><span>{name}</span>
        </label>
      ))}
    </Menu>
  );
}

export const openKept = (table: string, search: string): void => go(keptUrl({ table, search }));
