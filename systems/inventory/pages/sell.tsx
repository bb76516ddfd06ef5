// The till: a SKU or a barcode, Enter; a quantity, Enter. No mouse is needed, and no network in the moment of the sale.
import { Decimal, type Product } from "generated/InventorySystem";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { money, moment, number } from "web/format";
import { Field } from "web/ui/form";
import { Badge, Empty, Panel, Problem, Table } from "web/ui/table";
import { onOutcome, type Outcome, sell, waiting } from "./sales_queue";
import { currency, inWords, keepProduct, loadProducts, products, productsFailure, shop, whenProductsAreLoaded } from "./shop";

/** Finds by the whole SKU first, then by the beginning of SKU or name. */
function find(text: string): Product[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const all = products.value ?? [];
  const exact = all.filter((product) => product.sku.toLowerCase() === wanted);
  if (exact.length > 0) return exact;
  const begins = (product: Product): boolean => product.sku.toLowerCase().startsWith(wanted) || product.name.toLowerCase().includes(wanted);
  return all.filter(begins).slice(0, 8);
}

export function Sell() {
  return (
    <>
      <div class="page-head">
        <h1>Record a sale</h1>
        {waiting.value.length > 0 && <Badge kind="warn">{waiting.value.length} waiting to be sent</Badge>}
      </div>
      {productsFailure.value && <Problem error={productsFailure.value} again={() => void loadProducts()} />}
      <div class="columns wide">
        <Till />
        <LastSales />
      </div>
    </>
  );
}

function Till() {
  const [text, setText] = useState("");
  const [product, setProduct] = useState<Product | undefined>(undefined);
  const [quantity, setQuantity] = useState("1");
  const [wrong, setWrong] = useState("");
  const sku = useRef<HTMLInputElement>(null);
  const count = useRef<HTMLInputElement>(null);
  const found = product ? [] : find(text);

  // A field that can be seen takes what is typed: a scanner does not wait. (A browser follows `autofocus` only once for a document.)
  useLayoutEffect(() => {
    (product ? count : sku).current?.focus();
    if (product) count.current?.select();
  }, [product]);

  const take = (chosen: Product | undefined): void => {
    setProduct(chosen);
    setText(chosen?.sku ?? "");
    setQuantity("1");
    setWrong("");
  };
  const look = async (event: Event): Promise<void> => {
    event.preventDefault();
    await whenProductsAreLoaded(); // a scanner may be quicker than the page
    const [first] = find(text);
    if (first) take(first);
    else if (products.value) setWrong(text.trim() === "" ? "Type or scan a SKU" : `No product has the SKU or the name “${text.trim()}”`);
  };
  const record = (event: Event): void => {
    event.preventDefault();
    if (!product) return;
    if (!/^[1-9]\d{0,8}$/.test(quantity.trim())) return setWrong("Type a whole number, 1 or more");
    sell({ shopId: shop.value, productId: product.productId, quantity: quantity.trim(), productName: product.name });
    take(undefined);
  };

  return (
    <Panel>
      <form class="form" onSubmit={product ? record : look} onKeyDown={(event) => event.key === "Escape" && take(undefined)}>
        <Field label="SKU or barcode" hint="Enter finds the product, Escape begins again" wrong={product ? undefined : wrong} whole>
          {(id) => <input {...id} ref={sku} name="sku" value={text} autocomplete="off" autocapitalize="off" spellcheck={false} readOnly={Boolean(product)} onInput={(e) => setText(e.currentTarget.value)} />}
        </Field>
        {product && <Chosen product={product} />}
        {product && (
          <Field label="Quantity" wrong={wrong}>
            {(id) => <input {...id} ref={count} name="quantity" inputMode="numeric" autocomplete="off" value={quantity} onInput={(e) => setQuantity(e.currentTarget.value)} />}
          </Field>
        )}
        {product && (
          <div class="field">
            <span class="label">Total</span>
            <output>{/^\d+$/.test(quantity) ? money(product.unitPrice.times(Decimal.of(quantity)), currency.value) : "–"}</output>
          </div>
        )}
        <div class="form-end">
          <button class="button primary" type="submit">
            {product ? "Sell" : "Find"}
          </button>
        </div>
      </form>
      {found.length > 0 && <Choices found={found} onTake={take} />}
    </Panel>
  );
}

function Chosen({ product }: { product: Product }) {
  return (
    <div class="whole row">
      <div class="grow">
        <strong>{product.name}</strong>
        <div class="quiet small">
          {number(product.currentStock)} in stock{product.location ? ` · ${product.location}` : ""}
        </div>
      </div>
      <strong>{money(product.unitPrice, currency.value)}</strong>
    </div>
  );
}

function Choices({ found, onTake }: { found: Product[]; onTake: (product: Product) => void }) {
  return (
    <div class="row" role="group" aria-label="Products found">
      {found.map((one) => (
        <button key={one.productId} class="button small" type="button" onClick={() => onTake(one)}>
          {one.name} <span class="quiet">{one.sku}</span>
        </button>
      ))}
    </div>
  );
}

function LastSales() {
  const [done, setDone] = useState<Outcome[]>([]);
  useEffect(
    () =>
      onOutcome((outcome) => {
        setDone((before) => [outcome, ...before].slice(0, 12));
        const sold = products.peek()?.find((one) => one.productId === outcome.sale.productId);
        if (outcome.recorded && sold) keepProduct({ ...sold, currentStock: sold.currentStock.minus(outcome.recorded.quantity) });
      }),
    [],
  );
  return (
    <Panel title="Just now" flush>
      {done.length === 0 && waiting.value.length === 0 ? (
        <Empty icon="sale" title="Ready">
          <p>Sales appear here when they are recorded. Without a network they wait, and are sent once.</p>
        </Empty>
      ) : (
        <div aria-live="polite">
          <Table
            caption="The last sales"
            rows={[...waiting.value.map((sale): Outcome => ({ sale })), ...done]}
            keyOf={(row) => row.sale.saleId}
            columns={[
              { name: "Product", show: ({ sale, refusal }) => <><strong>{sale.productName}</strong><span class="sub">{refusal ? inWords(refusal) : moment(sale.timestamp)}</span></> },
              { name: "Quantity", isNumber: true, show: ({ sale }) => number(sale.quantity) },
              { name: "Total", isNumber: true, show: ({ recorded }) => (recorded ? money(recorded.totalAmount, currency.value) : "–") },
              { name: "Status", show: ({ recorded, refusal }) => (recorded ? <Badge kind="good">recorded</Badge> : refusal ? <Badge kind="bad">refused</Badge> : <Badge kind="warn">waiting</Badge>) },
            ]}
          />
        </div>
      )}
    </Panel>
  );
}
