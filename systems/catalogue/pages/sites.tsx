// The sites: the newest first, those with a tag, or those with the words that were typed.
import * as catalogue from "generated/fus-main";
import { useState } from "preact/hooks";
import { number } from "web/format";
import { useLoad, usePages } from "web/load";
import { may } from "web/rights";
import { go, query } from "web/route";
import { ask, service } from "web/session";
import { Field } from "web/ui/form";
import { useSubject } from "web/ui/frame";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { SiteCard, siteHref, type SiteSummary, tagHref } from "./catalogue";
import { EditSite } from "./edit_site";

interface Hit extends SiteSummary {
  excerpt: string;
}

const Loading = () => <div class="loading" role="progressbar" aria-label="Loading" />;

export function Sites() {
  const [isAdding, setAdding] = useState(false);
  const words = query.value.get("q") ?? "";
  const tag = query.value.get("tag") ?? "";
  return (
    <>
      <div class="page-head">
        <h1>{tag ? `Sites about ${tag}` : words ? "Sites found" : "Sites"}</h1>
        {may("createSite") && (
          <button class="button primary" type="button" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            Add a site
          </button>
        )}
      </div>
      <Search words={words} key={words} />
      {tag ? <ByTag tag={tag} key={tag} /> : words ? <Found words={words} /> : <Newest />}
      {isAdding && <EditSite onClose={() => setAdding(false)} onSaved={(site) => go(siteHref(site.site))} />}
    </>
  );
}

function Search({ words }: { words: string }) {
  const [text, setText] = useState(words);
  const submit = (event: Event): void => {
    event.preventDefault();
    go(text.trim() ? `/?q=${encodeURIComponent(text.trim())}` : "/");
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <Field label="Search in titles, tags and text">
        {(id) => <input {...id} type="search" name="q" maxLength={100} value={text} onInput={(e) => setText(e.currentTarget.value)} />}
      </Field>
      <button class="button" type="submit">
        <Icon name="search" />
        Search
      </button>
    </form>
  );
}

function Newest() {
  const { items, error, isLoading, more, again } = usePages((page) => catalogue.newestSitesPage(service, page), []);
  const count = new Map<string, number>();
  for (const site of items) for (const tag of site.tags ?? []) count.set(tag, (count.get(tag) ?? 0) + 1);
  const common = [...count].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 16);
  if (error) return <Problem error={error} again={again} />;
  if (isLoading && items.length === 0) return <Loading />;
  if (items.length === 0) {
    return (
      <Empty icon="globe" title="No sites yet">
        <p>{may("createSite") ? "Add the first one." : "Managers add sites; come back later."}</p>
      </Empty>
    );
  }
  return (
    <>
      {common.length > 0 && (
        <nav class="tags" aria-label="Frequent tags">
          {common.map(([tag, sites]) => (
            <a key={tag} class="badge" href={tagHref(tag)}>
              {tag} <span class="quiet">{number(sites)}</span>
            </a>
          ))}
        </nav>
      )}
      <List sites={items} textOf={(site) => site.description} more={more} />
    </>
  );
}

function ByTag({ tag }: { tag: string }) {
  useSubject(tag);
  const { items, error, isLoading, more, again } = usePages((page) => catalogue.sitesByTagPage(service, { tag }, page), [tag]);
  if (error) return <Problem error={error} again={again} />;
  if (isLoading && items.length === 0) return <Loading />;
  if (items.length === 0) return <Empty icon="globe" title={`No site has the tag ${tag}`}>{<a href="/">All sites</a>}</Empty>;
  const newest = [...items].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <>
      <a href="/">All sites</a>
      <List sites={newest} textOf={(site) => site.description} more={more} />
    </>
  );
}

function Found({ words }: { words: string }) {
  const { state, again } = useLoad(() => ask<Hit[]>(`/api/search?q=${encodeURIComponent(words)}`), [words]);
  const { value, error, isLoading } = state.value;
  useSubject(words);
  if (error) return <Problem error={error} again={again} />;
  if (!value || isLoading) return <Loading />;
  if (value.length === 0) {
    return (
      <Empty icon="search" title={`No site has “${words}”`}>
        <p>Every word must be in the title, the tags, the description or the text.</p>
        <a href="/">All sites</a>
      </Empty>
    );
  }
  return <List sites={value} textOf={(hit) => hit.excerpt} />;
}

function List<T extends SiteSummary>(props: { sites: T[]; textOf: (site: T) => string | undefined; more?: (() => void) | undefined }) {
  return (
    <>
      <ul class="cards">
        {props.sites.map((site) => (
          <SiteCard key={site.site} site={site} text={props.textOf(site)} />
        ))}
      </ul>
      {props.more && (
        <div class="row">
          <button class="button" type="button" onClick={props.more}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}
