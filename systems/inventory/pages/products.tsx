// The products of a shop: found by name, SKU and category; added, edited, deleted and restored; their stock corrected and moved.
import * as inventory from "generated/InventorySystem";
import { useState } from "preact/hooks";
import { dayOf, money, number, readAmount } from "web/format";
import { query, setQuery } from "web/route";
import { isIn, service, session } from "web/session";
import { Confirm, Dialog } from "web/ui/dialog";
import { Field, Segments } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Panel, Problem, type Column, Table } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { useLoad } from "web/load";
import { Import, saveProducts } from "./import";
import { changes, currency, inWords, keepProduct, loadProducts, products, productsFailure, shop, shops } from "./shop";

type Product = inventory.Product;
type Open = { kind: "import" } | { kind: "edit"; product?: Product } | { kind: "stock" | "move" | "delete"; product: Product } | undefined;

const shownAtOnce = 100;

export function Products() {
  const [open, setOpen] = useState<Open>(undefined);
  const text = query.value.get("q") ?? "";
  const category = query.value.get("category") ?? "";
  const isDeleted = query.value.get("show") === "deleted";
  const all = products.value ?? [];
  const categories = [...new Set(all.map((product) => product.category ?? ""))].filter((name) => name !== "").sort();
  const wanted = text.trim().toLowerCase();
  const found = all.filter((product) => (category === "" || product.category === category) && (wanted === "" || product.name.toLowerCase().includes(wanted) || product.sku.toLowerCase().includes(wanted)));
  const isOwner = isIn("owner");
  return (
    <>
      <div class="page-head">
        <h1>Products</h1>
        {isOwner && (
          <Segments label="Which products" value={isDeleted ? "deleted" : "current"} options={[["current", "In the lists"], ["deleted", "Deleted"]]} onChange={(value) => setQuery({ show: value === "deleted" ? "deleted" : "" })} />
        )}
        <button class="button" type="button" disabled={all.length === 0} onClick={() => saveProducts(found)}>
          Export
        </button>
        {isOwner && (
          <button class="button" type="button" onClick={() => setOpen({ kind: "import" })}>
            Import
          </button>
        )}
        {isOwner && (
          <button class="button primary" type="button" onClick={() => setOpen({ kind: "edit" })}>
            <Icon name="plus" />
            Add a product
          </button>
        )}
      </div>
      {isDeleted ? (
        <Deleted />
      ) : (
        <>
          <div class="form">
            <Field label="Search">
              {(id) => <input {...id} type="search" placeholder="Name or SKU" value={text} onInput={(e) => setQuery({ q: e.currentTarget.value })} />}
            </Field>
            <Field label="Category">
              {(id) => (
                <select {...id} value={category} onChange={(e) => setQuery({ category: e.currentTarget.value })}>
                  <option value="">All categories</option>
                  {categories.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          {productsFailure.value && <Problem error={productsFailure.value} again={() => void loadProducts()} />}
          {!products.value && !productsFailure.value && <div class="loading" role="progressbar" aria-label="Loading" />}
          {products.value && <Found found={found} isEmpty={all.length === 0} isOwner={isOwner} onOpen={setOpen} />}
        </>
      )}
      {open?.kind === "import" && <Import onClose={() => setOpen(undefined)} />}
      {open?.kind === "edit" && <Edit product={open.product} onClose={() => setOpen(undefined)} />}
      {open?.kind === "stock" && <Adjust product={open.product} onClose={() => setOpen(undefined)} />}
      {open?.kind === "move" && <Move product={open.product} onClose={() => setOpen(undefined)} />}
      {open?.kind === "delete" && (
        <Confirm title={`Delete ${open.product.name}?`} text="It leaves the lists and cannot be sold. Its sales stay, and it can be restored." yes="Delete" onClose={() => setOpen(undefined)} onYes={() => void remove(open.product)} />
      )}
    </>
  );
}

function Found({ found, isEmpty, isOwner, onOpen }: { found: Product[]; isEmpty: boolean; isOwner: boolean; onOpen: (open: Open) => void }) {
  const [shown, setShown] = useState(shownAtOnce);
  return (
    <Panel flush>
      {found.length === 0 ? (
        <Empty icon="box" title={isEmpty ? "No products yet" : "No product is like this"}>
          {isEmpty && <p>An owner adds products here, or brings them in from a CSV file.</p>}
        </Empty>
      ) : (
        <Table caption="Products" rows={found.slice(0, shown)} keyOf={(product) => product.productId} columns={columns(isOwner, onOpen)} more={found.length > shown ? () => setShown(shown + shownAtOnce) : undefined} />
      )}
    </Panel>
  );
}

async function remove(product: Product): Promise<void> {
  const { shopId, productId } = product;
  try {
    keepProduct(await inventory.deleteProduct(service, { shopId, productId }));
    const restore = (): void => void inventory.restoreProduct(service, { shopId, productId }).then(keepProduct, sayError);
    say(`${product.name} is deleted.`, { action: { name: "Undo", run: restore } });
  } catch (error) {
    say(inWords(error), { isBad: true });
  }
}

const isLow = (product: Product): boolean => product.currentStock.compare(product.reorderThreshold) < 0;

function columns(isOwner: boolean, setOpen: (open: Open) => void): Column<Product>[] {
  return [
    { name: "Product", show: (product) => <><strong>{product.name}</strong><span class="sub">{product.sku}</span></> },
    { name: "Category", show: (product) => product.category ?? "–" },
    { name: "Price", isNumber: true, show: (product) => money(product.unitPrice, currency.value) },
    { name: "In stock", isNumber: true, show: (product) => (isLow(product) ? <Badge kind="warn">{number(product.currentStock)} · low</Badge> : number(product.currentStock)) },
    {
      name: "Actions", isActions: true,
      show: (product) => (
        <>
          <button class="button plain small" type="button" aria-label={`Correct the stock of ${product.name}`} onClick={() => setOpen({ kind: "stock", product })}>
            Stock
          </button>
          {isOwner && (
            <>
              {(shops.value?.length ?? 0) > 1 && (
                <button class="button plain small" type="button" aria-label={`Move ${product.name} to another shop`} onClick={() => setOpen({ kind: "move", product })}>
                  Move
                </button>
              )}
              <button class="button plain small" type="button" aria-label={`Edit ${product.name}`} onClick={() => setOpen({ kind: "edit", product })}>
                Edit
              </button>
              <button class="button plain small danger" type="button" aria-label={`Delete ${product.name}`} onClick={() => setOpen({ kind: "delete", product })}>
                Delete
              </button>
            </>
          )}
        </>
      ),
    },
  ];
}

function Deleted() {
  const shopId = shop.value;
  const { state, again } = useLoad(async () => {
    const list: Product[] = [];
    for await (const product of inventory.deletedProducts(service, { shopId })) list.push(product);
    return list;
  }, [shopId, changes.value]);
  const { value, error } = state.value;
  const restore = (product: Product): void =>
    void inventory.restoreProduct(service, { shopId, productId: product.productId }).then(
      (restored) => (keepProduct(restored), say(`${restored.name} is back.`), again()),
      (why) => say(inWords(why), { isBad: true }),
    );
  if (error) return <Problem error={error} again={again} />;
  if (!value) return <div class="loading" role="progressbar" aria-label="Loading" />;
  return (
    <Panel flush>
      {value.length === 0 ? (
        <Empty icon="archive" title="Nothing is deleted" />
      ) : (
        <Table
          caption="Deleted products" rows={value} keyOf={(product) => product.productId}
          columns={[
            { name: "Product", show: (product) => <><strong>{product.name}</strong><span class="sub">{product.sku}</span></> },
            { name: "Deleted", show: (product) => (product.deletedAt ? dayOf(product.deletedAt) : "") },
            { name: "In stock", isNumber: true, show: (product) => number(product.currentStock) },
            { name: "Actions", isActions: true, show: (product) => <button class="button small" type="button" aria-label={`Restore ${product.name}`} onClick={() => restore(product)}>Restore</button> },
          ]}
        />
      )}
    </Panel>
  );
}

const texts = ["name", "sku", "category", "location", "description"] as const;
const labels: Record<string, string> = { name: "Name", sku: "SKU", category: "Category", location: "Location", description: "Description", unitPrice: "Price", reorderThreshold: "Order when fewer than", currentStock: "In stock now" };

/** Adds a product, or changes one; only what differs is sent. */
function Edit({ product, onClose }: { product?: Product | undefined; onClose: () => void }) {
  const initial = Object.fromEntries([...texts, "unitPrice", "reorderThreshold", "currentStock"].map((name) => [name, String(product?.[name as keyof Product] ?? "")]));
  const [form, setForm] = useState<Record<string, string>>({ ...initial, ...(product ? {} : { reorderThreshold: "0", currentStock: "0" }) });
  const [wrong, setWrong] = useState<{ parameter: string | undefined; text: string } | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const field = (name: string, props: preact.JSX.InputHTMLAttributes = {}, whole = false) => (
    <Field label={labels[name] ?? name} wrong={wrong?.parameter === name ? wrong.text : undefined} whole={whole}>
      {(id) => <input {...id} name={name} autocomplete="off" value={form[name]} onInput={(e) => setForm({ ...form, [name]: e.currentTarget.value })} {...props} />}
    </Field>
  );
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setWrong(undefined);
    const numbers: Record<string, inventory.Decimal> = {};
    for (const name of ["unitPrice", "reorderThreshold", "currentStock"]) {
      const amount = readAmount(form[name] ?? "");
      if (amount === undefined) return setWrong({ parameter: name, text: "Type a number, thousands without a comma" });
      numbers[name] = inventory.Decimal.of(amount);
    }
    if (product?.category && !given(form["category"])) return setWrong({ parameter: "category", text: "A product keeps a category; type another one" });
    setBusy(true);
    try {
      keepProduct(product ? await change(product, form, numbers) : await add(form, numbers));
      say(product ? `${form["name"]} is saved.` : `${form["name"]} is added.`);
      onClose();
    } catch (error) {
      const isSku = error instanceof inventory.Refused && error.refusal === "SKU_TAKEN";
      setWrong({ parameter: isSku ? "sku" : error instanceof inventory.Refused ? error.parameter : undefined, text: inWords(error) });
    } finally {
      setBusy(false);
    }
  };
  const isKnown = wrong?.parameter !== undefined && wrong.parameter in labels;
  return (
    <Dialog title={product ? `Edit ${product.name}` : "Add a product"} onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        {field("name", { required: true, maxLength: 200, autofocus: true }, true)}
        {field("sku", { required: true, maxLength: 64 })}
        {field("category", { maxLength: 100 })}
        {field("unitPrice", { required: true, inputMode: "decimal" })}
        {field("reorderThreshold", { inputMode: "numeric" })}
        {!product && field("currentStock", { inputMode: "numeric" })}
        {field("location")}
        {field("description", {}, true)}
        {wrong && !isKnown && <p class="notice bad whole" role="alert">{wrong.text}</p>}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const given = (text: string | undefined): string | undefined => (text?.trim() ? text.trim() : undefined);

async function add(form: Record<string, string>, numbers: Record<string, inventory.Decimal>): Promise<Product> {
  return inventory.createProduct(service, {
    shopId: shop.value, name: form["name"] ?? "", sku: form["sku"] ?? "", unitPrice: numbers["unitPrice"]!, reorderThreshold: numbers["reorderThreshold"],
    currentStock: numbers["currentStock"], category: given(form["category"]), location: given(form["location"]), description: given(form["description"]),
  });
}

async function change(product: Product, form: Record<string, string>, numbers: Record<string, inventory.Decimal>): Promise<Product> {
  const { shopId, productId } = product;
  let latest = product;
  const category = given(form["category"]);
  if (category !== product.category && category !== undefined) latest = await inventory.changeCategory(service, { shopId, productId, category });
  const changed: Record<string, unknown> = {};
  for (const name of ["name", "sku", "location", "description"] as const) {
    if (given(form[name]) !== product[name]) changed[name] = given(form[name]) ?? null;
  }
  for (const name of ["unitPrice", "reorderThreshold"] as const) {
    if (numbers[name]!.compare(product[name]) !== 0) changed[name] = numbers[name];
  }
  if (Object.keys(changed).length > 0) latest = await inventory.updateProduct(service, { shopId, productId, ...changed });
  return latest;
}

const reasons = ["purchase", "return", "damage", "count"];

/** Corrects the stock. The id of the change is made once per dialog, so that pressing the button twice changes the stock once. */
function Adjust({ product, onClose }: { product: Product; onClose: () => void }) {
  const [transactionId] = useState(() => crypto.randomUUID());
  const [direction, setDirection] = useState<"in" | "out">("in");
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState("purchase");
  const [notes, setNotes] = useState("");
  const [wrong, setWrong] = useState("");
  const save = (event: Event): void => {
    event.preventDefault();
    if (!/^[1-9]\d{0,8}$/.test(amount.trim())) return setWrong("Type a whole number, 1 or more");
    const quantityChange = inventory.Decimal.of((direction === "out" ? "-" : "") + amount.trim());
    const { shopId, productId } = product;
    inventory.adjustStock(service, { shopId, productId, transactionId, quantityChange, reason, notes: given(notes), performedBy: session.value?.user }).then(
      (adjusted) => (keepProduct(adjusted), say(`${product.name}: ${number(adjusted.currentStock)} in stock.`), onClose()),
      (error) => setWrong(inWords(error)),
    );
  };
  return (
    <Dialog title={`Stock of ${product.name}`} onClose={onClose}>
      <form class="form" onSubmit={save}>
        <div class="whole row">
          <Segments label="Direction" value={direction} options={[["in", "Comes in"], ["out", "Goes out"]]} onChange={(value) => (setDirection(value), setReason(value === "in" ? "purchase" : "damage"))} />
          <span class="quiet">{number(product.currentStock)} in stock</span>
        </div>
        <Field label="How many" wrong={wrong}>
          {(id) => <input {...id} name="amount" inputMode="numeric" autofocus autocomplete="off" value={amount} onInput={(e) => setAmount(e.currentTarget.value)} />}
        </Field>
        <Field label="Reason">
          {(id) => (
            <select {...id} value={reason} onChange={(e) => setReason(e.currentTarget.value)}>
              {reasons.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Notes" whole>
          {(id) => <input {...id} value={notes} onInput={(e) => setNotes(e.currentTarget.value)} />}
        </Field>
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Moves stock to another shop of the owner, which has the same product: found there by its SKU. */
function Move({ product, onClose }: { product: Product; onClose: () => void }) {
  const others = (shops.value ?? []).filter((one) => one.shopId !== product.shopId);
  const [transferId] = useState(() => crypto.randomUUID());
  const [to, setTo] = useState(others[0]?.shopId ?? "");
  const [amount, setAmount] = useState("1");
  const [wrong, setWrong] = useState("");
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!/^[1-9]\d{0,8}$/.test(amount.trim())) return setWrong("Type a whole number, 1 or more");
    try {
      let toProductId: string | undefined;
      for await (const one of inventory.listProducts(service, { shopId: to })) {
        if (one.sku === product.sku) toProductId = one.productId;
      }
      if (toProductId === undefined) return setWrong(`The other shop has no product with the SKU ${product.sku}; add it there first`);
      const { shopId, productId } = product;
      keepProduct(await inventory.transferStock(service, { transferId, fromShopId: shopId, toShopId: to, productId, toProductId, quantity: inventory.Decimal.of(amount.trim()) }));
      say(`${amount.trim()} × ${product.name} moved to ${others.find((one) => one.shopId === to)?.name}.`);
      onClose();
    } catch (error) {
      setWrong(inWords(error));
    }
  };
  return (
    <Dialog title={`Move ${product.name}`} onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        <Field label="To the shop">
          {(id) => (
            <select {...id} value={to} onChange={(e) => setTo(e.currentTarget.value)}>
              {others.map((one) => (
                <option key={one.shopId} value={one.shopId}>
                  {one.name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="How many" hint={`${number(product.currentStock)} in stock here`} wrong={wrong}>
          {(id) => <input {...id} inputMode="numeric" autofocus autocomplete="off" value={amount} onInput={(e) => setAmount(e.currentTarget.value)} />}
        </Field>
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button primary" type="submit">
            Move
          </button>
        </div>
      </form>
    </Dialog>
  );
}
