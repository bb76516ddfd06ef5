// The pages of tavola-catalogue.
import { useEffect } from "preact/hooks";
import { loadRights, may, mayForAll } from "web/rights";
import { path } from "web/route";
import { session } from "web/session";
import { start } from "web/start";
import { Frame, type Place } from "web/ui/frame";
import { Empty } from "web/ui/table";
import { sayError } from "web/ui/toast";
import { Groups } from "./groups";
import { MyComments, MyRatings } from "./mine";
import { Moderation } from "./moderation";
import { SiteView } from "./site";
import { Sites } from "./sites";
import { AllRatings } from "./all_ratings";
import "./style.css";

interface Visible extends Place {
  show: () => preact.JSX.Element;
  isFor: () => boolean;
}

const isKnown = (): boolean => Boolean(session.value?.user);
const places: Visible[] = [
  { href: "/", name: "Sites", icon: "globe", show: Sites, isFor: () => true },
  { href: "/ratings", name: "My ratings", icon: "star", show: MyRatings, isFor: isKnown },
  { href: "/comments", name: "My comments", icon: "talk", show: MyComments, isFor: isKnown },
  { href: "/stars", name: "All ratings", icon: "list", show: AllRatings, isFor: () => may("ratingsByStars") },
  { href: "/groups", name: "Groups", icon: "people", show: Groups, isFor: () => may("listGroups") },
  { href: "/moderation", name: "Moderation", icon: "shield", show: Moderation, isFor: () => mayForAll("removeComment") },
];

function View() {
  if (path.value === "/site") return <SiteView />;
  const found = places.find((place) => place.href === path.value);
  if (!found) {
    return (
      <Empty icon="search" title="There is no such page">
        <a href="/">To the sites</a>
      </Empty>
    );
  }
  if (!found.isFor()) {
    return (
      <Empty icon={found.icon} title={isKnown() ? "This page is for others" : "Log in to see this page"}>
        <a href="/">To the sites</a>
      </Empty>
    );
  }
  const Found = found.show;
  return <Found />;
}

start("Catalogue", () => {
  useEffect(() => void loadRights().catch(sayError), [session.value?.user]);
  return (
    <Frame title="Catalogue" places={places.filter((place) => place.isFor())}>
      <View />
    </Frame>
  );
});
