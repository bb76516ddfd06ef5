// Sales of today, of seven days and of the month; the products that sell best; what is in stock, and what must be ordered.
import * as inventory from "generated/InventorySystem";
import { slowChanges } from "web/changes";
import { dayIn, money, number, shortDay, zone } from "web/format";
import { useLoad } from "web/load";
import { service } from "web/session";
import { BarChart } from "web/ui/chart";
import { Bars, Badge, Empty, Figure, Panel, Problem, Table } from "web/ui/table";
import { currency, shop } from "./shop";

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of found) list.push(one);
  return list;
}

async function figures(shopId: string) {
  const [today, days, month, top, stock, low] = await Promise.all([
    inventory.salesToday(service, { shopId, zone }),
    inventory.salesReport(service, { shopId, zone }),
    inventory.salesOfMonth(service, { shopId, zone }),
    inventory.topProducts(service, { shopId, zone }),
    inventory.stockByCategory(service, { shopId }),
    all(inventory.lowStock(service, { shopId })),
  ]);
  return { today: today[0], days, month: month[0], top, stock, low };
}

/** Every one of the last seven days, also one without sales. */
function week(days: inventory.SalesReportRow[]): { day: string; revenue: inventory.Decimal; sales: inventory.Decimal }[] {
  const none = inventory.Decimal.of(0);
  return [-6, -5, -4, -3, -2, -1, 0].map((shift) => {
    const day = dayIn(shift);
    const row = days.find((one) => one.day === day);
    return { day, revenue: row?.revenue ?? none, sales: row?.sales ?? none };
  });
}

const share = (of: inventory.Decimal, greatest: inventory.Decimal): number => Number(of) / (Number(greatest) || 1);
const greatest = (all: inventory.Decimal[]): inventory.Decimal => all.reduce((a, b) => (a.compare(b) < 0 ? b : a), inventory.Decimal.of(0));

function Sales({ label, sales, revenue, average }: { label: string; sales?: inventory.Decimal | undefined; revenue?: inventory.Decimal | undefined; average?: inventory.Decimal | undefined }) {
  const count = sales ?? inventory.Decimal.of(0);
  return (
    <Figure
      label={label}
      value={money(revenue ?? "0", currency.value)}
      note={
        <>
          {number(count)} {String(count) === "1" ? "sale" : "sales"}
          {average && ` · ${money(average.round(2), currency.value)} on average`}
        </>
      }
    />
  );
}

export function Dashboard() {
  const shopId = shop.value;
  const { state, again } = useLoad(() => figures(shopId), [shopId, slowChanges.value]);
  const { value, error, isLoading } = state.value;
  const days = week(value?.days ?? []);
  const total = days.reduce((sum, day) => sum.plus(day.revenue), inventory.Decimal.of(0));
  const count = days.reduce((sum, day) => sum.plus(day.sales), inventory.Decimal.of(0));
  const todayAverage = value?.today && Number(value.today.sales) > 0 ? averageOf(value.today.revenue, value.today.sales) : undefined;
  return (
    <>
      <div class="page-head">
        <h1>Dashboard</h1>
        <a class="button primary" href="/sell">
          Record a sale
        </a>
      </div>
      {error && <Problem error={error} again={again} />}
      {isLoading && !value && <div class="loading" role="progressbar" aria-label="Loading" />}
      {value && (
        <>
          <div class="columns">
            <Sales label="Today" sales={value.today?.sales} revenue={value.today?.revenue} average={todayAverage} />
            <Sales label="Seven days" sales={count} revenue={total} average={Number(count) > 0 ? averageOf(total, count) : undefined} />
            <Sales label="This month" sales={value.month?.sales} revenue={value.month?.revenue} average={value.month?.average} />
          </div>
          <Panel title="Revenue of the last seven days">
            <BarChart label="Revenue by day" names={days.map((day) => shortDay(day.day))} values={days.map((day) => day.revenue)} format={(amount) => number(amount)} />
          </Panel>
          <div class="columns wide">
            <Panel title="Best of this month">
              {value.top.length === 0 ? (
                <Empty icon="sale" title="No sales this month" />
              ) : (
                <Bars rows={value.top.map((row) => ({ name: row.productName ?? row.productId ?? "", value: money(row.revenue, currency.value), share: share(row.revenue, greatest(value.top.map((one) => one.revenue))) }))} />
              )}
            </Panel>
            <Panel title="Stock by category" end={<span class="quiet small">value at the prices of today</span>}>
              {value.stock.length === 0 ? (
                <Empty icon="box" title="No products yet" />
              ) : (
                <Bars rows={[...value.stock].sort((a, b) => b.value.compare(a.value)).map((row) => ({ name: row.category ?? "No category", value: `${number(row.units)} · ${money(row.value, currency.value)}`, share: share(row.value, greatest(value.stock.map((one) => one.value))) }))} />
              )}
            </Panel>
          </div>
          <Panel title="To be ordered" end={value.low.length > 0 ? <Badge kind="warn">{value.low.length}</Badge> : undefined} flush>
            {value.low.length === 0 ? (
              <Empty icon="box" title="Everything is in stock">
                <p>A product appears here when fewer are left than its threshold.</p>
              </Empty>
            ) : (
              <Table
                caption="Products below their threshold"
                rows={value.low}
                keyOf={(row) => row.productId}
                columns={[
                  { name: "Product", show: (row) => <><strong>{row.name}</strong><span class="sub">{row.sku}</span></> },
                  { name: "In stock", isNumber: true, show: (row) => number(row.currentStock) },
                  { name: "Threshold", isNumber: true, show: (row) => number(row.reorderThreshold) },
                ]}
              />
            )}
          </Panel>
        </>
      )}
    </>
  );
}

/** The average with two digits, halves up: exact, as the amounts are. */
function averageOf(total: inventory.Decimal, count: inventory.Decimal): inventory.Decimal {
  const scaled = total.times(1000).round(0).digits / count.digits;
  return inventory.Decimal.of(`${scaled}e-3`).round(2);
}
