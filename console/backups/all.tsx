// The backups of all tables, also of deleted ones.
import { useEffect } from "preact/hooks";
import { useLoad } from "web/load";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { loadTables } from "../db/tables";
import { bytes, plural } from "../format";
import { listBackups } from "./api";
import { BackupList } from "./list";
import { Restores } from "./restores";

export default function AllBackups() {
  const { state, again } = useLoad(() => listBackups(undefined), []);
  const { value, error } = state.value;
  useEffect(() => void loadTables(), []);
  return (
    <div class="page">
      <div class="page-head">
        <div>
          <h1>Backups</h1>
          {value && value.length > 0 && <p class="quiet">{plural(value.length, "backup")} · {bytes(value.reduce((all, { BackupSizeBytes }) => all + BackupSizeBytes, 0))}</p>}
        </div>
        <button class="button" type="button" onClick={again}><Icon name="refresh" />Refresh</button>
      </div>
      <Restores />
      {error && <Problem error={error} again={again} />}
      {!value && !error && <div class="loading" role="progressbar" aria-label="Loading" />}
      {value?.length === 0 && (
        <Empty icon="archive" title="There are no backups">
          <p>A backup keeps a table as it is, whatever happens to it later. Open a table and choose Backups to make one, or to switch on point-in-time recovery, which can go back to any time.</p>
        </Empty>
      )}
      {value && value.length > 0 && <section class="panel"><BackupList backups={value} of="all" again={again} /></section>}
    </div>
  );
}
