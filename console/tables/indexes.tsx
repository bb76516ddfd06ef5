// The indexes of a table: what they hold, how far a new one is built, and adding and removing global ones.
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Icon } from "web/ui/icons";
import { Badge, Panel } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { call } from "../db/call";
import { type Index, type TableInfo, indexesOf, isGlobal, isOnDemand, keysOf, typeOfKey } from "../db/tables";
import { amount, bytes } from "../format";
import { isReadOnly } from "../session";
import { TypedConfirm } from "../typed_confirm";
import { type IndexDraft, definitionsOf, emptyIndex, indexRequest } from "./draft";
import { IndexFields } from "./index_form";

export function Indexes({ table, again }: { table: TableInfo; again: () => void }) {
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const all = indexesOf(table);
  const remove = (name: string): void =>
    void call("UpdateTable", { TableName: table.TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: name } }] }).then(() => (say(`The index ${name} is being removed`), again()), sayError);
  return (
    <Panel title="Indexes" flush={all.length > 0} end={!isReadOnly.value && <button class="button small" type="button" onClick={() => setAdding(true)}><Icon name="plus" />Add an index</button>}>
      {all.length === 0 && <p class="quiet">None. An index lets a query find items by other attributes than the keys of the table.</p>}
      {all.length > 0 && (
        <div class="table-scroll">
          <table class="stacks">
            <caption class="visually-hidden">Indexes</caption>
            <thead>
              <tr><th scope="col">Name</th><th scope="col">Keys</th><th scope="col">Holds</th><th scope="col" class="number">Items</th><th scope="col" class="number">Size</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr>
            </thead>
            <tbody>
              {all.map((index) => <Row key={index.IndexName} table={table} index={index} onRemove={() => setRemoving(index.IndexName)} />)}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && <AddIndex table={table} onClose={() => setAdding(false)} onAdded={again} />}
      {removing !== undefined && (
        <TypedConfirm title="Remove the index" name={removing} yes="Remove the index" onYes={() => remove(removing)} onClose={() => setRemoving(undefined)}>
          <p>Queries of <code>{removing}</code> will fail. The items of the table stay. Building the index again takes time.</p>
        </TypedConfirm>
      )}
    </Panel>
  );
}

function Row({ table, index, onRemove }: { table: TableInfo; index: Index; onRemove: () => void }) {
  const isOwn = isGlobal(table, index.IndexName);
  const holds = { ALL: "all attributes", KEYS_ONLY: "keys only", INCLUDE: `keys, ${(index.Projection.NonKeyAttributes ?? []).join(", ")}` }[index.Projection.ProjectionType];
  return (
    <tr>
      <td><span class="strong mono">{index.IndexName}</span><span class="sub">{isOwn ? "global" : "local"} <Status table={table} index={index} /></span></td>
      <td data-label="Keys">
        {(["HASH", "RANGE"] as const).flatMap((kind) => keysOf(index.KeySchema, kind)).map((name) => <span key={name}><code>{name}</code> <span class="quiet small">{typeOfKey(table, name)}</span> </span>)}
      </td>
      <td data-label="Holds">{holds}</td>
      <td data-label="Items" class="number">{amount(index.ItemCount)}</td>
      <td data-label="Size" class="number">{bytes(index.IndexSizeBytes)}</td>
      <td class="actions">
        {isOwn && !isReadOnly.value && <button class="button plain small danger" type="button" aria-label={`Remove ${index.IndexName}`} title="Remove" disabled={index.IndexStatus !== "ACTIVE"} onClick={onRemove}><Icon name="trash" /></button>}
      </td>
    </tr>
  );
}

function Status({ table, index }: { table: TableInfo; index: Index }) {
  const status = index.IndexStatus ?? "ACTIVE";
  if (status === "ACTIVE") return null;
  if (status !== "CREATING") return <Badge kind="warn">{status.toLowerCase()}</Badge>;
  return (
    <span class="row" role="status">
      <Badge kind="warn">being built</Badge>
      {table.ItemCount > 0 && <progress max={table.ItemCount} value={index.ItemCount ?? 0} aria-label={`${index.IndexName} is being built`} />}
    </span>
  );
}

function AddIndex({ table, onClose, onAdded }: { table: TableInfo; onClose: () => void; onAdded: () => void }) {
  const [draft, setDraft] = useState<IndexDraft>(emptyIndex);
  const [wrong, setWrong] = useState("");
  const throughput = isOnDemand(table) || !table.ProvisionedThroughput ? undefined : { ReadCapacityUnits: table.ProvisionedThroughput.ReadCapacityUnits, WriteCapacityUnits: table.ProvisionedThroughput.WriteCapacityUnits };
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    const request = {
      TableName: table.TableName, AttributeDefinitions: definitionsOf([...draft.partition, ...draft.sort]),
      GlobalSecondaryIndexUpdates: [{ Create: indexRequest(draft, { name: "", type: "S" }, throughput) }],
    };
    call("UpdateTable", request).then(() => (say(`The index ${draft.name} is being built`), onAdded(), onClose()), (error: Error) => setWrong(error.message));
  };
  return (
    <Dialog title="Add a global index" onClose={onClose}>
      <form class="stack wide" onSubmit={submit}>
        <IndexFields index={draft} canBeLocal={false} onChange={setDraft} />
        {wrong && <div class="notice bad" role="alert">{wrong}</div>}
        <div class="form-end">
          <button class="button" type="button" onClick={onClose}>Cancel</button>
          <button class="button primary" type="submit">Build the index</button>
        </div>
      </form>
    </Dialog>
  );
}
