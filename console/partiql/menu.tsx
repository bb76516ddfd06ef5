// Statements to open again: saved ones, and the last that were run.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Menu, NameDialog } from "../browse/menus";
import { type KeptText, forget, forgetRecent, recent, save, saved } from "./kept";

const lettersMost = 90;
const shortOf = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > lettersMost ? `${line.slice(0, lettersMost)}…` : line;
};

export function KeptMenu({ now, onOpen }: { now: KeptText; onOpen: (kept: KeptText) => void }) {
  const [isNaming, setNaming] = useState(false);
  const open = (kept: KeptText) => (event: Event): void => {
    (event.currentTarget as HTMLElement).closest<HTMLElement>("[popover]")?.hidePopover();
    onOpen(kept);
  };
  return (
    <>
      <Menu icon="star" name="Statements" isWide>
        <button class="menu-item" type="button" disabled={now.text.trim() === ""} onClick={() => setNaming(true)}><Icon name="plus" />Save these statements</button>
        {saved.value.length > 0 && <h3>Saved</h3>}
        {saved.value.map((one) => (
          <div class="menu-line" key={one.name}>
            <button class="menu-item" type="button" onClick={open(one)}><strong>{one.name}</strong><span class="quiet small mono">{shortOf(one.text)}</span></button>
            <button class="button plain small" type="button" aria-label={`Forget ${one.name}`} onClick={() => forget(one)}><Icon name="close" /></button>
          </div>
        ))}
        {recent.value.length > 0 && <h3>Recent</h3>}
        {recent.value.map((one) => <button class="menu-item mono small" type="button" key={one.text} onClick={open(one)}>{shortOf(one.text)}</button>)}
        {recent.value.length > 0 && <button class="menu-item quiet" type="button" onClick={forgetRecent}><Icon name="trash" />Forget the recent ones</button>}
        {saved.value.length + recent.value.length === 0 && <p class="quiet small menu-note">Statements that you run are listed here. They stay in this browser.</p>}
      </Menu>
      {isNaming && <NameDialog title="Save these statements" first={shortOf(now.text)} hint={shortOf(now.text)} onSave={(name) => save({ ...now, name })} onClose={() => setNaming(false)} />}
    </>
  );
}
