// For moderators: the comments on the sites, the newest first.
import * as catalogue from "generated/fus-main";
import { usePages } from "web/load";
import { service } from "web/session";
import { Empty, Panel, Problem } from "web/ui/table";
import { siteHref } from "./catalogue";
import { Comments, type Shown } from "./comments";

const sitesAtOnce = 25;
const commentsOfSite = 20;

interface Remark extends Shown {
  title: string;
}

/** Loads the newest comments on each of the next sites that have any. */
async function nextRemarks(after: string | undefined): Promise<{ items: Remark[]; next: string | undefined }> {
  const sites = await catalogue.newestSitesPage(service, { limit: sitesAtOnce, after });
  const talked = sites.items.filter((site) => site.commentCount.toString() !== "0");
  const found = await Promise.all(talked.map(async (site) => {
    const { items } = await catalogue.commentsForSitePage(service, { site: site.site }, { limit: commentsOfSite });
    return items.map((one) => ({ ...one, title: site.title }));
  }));
  return { items: found.flat(), next: sites.next };
}

export function Moderation() {
  const { items, error, isLoading, more, again } = usePages((page) => nextRemarks(page.after), []);
  const titles = new Map(items.map((one) => [one.site, one.title]));
  const newest = [...items].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <>
      <div class="page-head">
        <h1>Moderation</h1>
      </div>
      <p class="quiet">The latest comments on the newest sites. A deleted comment cannot be restored; its author may write another one.</p>
      {error && <Problem error={error} again={again} />}
      {isLoading && items.length === 0 && <div class="loading" role="progressbar" aria-label="Loading" />}
      {!isLoading && !error && items.length === 0 && <Empty icon="talk" title="No comments" />}
      {items.length > 0 && (
        <Panel>
          <Comments comments={newest} onChanged={again} about={(one) => <>on <a href={siteHref(one.site)}>{titles.get(one.site)}</a></>} />
        </Panel>
      )}
      {more && (
        <div class="row">
          <button class="button" type="button" onClick={more}>
            More sites
          </button>
        </div>
      )}
    </>
  );
}
