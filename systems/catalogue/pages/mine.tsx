// What a person rated and wrote.
import * as catalogue from "generated/fus-main";
import { dayOf } from "web/format";
import { service, session } from "web/session";
import { Empty, Panel, Problem, Table } from "web/ui/table";
import { SiteLink, Stars, usePagesAboutSites } from "./catalogue";
import { Comments } from "./comments";

export function MyRatings() {
  const user = session.value?.user;
  const { items, sites, error, isLoading, more, again } = usePagesAboutSites((page) => catalogue.myRatingsPage(service, { user }, page), [user]);
  return (
    <>
      <div class="page-head">
        <h1>My ratings</h1>
      </div>
      {error && <Problem error={error} again={again} />}
      {isLoading && items.length === 0 && <div class="loading" role="progressbar" aria-label="Loading" />}
      {!isLoading && !error && items.length === 0 && (
        <Empty icon="star" title="You have not rated a site yet">
          <a class="button" href="/">
            To the sites
          </a>
        </Empty>
      )}
      {items.length > 0 && (
        <Panel flush>
          <Table
            caption="My ratings" rows={items} keyOf={(one) => one.site} more={more}
            columns={[
              { name: "Site", show: (one) => <SiteLink site={one.site} sites={sites} /> },
              { name: "Stars", show: (one) => <Stars average={one.stars} /> },
              { name: "Note", show: (one) => <span class="clamped">{one.note ?? "–"}</span> },
              { name: "When", show: (one) => dayOf(one.updatedAt) },
            ]}
          />
        </Panel>
      )}
    </>
  );
}

export function MyComments() {
  const user = session.value?.user;
  const { items, sites, error, isLoading, more, again } = usePagesAboutSites((page) => catalogue.allMyCommentsPage(service, { user }, page), [user]);
  const newest = [...items].sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <>
      <div class="page-head">
        <h1>My comments</h1>
      </div>
      {error && <Problem error={error} again={again} />}
      {isLoading && items.length === 0 && <div class="loading" role="progressbar" aria-label="Loading" />}
      {!isLoading && !error && items.length === 0 && (
        <Empty icon="talk" title="You have not written a comment yet">
          <a class="button" href="/">
            To the sites
          </a>
        </Empty>
      )}
      {items.length > 0 && (
        <Panel>
          <div class="stack">
            <Comments comments={newest} onChanged={again} about={(one) => <>on <SiteLink site={one.site} sites={sites} /></>} />
            {more && (
              <button class="button" type="button" onClick={more}>
                Show more
              </button>
            )}
          </div>
        </Panel>
      )}
    </>
  );
}
