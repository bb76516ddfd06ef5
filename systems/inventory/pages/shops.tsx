// The shops of an owner, and who hears of low stock.
import * as inventory from "generated/InventorySystem";
import { useState } from "preact/hooks";
import { useLoad } from "web/load";
import { isIn, service, session } from "web/session";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Empty, Panel, Problem, Table } from "web/ui/table";
import { say } from "web/ui/toast";
import { RetentionPanel } from "./retention";
import { changes, inWords, loadShops, shops } from "./shop";

export function Shops() {
  const [open, setOpen] = useState<inventory.Shop | "new" | undefined>(undefined);
  const ids = (shops.value ?? []).map((one) => one.shopId);
  const { state, again } = useLoad(async () => {
    const all = await Promise.all(ids.map((shopId) => inventory.getShop(service, { shopId })));
    return all.filter((one) => one !== undefined);
  }, [ids.join(), changes.value]);
  const { value, error } = state.value;
  const isOwner = isIn("owner");
  return (
    <>
      <div class="page-head">
        <h1>Shops</h1>
        {isOwner && (
          <button class="button primary" type="button" onClick={() => setOpen("new")}>
            <Icon name="plus" />
            Open a shop
          </button>
        )}
      </div>
      {error && <Problem error={error} again={again} />}
      {value && (
        <Panel flush>
          {value.length === 0 ? (
            <Empty icon="shop" title="No shops yet">
              <p>{isOwner ? "Open one, then add its products." : "Staff work in the shops of their groups, for example shop:s1."}</p>
            </Empty>
          ) : (
            <Table
              caption="Shops" rows={value} keyOf={(one) => one.shopId}
              columns={[
                { name: "Shop", show: (one) => <><strong>{one.name}</strong><span class="sub">{one.address ?? one.shopId}</span></> },
                { name: "Owner", show: (one) => one.ownerId ?? "–" },
                { name: "Notices go to", show: (one) => <>{one.notificationEmail ?? "–"}{one.notificationPhone && <span class="sub">{one.notificationPhone}</span>}</> },
                { name: "Actions", isActions: true, show: (one) => isOwner && <button class="button plain small" type="button" aria-label={`Edit ${one.name}`} onClick={() => setOpen(one)}>Edit</button> },
              ]}
            />
          )}
        </Panel>
      )}
      <RetentionPanel />
      {open && <Edit shop={open === "new" ? undefined : open} onClose={() => (setOpen(undefined), again())} />}
    </>
  );
}

const fields = [["name", "Name"], ["address", "Address"], ["phone", "Telephone"], ["email", "E-mail"], ["notificationEmail", "Notices of low stock by e-mail"], ["notificationPhone", "Notices of low stock by telephone"]] as const;

function Edit({ shop, onClose }: { shop: inventory.Shop | undefined; onClose: () => void }) {
  const [form, setForm] = useState<Record<string, string>>(Object.fromEntries(fields.map(([name]) => [name, shop?.[name] ?? ""])));
  const [wrong, setWrong] = useState<{ parameter: string | undefined; text: string } | undefined>(undefined);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const said = (name: string): string | undefined => form[name]?.trim() || undefined;
    try {
      if (shop) {
        const changed = Object.fromEntries(fields.filter(([name]) => said(name) !== shop[name]).map(([name]) => [name, said(name) ?? null]));
        if (Object.keys(changed).length > 0) await inventory.updateShop(service, { shopId: shop.shopId, ...changed });
      } else {
        const given = Object.fromEntries(fields.map(([name]) => [name, said(name)]));
        await inventory.createShop(service, { ...given, name: form["name"] ?? "", ownerId: session.value?.user });
      }
      await loadShops();
      say(`${form["name"]} is saved.`);
      onClose();
    } catch (error) {
      setWrong({ parameter: error instanceof inventory.Refused ? error.parameter : undefined, text: inWords(error) });
    }
  };
  const isKnown = fields.some(([name]) => name === wrong?.parameter);
  return (
    <Dialog title={shop ? `Edit ${shop.name}` : "Open a shop"} onClose={onClose}>
      <form class="form" onSubmit={(event) => void save(event)}>
        {fields.map(([name, label], index) => (
          <Field key={name} label={label} wrong={wrong?.parameter === name ? wrong.text : undefined} whole={index < 2}>
            {(id) => <input {...id} name={name} required={name === "name"} autofocus={index === 0} value={form[name]} onInput={(e) => setForm({ ...form, [name]: e.currentTarget.value })} />}
          </Field>
        ))}
        {wrong && !isKnown && <p class="notice bad whole" role="alert">{wrong.text}</p>}
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
