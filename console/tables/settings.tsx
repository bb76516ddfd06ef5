// The settings of a table: billing, stream, time to live, point-in-time recovery, deletion protection. Each is changed by its own request.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { Panel } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { call } from "../db/call";
import { type TableInfo, isOnDemand } from "../db/tables";
import { amount, moment } from "../format";
import { urlOf } from "../routes";
import { isReadOnly } from "../session";
import type { Extras } from "./extras";

type What = "billing" | "stream" | "ttl" | "recovery";
const streamKinds: Record<string, string> = { NEW_AND_OLD_IMAGES: "new and old items", NEW_IMAGE: "new items", OLD_IMAGE: "old items", KEYS_ONLY: "keys only" };

interface Props {
  table: TableInfo;
  extra: Extras | undefined;
  again: () => void;
}

export function Settings({ table, extra, again }: Props) {
  const [changing, setChanging] = useState<What>();
  const stream = table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : undefined;
  const throughput = table.ProvisionedThroughput;
  const protect = (): void =>
    void call("UpdateTable", { TableName: table.TableName, DeletionProtectionEnabled: !table.DeletionProtectionEnabled }).then(() => (say("Changed"), again()), sayError);
  const line = (what: What, name: string, value: ComponentChildren) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {!isReadOnly.value && <dd class="action"><button class="button small" type="button" aria-label={`Change: ${name}`} onClick={() => setChanging(what)}>Change</button></dd>}
    </div>
  );
  return (
    <Panel title="Settings">
      <dl class="facts with-action">
        {line("billing", "Billing", isOnDemand(table) ? "on demand" : `provisioned: ${amount(throughput?.ReadCapacityUnits)} read and ${amount(throughput?.WriteCapacityUnits)} write units`)}
        {line("stream", "Stream", stream ? <>{streamKinds[stream]} <code class="quiet">{table.LatestStreamArn}</code> <a href={urlOf("/t/:table/stream", { table: table.TableName })}>Follow it</a></> : "none")}
        {line("ttl", "Time to live", !extra ? "…" : extra.ttl ? <>items expire at <code>{extra.ttl}</code>, in seconds since 1970</> : "items do not expire")}
        {line("recovery", "Point-in-time recovery", !extra ? "…" : extra.hasRecovery ? <>on; back to {moment(extra.earliestRestore)} <a href={urlOf("/t/:table/backups", { table: table.TableName })}>Restore</a></> : "off")}
        <div>
          <dt>Deletion protection</dt>
          <dd>{table.DeletionProtectionEnabled ? "on" : "off"}</dd>
          {!isReadOnly.value && <dd class="action"><button class="button small" type="button" onClick={protect}>{table.DeletionProtectionEnabled ? "Switch off" : "Switch on"}</button></dd>}
        </div>
      </dl>
      {changing && <Change what={changing} table={table} extra={extra} again={again} onClose={() => setChanging(undefined)} />}
    </Panel>
  );
}

const titles: Record<What, string> = { billing: "Billing", stream: "Stream", ttl: "Time to live", recovery: "Point-in-time recovery" };

/** A dialog whose form sends requests; a refusal is shown in it. */
function Change({ what, table, extra, again, onClose }: Props & { what: What; onClose: () => void }) {
  const [wrong, setWrong] = useState("");
  const send = (operation: string, request: object): void => {
    setWrong("");
    call(operation, { TableName: table.TableName, ...request }).then(() => (say("Changed"), again(), onClose()), (error: Error) => setWrong(error.message));
  };
  const Form = { billing: Billing, stream: Stream, ttl: TimeToLive, recovery: Recovery }[what];
  return (
    <Dialog title={titles[what]} onClose={onClose}>
      <Form table={table} extra={extra} send={send} />
      {wrong && <div class="notice bad" role="alert">{wrong}</div>}
    </Dialog>
  );
}

interface FormProps {
  table: TableInfo;
  extra: Extras | undefined;
  send: (operation: string, request: object) => void;
}

function Changing({ onSubmit, children }: { onSubmit: () => void; children: ComponentChildren }) {
  return (
    <form class="stack wide" onSubmit={(event) => (event.preventDefault(), onSubmit())}>
      {children}
      <div class="form-end"><button class="button primary" type="submit">Change</button></div>
    </form>
  );
}

