// For managers: who gave how many stars.
import * as catalogue from "generated/fus-main";
import { dayOf } from "web/format";
import { query, setQuery } from "web/route";
import { service } from "web/session";
import { Segments } from "web/ui/form";
import { Empty, Panel, Problem, Table } from "web/ui/table";
import { SiteLink, usePagesAboutSites } from "./catalogue";

const choices = [["5", "5 stars"], ["4", "4"], ["3", "3"], ["2", "2"], ["1", "1"]] as const;

export function AllRatings() {
  const asked = query.value.get("stars");
  const stars = choices.map(([value]) => value).find((value) => value === asked) ?? "5";
  const { items, sites, error, isLoading, more, again } = usePagesAboutSites((page) => catalogue.ratingsByStarsPage(service, { stars: catalogue.Decimal.of(stars) }, page), [stars]);
  return (
    <>
      <div class="page-head">
        <h1>All ratings</h1>
        <Segments label="Stars" value={stars} options={choices} onChange={(value) => setQuery({ stars: value })} />
      </div>
      {error && <Problem error={error} again={again} />}
      {isLoading && items.length === 0 && <div class="loading" role="progressbar" aria-label="Loading" />}
      {!isLoading && !error && items.length === 0 && <Empty icon="star" title={`Nobody gave ${stars === "1" ? "1 star" : `${stars} stars`}`} />}
      {items.length > 0 && (
        <Panel flush>
          <Table
            caption="Ratings" rows={items} keyOf={(one) => `${one.user} ${one.site}`} more={more}
            columns={[
              { name: "Site", show: (one) => <SiteLink site={one.site} sites={sites} /> },
              { name: "User", show: (one) => one.user },
              { name: "Note", show: (one) => <span class="clamped">{one.note ?? "–"}</span> },
              { name: "When", show: (one) => dayOf(one.updatedAt) },
            ]}
          />
        </Panel>
      )}
    </>
  );
}
