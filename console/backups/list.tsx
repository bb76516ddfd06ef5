// Backups in a table, with what can be done with each.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Badge, type Column, Table } from "web/ui/table";
import { say, sayError } from "web/ui/toast";
import { bytes, moment } from "../format";
import { isReadOnly } from "../session";
import { TypedConfirm } from "../typed_confirm";
import { type Backup, deleteBackup, restoreBackup } from "./api";
import { TargetDialog } from "./target";

interface Props {
  backups: readonly Backup[];
  of: "table" | "all"; // all: each has the name of its table
  again: () => void;
}

export function BackupList({ backups, of, again }: Props) {
  const [asking, setAsking] = useState<{ what: "delete" | "restore"; backup: Backup }>();
  const close = (): void => setAsking(undefined);
  const actions = (backup: Backup) =>
    isReadOnly.value ? null : (
      <div class="row backup-actions">
        <button class="button small" type="button" aria-label={`Restore ${backup.BackupName}`} onClick={() => setAsking({ what: "restore", backup })}><Icon name="refresh" />Restore</button>
        {backup.BackupType === "USER" && <button class="button small danger" type="button" aria-label={`Delete ${backup.BackupName}`} onClick={() => setAsking({ what: "delete", backup })}><Icon name="trash" />Delete</button>}
      </div>
    );
  const columns: Column<Backup>[] = [
    { name: "Backup", show: (backup) => <span class="backup-name">{backup.BackupName} {backup.BackupType === "SYSTEM" && <Badge>system</Badge>}</span> },
    ...(of === "all" ? [{ name: "Table", show: ({ TableName }: Backup) => <span class="mono">{TableName}</span> }] : []),
    { name: "Made", show: ({ BackupCreationDateTime, BackupExpiryDateTime }) => <>{moment(BackupCreationDateTime)}{BackupExpiryDateTime !== undefined && <span class="quiet small"> · until {moment(BackupExpiryDateTime)}</span>}</> },
    { name: "Size", isNumber: true, show: ({ BackupSizeBytes }) => bytes(BackupSizeBytes) },
    { name: "Actions", isActions: true, show: actions },
  ];
  const { what, backup } = asking ?? {};
  return (
    <>
      <Table caption="Backups" columns={columns} rows={[...backups]} keyOf={({ BackupArn }) => BackupArn} />
      {what === "restore" && (
        <TargetDialog source={backup!.TableName} restore={(target) => restoreBackup(backup!, target)} onClose={close}>
          <p>A new table with what <code>{backup!.TableName}</code> was when <strong>{backup!.BackupName}</strong> was made, {moment(backup!.BackupCreationDateTime)}.</p>
        </TargetDialog>
      )}
      {what === "delete" && (
        <TypedConfirm title="Delete the backup" name={backup!.BackupName} yes="Delete the backup" onYes={() => void deleteBackup(backup!).then(() => (say(`The backup ${backup!.BackupName} is deleted`), again()), sayError)} onClose={close}>
          <p>The backup of <code>{backup!.TableName}</code> from {moment(backup!.BackupCreationDateTime)} will be deleted. The table stays as it is.</p>
        </TypedConfirm>
      )}
    </>
  );
}
