// The form of a site: added, or changed.
import * as catalogue from "generated/fus-main";
import { useState } from "preact/hooks";
import { ask, service } from "web/session";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { say } from "web/ui/toast";
import { inWords, webAddress } from "./catalogue";

type Texts = Record<"url" | "title" | "description" | "scrapedContent" | "tags", string>;

const textsOf = (site: catalogue.Site | undefined): Texts => ({
  url: site?.url ?? "https://", title: site?.title ?? "", description: site?.description ?? "", scrapedContent: site?.scrapedContent ?? "", tags: (site?.tags ?? []).join(", "),
});

const tagsOf = (text: string): string[] => [...new Set(text.split(",").map((tag) => tag.trim()).filter((tag) => tag !== ""))];

async function save(site: catalogue.Site | undefined, texts: Texts): Promise<catalogue.Site> {
  const given = (text: string): string | undefined => text.trim() || undefined;
  const { url, title } = texts;
  if (!site) {
    return catalogue.createSite(service, { url: url.trim(), title: title.trim(), description: given(texts.description), scrapedContent: given(texts.scrapedContent), tags: tagsOf(texts.tags) });
  }
  // Only what changed is sent: somebody else may have changed the rest.
  const before = textsOf(site);
  const changed: Record<string, unknown> = {};
  for (const name of ["url", "title", "description", "scrapedContent"] as const) {
    if (texts[name].trim() !== before[name].trim()) changed[name] = given(texts[name]) ?? null;
  }
  if (tagsOf(texts.tags).join() !== tagsOf(before.tags).join()) changed["tags"] = tagsOf(texts.tags);
  return Object.keys(changed).length === 0 ? site : catalogue.updateSite(service, { site: site.site, ...changed });
}

/** What the server read at an address. */
interface FoundPage {
  url: string;
  title: string;
  description: string;
  text: string;
}

const names = { title: "title", description: "description", scrapedContent: "text" } as const;

/** Puts what was found into the form, where there is something, and returns the words of what it changed. */
function takeFound(texts: Texts, found: FoundPage): { texts: Texts; changed: string[] } {
  const next = { ...texts, url: found.url };
  const changed: string[] = [];
  for (const name of ["title", "description", "scrapedContent"] as const) {
    const text = found[names[name]];
    if (text === "" || text === texts[name].trim()) continue;
    next[name] = text;
    changed.push(names[name]);
  }
  return { texts: next, changed };
}

function foundInWords(changed: string[]): string {
  if (changed.length === 0) return "The page says what is here already.";
  const last = changed.at(-1);
  const list = changed.length === 1 ? last : `${changed.slice(0, -1).join(", ")} and ${last}`;
  return `From the page: ${list}. Change what you like, then save.`;
}

function ReadPage({ name, isPossible, status, onRead }: { name: string; isPossible: boolean; status: string; onRead: () => Promise<void> }) {
  return (
    <div class="row whole">
      <button class="button" type="button" disabled={!isPossible} onClick={() => void onRead()}>
        {name}
      </button>
      <span class="quiet small" role="status">
        {status}
      </span>
    </div>
  );
}

export function EditSite({ site, onClose, onSaved }: { site?: catalogue.Site; onClose: () => void; onSaved: (site: catalogue.Site) => void }) {
  const [texts, setTexts] = useState(textsOf(site));
  const [wrong, setWrong] = useState<{ parameter: string | undefined; text: string } | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [found, setFound] = useState("");
  const readPage = async (): Promise<void> => {
    setBusy(true);
    setWrong(undefined);
    setFound("");
    try {
      const read = takeFound(texts, await ask<FoundPage>("/api/page", { url: texts.url.trim() }));
      setTexts(read.texts);
      setFound(foundInWords(read.changed));
    } catch (error) {
      setWrong({ parameter: "url", text: inWords(error) });
    }
    setBusy(false);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setWrong(undefined);
    try {
      const saved = await save(site, texts);
      say(site ? `${saved.title} is saved.` : `${saved.title} is added.`);
      onClose();
      onSaved(saved);
    } catch (error) {
      setWrong({ parameter: error instanceof catalogue.Refused ? error.parameter : undefined, text: inWords(error) });
      setBusy(false);
    }
  };
  const set = (name: keyof Texts) => (event: { currentTarget: { value: string } }): void => setTexts({ ...texts, [name]: event.currentTarget.value });
  const wrongIn = (name: keyof Texts): string | undefined => (wrong?.parameter === name ? wrong.text : undefined);
  return (
    <Dialog title={site ? `Edit ${site.title}` : "Add a site"} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <Field label="Address" wrong={wrongIn("url")} whole>
          {(id) => <input {...id} name="url" type="url" required pattern="https?://.+" title="An address that begins with https:// or http://" autofocus value={texts.url} onInput={set("url")} />}
        </Field>
        <ReadPage name={site ? "Read the page again" : "Read the page"} isPossible={!isBusy && webAddress(texts.url.trim()) !== undefined} status={isBusy ? "One moment …" : found || "Fills in title, description and text."} onRead={readPage} />
        <Field label="Title" wrong={wrongIn("title")} whole>
          {(id) => <input {...id} name="title" required maxLength={300} value={texts.title} onInput={set("title")} />}
        </Field>
        <Field label="Tags" hint="Separated by commas" wrong={wrongIn("tags")} whole>
          {(id) => <input {...id} name="tags" value={texts.tags} onInput={set("tags")} />}
        </Field>
        <Field label="Description" wrong={wrongIn("description")} whole>
          {(id) => <textarea {...id} name="description" rows={3} maxLength={5000} value={texts.description} onInput={set("description")} />}
        </Field>
        <Field label="Text of the page" hint="The search looks into it" wrong={wrongIn("scrapedContent")} whole>
          {(id) => <textarea {...id} name="scrapedContent" rows={6} maxLength={80000} value={texts.scrapedContent} onInput={set("scrapedContent")} />}
        </Field>
        {wrong && !(wrong.parameter && wrong.parameter in texts) && <p class="notice bad whole" role="alert">{wrong.text}</p>}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
