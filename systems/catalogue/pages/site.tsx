// One site: its text, what people think of it, the person's own rating, and comments.
import * as catalogue from "generated/fus-main";
import { useState } from "preact/hooks";
import { changes } from "web/changes";
import { dayOf, number } from "web/format";
import { useLoad } from "web/load";
import { may } from "web/rights";
import { go, query } from "web/route";
import { service, session } from "web/session";
import { Confirm } from "web/ui/dialog";
import { loginPage, useSubject } from "web/ui/frame";
import { Bars, Empty, Panel, Problem } from "web/ui/table";
import { say } from "web/ui/toast";
import { counted, hostOf, inWords, SiteMark, Stars, Tags, webAddress } from "./catalogue";
import { SiteComments } from "./comments";
import { EditSite } from "./edit_site";
import { RateForm } from "./rate_form";

export function SiteView() {
  const id = query.value.get("id") ?? "";
  const { state, again } = useLoad(() => catalogue.getSite(service, { site: id }), [id, changes.value]);
  const { value: site, error, isLoading } = state.value;
  useSubject(site?.title);
  if (error && !site) return <Problem error={error} again={again} />;
  if (isLoading && !site) return <div class="loading" role="progressbar" aria-label="Loading" />;
  if (!site) {
    return (
      <Empty icon="globe" title="There is no such site">
        <p>It may have been deleted.</p>
        <a href="/">To the sites</a>
      </Empty>
    );
  }
  return (
    <>
      <Head site={site} again={again} />
      <div class="site-columns">
        <div class="stack">
          <About site={site} />
          <SiteComments site={site} again={again} />
        </div>
        <div class="stack">
          <Opinions site={site} />
          <MyRating site={site} again={again} />
        </div>
      </div>
    </>
  );
}

function Head({ site, again }: { site: catalogue.Site; again: () => void }) {
  const [open, setOpen] = useState<"edit" | "delete" | undefined>(undefined);
  const remove = (): void => {
    catalogue.deleteSite(service, { site: site.site }).then(
      () => (say(`${site.title} is deleted.`), go("/")),
      (error) => say(inWords(error), { isBad: true }),
    );
  };
  const address = webAddress(site.url);
  return (
    <>
      <div class="page-head site-head">
        <div class="row grow">
          <SiteMark site={site} />
          <div>
            <h1>{site.title}</h1>
            {address ? (
              <a href={address.href} target="_blank" rel="noopener noreferrer">
                {hostOf(site.url)}
              </a>
            ) : (
              <span class="quiet">{site.url}</span>
            )}
          </div>
        </div>
        <div class="row">
          {may("updateSite") && (
            <button class="button" type="button" onClick={() => setOpen("edit")}>
              Edit
            </button>
          )}
          {may("deleteSite") && (
            <button class="button danger" type="button" onClick={() => setOpen("delete")}>
              Delete
            </button>
          )}
        </div>
      </div>
      {open === "edit" && <EditSite site={site} onClose={() => setOpen(undefined)} onSaved={again} />}
      {open === "delete" && (
        <Confirm title={`Delete ${site.title}?`} text="Its tags and comments are deleted with it, and cannot be restored. Ratings stay with their users." yes="Delete" onClose={() => setOpen(undefined)} onYes={remove} />
      )}
    </>
  );
}

function About({ site }: { site: catalogue.Site }) {
  const paragraphs = (site.scrapedContent ?? "").split(/\n+/).filter((text) => text.trim() !== "");
  return (
    <Panel>
      <div class="stack prose">
        {site.description && <p class="lead">{site.description}</p>}
        {paragraphs.map((text, index) => (
          <p key={index}>{text}</p>
        ))}
        {!site.description && paragraphs.length === 0 && <p class="quiet">Nobody has described this site yet.</p>}
        <Tags tags={site.tags} />
        <span class="quiet small">
          Added {dayOf(site.createdAt)}
          {site.updatedAt && site.updatedAt.slice(0, 10) !== site.createdAt.slice(0, 10) && ` · changed ${dayOf(site.updatedAt)}`}
        </span>
      </div>
    </Panel>
  );
}

function Opinions({ site }: { site: catalogue.Site }) {
  const { state, again } = useLoad(async () => {
    const [[row], { items }] = await Promise.all([catalogue.siteRating(service, { site: site.site }), catalogue.starsOfSitePage(service, { site: site.site })]);
    return { average: row?.average, given: new Map(items.map((one) => [one.stars.toString(), one.ratings])) };
  }, [site.site, site.ratingSum.toString(), site.ratingCount.toString()]);
  const { value, error } = state.value;
  const people = Number(site.ratingCount.toString());
  return (
    <Panel title="What people think">
      {error && <Problem error={error} again={again} />}
      {value && (
        <div class="stack">
          <div class="row">
            <Stars average={value.average} />
            {value.average && <span class="quiet small">{counted(site.ratingCount, "rating", "ratings")}</span>}
          </div>
          {value.average && (
            <Bars
              rows={["5", "4", "3", "2", "1"].map((stars) => {
                const given = value.given.get(stars) ?? catalogue.Decimal.of(0);
                return { name: stars === "1" ? "1 star" : `${stars} stars`, value: number(given), share: people === 0 ? 0 : Number(given.toString()) / people };
              })}
            />
          )}
        </div>
      )}
    </Panel>
  );
}

function MyRating({ site, again }: { site: catalogue.Site; again: () => void }) {
  const user = session.value?.user ?? "";
  const { state, again: askAgain } = useLoad(async () => (user ? catalogue.myRating(service, { site: site.site, user }) : undefined), [site.site, user]);
  const { value, error, isLoading } = state.value;
  const changed = (): void => (askAgain(), again());
  return (
    <Panel title="My rating">
      {!user ? (
        <p>
          <a href={loginPage()}>Log in</a> to rate this site.
        </p>
      ) : error ? (
        <Problem error={error} again={askAgain} />
      ) : isLoading && !value ? (
        <div class="loading" role="progressbar" aria-label="Loading" />
      ) : (
        <RateForm key={`${site.site} ${value?.updatedAt}`} site={site.site} rating={value} onChanged={changed} />
      )}
    </Panel>
  );
}
