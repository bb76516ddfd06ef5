// What several views share: how a site, its stars and its tags look, and the words of refusals.
import * as catalogue from "generated/fus-main";
import { number } from "web/format";
import { useLoad, usePages } from "web/load";
import { service } from "web/session";
import { Icon } from "web/ui/icons";

/** What a card shows; a hit of the search has it, too. */
export interface SiteSummary {
  site: string;
  url: string;
  title: string;
  tags?: string[] | undefined;
  ratingSum: catalogue.Numeric;
  ratingCount: catalogue.Numeric;
  commentCount: catalogue.Numeric;
}

export const siteHref = (site: string): string => `/site?id=${encodeURIComponent(site)}`;
export const tagHref = (tag: string): string => `/?tag=${encodeURIComponent(tag)}`;

/** The address, if a click on it may leave for it: a page of the web. */
export function webAddress(url: string): URL | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed : undefined;
}

export const hostOf = (url: string): string => webAddress(url)?.hostname.replace(/^www\./, "") ?? url;

/** The average of all stars with one digit, rounded; undefined without a rating. */
export function averageOf(sum: catalogue.Numeric, count: catalogue.Numeric): catalogue.Decimal | undefined {
  const [stars, people] = [BigInt(sum.toString()), BigInt(count.toString())];
  if (people === 0n) return undefined;
  const tenths = (20n * stars + people) / (2n * people);
  return catalogue.Decimal.of(`${tenths / 10n}.${tenths % 10n}`);
}

const fiveStars = [1, 2, 3, 4, 5];

export function Stars({ average }: { average: catalogue.Decimal | undefined }) {
  if (!average) return <span class="stars none">Not rated yet</span>;
  return (
    <span class="stars" role="img" aria-label={`${number(average)} of 5 stars`}>
      <span class="all" aria-hidden="true">
        {fiveStars.map((one) => (
          <Icon key={one} name="star" />
        ))}
        <span class="given" style={{ width: `${Number(average.toString()) * 20}%` }}>
          {fiveStars.map((one) => (
            <Icon key={one} name="star" />
          ))}
        </span>
      </span>
      <strong aria-hidden="true">{number(average)}</strong>
    </span>
  );
}

export function Tags({ tags }: { tags: string[] | undefined }) {
  if (!tags || tags.length === 0) return null;
  return (
    <ul class="tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a class="badge" href={tagHref(tag)}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The first letter of a site on a colour that depends on its host. */
export function SiteMark({ site }: { site: SiteSummary }) {
  let sum = 0;
  for (const letter of hostOf(site.url)) sum = (sum * 31 + letter.charCodeAt(0)) % 6;
  return (
    <span class={`site-mark tone-${sum}`} aria-hidden="true">
      {[...site.title.trim()][0]}
    </span>
  );
}

export const counted = (count: catalogue.Numeric, one: string, many: string): string => `${number(count)} ${count.toString() === "1" ? one : many}`;

export function SiteCard({ site, text }: { site: SiteSummary; text: string | undefined }) {
  return (
    <li class="panel site-card">
      <SiteMark site={site} />
      <div class="about">
        <h2>
          <a href={siteHref(site.site)}>{site.title}</a>
        </h2>
        <span class="quiet small">{hostOf(site.url)}</span>
        {text && <p class="clamped">{text}</p>}
        <Tags tags={site.tags} />
      </div>
      <div class="worth small">
        <Stars average={averageOf(site.ratingSum, site.ratingCount)} />
        <span class="quiet">
          {counted(site.ratingCount, "rating", "ratings")} · {counted(site.commentCount, "comment", "comments")}
        </span>
      </div>
    </li>
  );
}

async function sitesById(ids: string[]): Promise<Map<string, catalogue.Site>> {
  const found = await Promise.all([...new Set(ids)].map((site) => catalogue.getSite(service, { site })));
  return new Map(found.filter((one) => one !== undefined).map((one) => [one.site, one]));
}

/** Loads page after page of what is about sites, and the sites. */
export function usePagesAboutSites<T extends { site: string }>(load: (page: { limit: number; after: string | undefined }) => Promise<catalogue.Page<T>>, on: readonly unknown[]) {
  const pages = usePages(load, on);
  const { state } = useLoad(() => sitesById(pages.items.map((one) => one.site)), [pages.items]);
  return { ...pages, sites: state.value.value };
}

export function SiteLink({ site, sites }: { site: string; sites: Map<string, catalogue.Site> | undefined }) {
  const known = sites?.get(site);
  if (known) return <a href={siteHref(site)}>{known.title}</a>;
  return <span class="quiet">{sites ? "A site that was deleted" : "…"}</span>;
}

/** The words for a refusal of the design. */
export function inWords(error: unknown): string {
  if (!(error instanceof catalogue.Refused)) return error instanceof Error ? error.message : String(error);
  const words: Record<string, string> = {
    SITE_NOT_FOUND: "This site was deleted.",
    GROUP_NOT_FOUND: "This group was deleted.",
    NOT_FOUND: "It was deleted in the meantime.",
    ALREADY_EXISTS: "There is one already.",
    STAFF_GROUP: "Only an admin changes the groups of admins and managers.",
    TOO_MANY: "Too much depends on it to delete it at once.",
    FORBIDDEN: `You may not do this. ${error.message}`,
    NOT_LOGGED_IN: "Your session has ended; log in again.",
  };
  return words[error.refusal] ?? error.message;
}
