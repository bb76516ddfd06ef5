// The backups of a table, and point-in-time recovery: the table as it was at any time.
import { useEffect, useState } from "preact/hooks";
import { useLoad } from "web/load";
import { Icon } from "web/ui/icons";
import { Panel, Problem } from "web/ui/table";
import { say } from "web/ui/toast";
import { describe } from "../db/tables";
import type { ViewProps } from "../routes";
import { isReadOnly } from "../session";
import { createBackup, listBackups, periodOf } from "./api";
import { BackupList } from "./list";
import { Recovery } from "./recovery";
import { Restores } from "./restores";

export default function Backups({ params }: ViewProps) {
  const name = params["table"] ?? "";
  const backups = useLoad(() => listBackups(name), [name]);
  const period = useLoad(() => periodOf(name), [name]);
  useEffect(() => void describe(name).catch(() => undefined), [name]);
  const found = backups.state.value;
  const times = period.state.value;
  return (
    <div class="page">
      <Restores />
      {times.error && <Problem error={times.error} again={period.again} />}
      {!times.error && (times.isLoading && !times.value ? <div class="loading" role="progressbar" aria-label="Loading" /> : <Recovery table={name} period={times.value} again={period.again} />)}
      <Panel title="Backups" flush>
        {found.error && <Problem error={found.error} again={backups.again} />}
        {!isReadOnly.value && <Create table={name} again={backups.again} />}
        {found.value?.length === 0 && <p class="quiet panel-body">None yet. A backup keeps the table as it is now, until somebody deletes the backup. Making one takes a moment, whatever the size of the table.</p>}
        {found.value && found.value.length > 0 && <BackupList backups={found.value} of="table" again={backups.again} />}
      </Panel>
    </div>
  );
}

function Create({ table, again }: { table: string; again: () => void }) {
  const [name, setName] = useState("");
  const [wrong, setWrong] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    setWrong("");
    createBackup(table, name).then(() => (say(`The backup ${name} is made`), setName(""), again()), (why: Error) => setWrong(why.message));
  };
  return (
    <form class="panel-tools" onSubmit={submit}>
      <input class="grow" value={name} required aria-label="Name of the backup" placeholder="Name of the backup, such as before-the-change" autocomplete="off" spellcheck={false} onInput={(e) => setName(e.currentTarget.value)} />
      <button class="button primary" type="submit"><Icon name="plus" />Make a backup</button>
      {wrong && <p class="wrong small whole" role="alert">{wrong}</p>}
    </form>
  );
}