function Billing({ table, send }: FormProps) {
  const [mode, setMode] = useState<"PAY_PER_REQUEST" | "PROVISIONED">(isOnDemand(table) ? "PAY_PER_REQUEST" : "PROVISIONED");
  const [reads, setReads] = useState(table.ProvisionedThroughput?.ReadCapacityUnits || 5);
  const [writes, setWrites] = useState(table.ProvisionedThroughput?.WriteCapacityUnits || 5);
  const throughput = { ReadCapacityUnits: reads, WriteCapacityUnits: writes };
  const indexUpdates = (table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => ({ Update: { IndexName, ProvisionedThroughput: throughput } }));
  const submit = (): void =>
    send("UpdateTable", {
      BillingMode: mode,
      ...(mode === "PROVISIONED" ? { ProvisionedThroughput: throughput, ...(isOnDemand(table) && indexUpdates.length > 0 ? { GlobalSecondaryIndexUpdates: indexUpdates } : {}) } : {}),
    });
  return (
    <Changing onSubmit={submit}>
      <Field label="Mode">
        {(id) => (
          <select {...id} value={mode} onChange={(e) => setMode(e.currentTarget.value as typeof mode)}>
            <option value="PAY_PER_REQUEST">on demand</option>
            <option value="PROVISIONED">provisioned</option>
          </select>
        )}
      </Field>
      {mode === "PROVISIONED" && (
        <div class="form">
          <Field label="Read units">{(id) => <input {...id} type="number" min={1} required value={reads} onInput={(e) => setReads(e.currentTarget.valueAsNumber)} />}</Field>
          <Field label="Write units">{(id) => <input {...id} type="number" min={1} required value={writes} onInput={(e) => setWrites(e.currentTarget.valueAsNumber)} />}</Field>
        </div>
      )}
    </Changing>
  );
}

function Stream({ table, send }: FormProps) {
  const isOn = table.StreamSpecification?.StreamEnabled ?? false;
  const [kind, setKind] = useState("NEW_AND_OLD_IMAGES");
  if (isOn) {
    return (
      <Changing onSubmit={() => send("UpdateTable", { StreamSpecification: { StreamEnabled: false } })}>
        <p>The stream is on. Its records can be read for 24 hours after it is switched off.</p>
      </Changing>
    );
  }
  return (
    <Changing onSubmit={() => send("UpdateTable", { StreamSpecification: { StreamEnabled: true, StreamViewType: kind } })}>
      <Field label="Its records have">
        {(id) => (
          <select {...id} value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
            {Object.entries(streamKinds).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        )}
      </Field>
    </Changing>
  );
}

function TimeToLive({ extra, send }: FormProps) {
  const [name, setName] = useState(extra?.ttl ?? "");
  const isOn = Boolean(extra?.ttl);
  return (
    <Changing onSubmit={() => send("UpdateTimeToLive", { TimeToLiveSpecification: { AttributeName: name, Enabled: !isOn } })}>
      {isOn ? (
        <p>Items expire at <code>{name}</code>. After the change they do not expire any more.</p>
      ) : (
        <Field label="Attribute" hint="A number: the time, in seconds since 1970, when the item expires">{(id) => <input {...id} class="mono" required value={name} spellcheck={false} onInput={(e) => setName(e.currentTarget.value)} />}</Field>
      )}
    </Changing>
  );
}

function Recovery({ extra, send }: FormProps) {
  const [days, setDays] = useState(extra?.recoveryDays ?? 35);
  const specification = (part: object) => ({ PointInTimeRecoverySpecification: part });
  if (extra?.hasRecovery) {
    return (
      <Changing onSubmit={() => send("UpdateContinuousBackups", specification({ PointInTimeRecoveryEnabled: false }))}>
        <p>The table can be restored as it was at any time since {moment(extra.earliestRestore)}. After the change it cannot.</p>
      </Changing>
    );
  }
  return (
    <Changing onSubmit={() => send("UpdateContinuousBackups", specification({ PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: days }))}>
      <Field label="Days" hint="1 to 35: how far back the table can be restored">{(id) => <input {...id} type="number" min={1} max={35} required value={days} onInput={(e) => setDays(e.currentTarget.valueAsNumber)} />}</Field>
    </Changing>
  );
}
