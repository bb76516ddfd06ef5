// The pages of tavola-inventory.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { path } from "web/route";
import { session } from "web/session";
import { start } from "web/start";
import { Frame, type Place } from "web/ui/frame";
import { Empty, Problem } from "web/ui/table";
import { Alerts } from "./alerts";
import { Dashboard } from "./dashboard";
import { History } from "./history";
import { Products } from "./products";
import { Sell } from "./sell";
import { loadFailure, loadShops, ShopChooser, shop, shops } from "./shop";
import { Shops } from "./shops";

const places: Place[] = [
  { href: "/", name: "Dashboard", icon: "home" },
  { href: "/sell", name: "Sell", icon: "sale" },
  { href: "/products", name: "Products", icon: "box" },
  { href: "/history", name: "History", icon: "list" },
  { href: "/alerts", name: "Alerts", icon: "bell" },
  { href: "/shops", name: "Shops", icon: "shop" },
];

const views: Record<string, () => JSX.Element> = { "/": Dashboard, "/sell": Sell, "/products": Products, "/history": History, "/alerts": Alerts, "/shops": Shops };

function View() {
  const Found = views[path.value];
  if (loadFailure.value) return <Problem error={loadFailure.value} again={() => void loadShops()} />;
  if (!shops.value) return <div class="loading" role="progressbar" aria-label="Loading" />;
  if (!Found) {
    return (
      <Empty icon="search" title="There is no such page">
        <a href="/">To the dashboard</a>
      </Empty>
    );
  }
  if (!shop.value && Found !== Shops) {
    return (
      <Empty icon="shop" title="You do not work in a shop yet">
        <p>An owner opens a shop on the page Shops. Staff work in the shops of their groups, for example shop:s1.</p>
        <a class="button" href="/shops">
          To the shops
        </a>
      </Empty>
    );
  }
  return <Found />;
}

start("Inventory", () => {
  useEffect(() => void loadShops(), [session.value?.user]);
  return (
    <Frame title="Inventory" places={places} top={<ShopChooser />} offline="What you record is kept here and sent when it answers again.">
      <View />
    </Frame>
  );
});
