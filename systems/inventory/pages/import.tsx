// Products from a CSV file: what will happen is shown first, then each row is one request, and what was refused is shown with its reason.
import * as inventory from "generated/InventorySystem";
import { useState } from "preact/hooks";
import { readAmount } from "web/format";
import { service } from "web/session";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Badge, Problem, Table } from "web/ui/table";
import { say } from "web/ui/toast";
import { readCsv, save, writeCsv } from "./csv";
import { inWords, loadProducts, nameOfProduct, products, shop, shops } from "./shop";

export const columnNames = ["sku", "name", "category", "unitPrice", "currentStock", "reorderThreshold", "location", "description"] as const;
type Column = (typeof columnNames)[number];

interface Line {
  number: number; // in the file
  values: Partial<Record<Column, string>>;
  known: inventory.Product | undefined; // the product with this SKU, which will change
  problem: string | undefined;
  state: "ready" | "done" | "same" | "refused";
}

const numbers: Column[] = ["unitPrice", "currentStock", "reorderThreshold"];
const restored = (cell: string): string => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell); // as writeCsv protects it

function linesOf(text: string): Line[] {
  const [head = [], ...rows] = readCsv(text);
  const names = head.map((name) => columnNames.find((known) => known.toLowerCase() === name.trim().toLowerCase().replace(/[\s_]/g, "")));
  for (const needed of ["sku", "name", "unitPrice"] as const) {
    if (!names.includes(needed)) throw new Error(`The first line must name the columns; ${needed} is missing. Known are ${columnNames.join(", ")}.`);
  }
  const seen = new Set<string>();
  return rows.map((cells, index) => {
    const values: Line["values"] = {};
    let problem: string | undefined;
    names.forEach((name, at) => {
      const cell = restored((cells[at] ?? "").trim());
      if (!name || cell === "") return;
      const value = numbers.includes(name) ? readAmount(cell) : cell;
      if (value === undefined) problem = /^\d+,\d{3}$/.test(cell) ? `${name} can be read in two ways: ${cell}; leave the comma out, or write a point` : `${name} is no number: ${cell}`;
      else values[name] = value;
    });
    const sku = values.sku ?? "";
    problem ??= sku === "" || !values.name || !values.unitPrice ? "sku, name and unitPrice are needed" : seen.has(sku) ? "The SKU is in the file twice" : undefined;
    seen.add(sku);
    return { number: index + 2, values, known: products.value?.find((product) => product.sku === sku), problem, state: "ready" as const };
  });
}

/** Sends one line. The stock of a known product is not changed: corrections have a reason, and their own form. */
async function send(line: Line): Promise<Line["state"]> {
  const { values, known } = line;
  const decimal = (name: Column): inventory.Decimal | undefined => (values[name] === undefined ? undefined : inventory.Decimal.of(values[name]));
  const shopId = shop.value;
  if (!known) {
    const { sku = "", name = "", category, location, description } = values;
    await inventory.createProduct(service, { shopId, sku, name, category, location, description, unitPrice: decimal("unitPrice")!, currentStock: decimal("currentStock"), reorderThreshold: decimal("reorderThreshold") });
    return "done";
  }
  const { productId } = known;
  const changed: Record<string, unknown> = {};
  for (const name of ["name", "location", "description"] as const) if (values[name] !== undefined && values[name] !== known[name]) changed[name] = values[name];
  for (const name of ["unitPrice", "reorderThreshold"] as const) if (decimal(name) && decimal(name)!.compare(known[name]) !== 0) changed[name] = decimal(name);
  const moves = values.category !== undefined && values.category !== known.category;
  if (Object.keys(changed).length > 0) await inventory.updateProduct(service, { shopId, productId, ...changed });
  if (moves) await inventory.changeCategory(service, { shopId, productId, category: values.category! });
  return moves || Object.keys(changed).length > 0 ? "done" : "same";
}

export function Import({ onClose }: { onClose: () => void }) {
  const [lines, setLines] = useState<Line[]>([]);
  const [wrong, setWrong] = useState<Error | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setWrong(undefined);
    try {
      setLines(linesOf(await file.text()));
    } catch (error) {
      setLines([]);
      setWrong(error as Error);
    }
  };
  const run = async (): Promise<void> => {
    setBusy(true);
    let next = lines;
    for (const line of lines) {
      if (line.problem || line.state !== "ready") continue;
      const result = await send(line).then((state) => ({ ...line, state }), (error) => ({ ...line, state: "refused" as const, problem: inWords(error) }));
      next = next.map((one) => (one.number === line.number ? result : one));
      setLines(next);
    }
    setBusy(false);
    await loadProducts();
    const done = next.filter((line) => line.state === "done").length;
    say(`${done} ${done === 1 ? "product" : "products"} imported.`);
  };
  const ready = lines.filter((line) => !line.problem && line.state === "ready").length;
  return (
    <Dialog title="Import products" onClose={onClose}>
      <div class="form">
        <Field label="CSV file" hint={`The first line names columns: ${columnNames.join(", ")}. A known SKU is changed, but not its stock.`} whole>
          {(id) => <input {...id} type="file" accept=".csv,text/csv" onChange={(e) => void open(e.currentTarget.files?.[0])} />}
        </Field>
        {wrong && <div class="whole"><Problem error={wrong} /></div>}
        {lines.length > 0 && (
          <div class="whole">
            <Table
              caption="Lines of the file" rows={lines} keyOf={(line) => String(line.number)}
              columns={[
                { name: "Line", isNumber: true, show: (line) => String(line.number) },
                { name: "Product", show: (line) => <><strong>{line.values.name ?? "–"}</strong><span class="sub">{line.problem ?? line.values.sku}</span></> },
                { name: "Status", show: (line) => <State line={line} /> },
              ]}
            />
          </div>
        )}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Close
          </button>
          <button class="button primary" type="button" disabled={isBusy || ready === 0} onClick={() => void run()}>
            Import {ready === 0 ? "" : ready}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function State({ line }: { line: Line }) {
  if (line.state === "done") return <Badge kind="good">imported</Badge>;
  if (line.state === "same") return <Badge>unchanged</Badge>;
  if (line.problem) return <Badge kind="bad">{line.state === "refused" ? "refused" : "wrong"}</Badge>;
  return <Badge>{line.known ? "changes" : "new"}</Badge>;
}

const nameOfShop = (): string => (shops.value?.find((one) => one.shopId === shop.value)?.name ?? shop.value).replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase();

export function saveProducts(list: inventory.Product[]): void {
  save(`products-${nameOfShop()}.csv`, writeCsv([[...columnNames], ...list.map((product) => columnNames.map((name) => product[name]))]));
}

export function saveSales(list: inventory.Sale[], first: string, last: string): void {
  const names = ["timestamp", "saleId", "productSku", "productName", "quantity", "unitPrice", "totalAmount", "performedBy"] as const;
  save(`sales-${nameOfShop()}-${first}-${last}.csv`, writeCsv([[...names], ...list.map((sale) => names.map((name) => sale[name]))]));
}

export function saveChanges(list: inventory.Transaction[], first: string, last: string): void {
  const names = ["timestamp", "transactionId", "productId", "product", "type", "quantityChange", "reason", "notes", "performedBy"] as const;
  const rows = list.map((one) => names.map((name) => (name === "product" ? nameOfProduct(one.productId) : one[name])));
  save(`stock-${nameOfShop()}-${first}-${last}.csv`, writeCsv([[...names], ...rows]));
}
