// The sales of a shop between two days, and every change of its stock.
import * as inventory from "generated/InventorySystem";
import { useState } from "preact/hooks";
import { dayIn, money, moment, momentsOf, number } from "web/format";
import { usePages } from "web/load";
import { query, setQuery } from "web/route";
import { service } from "web/session";
import { DateRange, Segments } from "web/ui/form";
import { sayError } from "web/ui/toast";
import { Badge, Empty, Figure, Panel, Problem, Table } from "web/ui/table";
import { saveChanges, saveSales } from "./import";
import { changes, currency, nameOfProduct, shop } from "./shop";

interface Range {
  first: string;
  last: string;
}

export function History() {
  const kind = query.value.get("show") === "stock" ? "stock" : "sales";
  const range = { first: query.value.get("from") ?? dayIn(-6), last: query.value.get("through") ?? dayIn() };
  const [isBusy, setBusy] = useState(false);
  const exportAll = (): void => {
    setBusy(true);
    (kind === "sales" ? exportSales(range) : exportChanges(range)).catch(sayError).finally(() => setBusy(false));
  };
  return (
    <>
      <div class="page-head">
        <h1>History</h1>
        <Segments label="What to show" value={kind} options={[["sales", "Sales"], ["stock", "Changes of stock"]]} onChange={(value) => setQuery({ show: value === "stock" ? "stock" : "" })} />
        <button class="button" type="button" disabled={isBusy} onClick={exportAll}>
          Export as CSV
        </button>
      </div>
      <DateRange {...range} onChange={(from, through) => setQuery({ from, through })} />
      {kind === "sales" ? <Sales {...range} /> : <Changes {...range} />}
    </>
  );
}

async function exportSales({ first, last }: Range): Promise<void> {
  const all: inventory.Sale[] = [];
  for await (const sale of inventory.salesByDate(service, { shopId: shop.value, ...momentsOf(first, last) })) all.push(sale);
  saveSales(all, first, last);
}

async function exportChanges({ first, last }: Range): Promise<void> {
  const all: inventory.Transaction[] = [];
  for await (const one of inventory.transactionsByDate(service, { shopId: shop.value, ...momentsOf(first, last) })) all.push(one);
  saveChanges(all, first, last);
}

function Sales({ first, last }: Range) {
  const shopId = shop.value;
  const range = momentsOf(first, last);
  const { items, error, isLoading, more, again } = usePages((page) => inventory.salesByDatePage(service, { shopId, ...range }, page), [shopId, first, last], changes.value);
  const total = items.reduce((sum, sale) => sum.plus(sale.totalAmount), inventory.Decimal.of(0));
  if (error) return <Problem error={error} again={again} />;
  if (isLoading && items.length === 0) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <>
      <div class="columns">
        <Figure label={more ? "Sales shown" : "Sales"} value={number(String(items.length))} />
        <Figure label={more ? "Revenue of those shown" : "Revenue"} value={money(total, currency.value)} />
      </div>
      <Panel flush>
        {items.length === 0 ? (
          <Empty icon="sale" title="No sales in these days" />
        ) : (
          <Table
            caption="Sales" rows={items} keyOf={(sale) => sale.saleId} more={more}
            columns={[
              { name: "Product", show: (sale) => <><strong>{sale.productName ?? sale.productId}</strong><span class="sub">{sale.productSku}</span></> },
              { name: "When", show: (sale) => moment(sale.timestamp) },
              { name: "Quantity", isNumber: true, show: (sale) => number(sale.quantity) },
              { name: "Price", isNumber: true, show: (sale) => money(sale.unitPrice, currency.value) },
              { name: "Total", isNumber: true, show: (sale) => money(sale.totalAmount, currency.value) },
              { name: "By", show: (sale) => sale.performedBy ?? "–" },
            ]}
          />
        )}
      </Panel>
    </>
  );
}

function Changes({ first, last }: Range) {
  const shopId = shop.value;
  const range = momentsOf(first, last);
  const { items, error, isLoading, more, again } = usePages((page) => inventory.transactionsByDatePage(service, { shopId, ...range }, page), [shopId, first, last], changes.value);
  if (error) return <Problem error={error} again={again} />;
  if (isLoading && items.length === 0) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <Panel flush>
      {items.length === 0 ? (
        <Empty icon="list" title="No changes in these days" />
      ) : (
        <Table
          caption="Changes of stock" rows={items} keyOf={(one) => one.transactionId} more={more}
          columns={[
            { name: "Product", show: (one) => <><strong>{nameOfProduct(one.productId)}</strong>{one.notes && <span class="sub">{one.notes}</span>}</> },
            { name: "When", show: (one) => moment(one.timestamp) },
            { name: "Reason", show: (one) => one.reason ?? "–" },
            { name: "Change", isNumber: true, show: (one) => <Badge kind={one.type === "IN" ? "good" : undefined}>{one.type === "IN" ? "+" : ""}{number(one.quantityChange)}</Badge> },
            { name: "By", show: (one) => one.performedBy ?? "–" },
          ]}
        />
      )}
    </Panel>
  );
}
