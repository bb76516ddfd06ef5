// Backups, point-in-time recovery and restores, as DynamoDB's operations answer.
import { call } from "../db/call";
import { describe, loadTables } from "../db/tables";
import { watch } from "./watch";

export interface Backup {
  TableName: string;
  BackupArn: string;
  BackupName: string;
  BackupCreationDateTime: number;
  BackupExpiryDateTime?: number;
  BackupStatus: string;
  BackupType: "USER" | "SYSTEM" | "AWS_BACKUP";
  BackupSizeBytes: number;
}

const pagesMost = 50; // of a hundred backups each

/** Returns the backups of a table, or of all tables; the newest first. */
export async function listBackups(table: string | undefined): Promise<Backup[]> {
  const found: Backup[] = [];
  for (let last: string | undefined, pages = 0; pages < pagesMost; pages++) {
    const page: { BackupSummaries: Backup[]; LastEvaluatedBackupArn?: string } = await call("ListBackups", {
      BackupType: "ALL", ...(table ? { TableName: table } : {}), ...(last ? { ExclusiveStartBackupArn: last } : {}),
    });
    found.push(...page.BackupSummaries);
    last = page.LastEvaluatedBackupArn;
    if (!last) break;
  }
  return found.sort((a, b) => b.BackupCreationDateTime - a.BackupCreationDateTime);
}

export const createBackup = (table: string, name: string): Promise<unknown> => call("CreateBackup", { TableName: table, BackupName: name });
export const deleteBackup = ({ BackupArn }: Backup): Promise<unknown> => call("DeleteBackup", { BackupArn });
export const restoreBackup = ({ BackupArn }: Backup, target: string): Promise<unknown> => begin(target, "RestoreTableFromBackup", { BackupArn });

/** Restores a table as it was at a time; without one as it is now. */
export const restoreMoment = (source: string, target: string, milliseconds: number | undefined): Promise<unknown> =>
  begin(target, "RestoreTableToPointInTime", { SourceTableName: source, ...(milliseconds === undefined ? { UseLatestRestorableTime: true } : { RestoreDateTime: milliseconds / 1000 }) });

async function begin(target: string, operation: string, request: object): Promise<void> {
  await call(operation, { TargetTableName: target, ...request });
  await describe(target);
  watch(target);
  void loadTables();
}

export interface Period {
  days: number;
  earliest: number; // milliseconds since 1970
  latest: number;
}

/** Returns the times to which a table can be restored; undefined while point-in-time recovery is off. The answer has whole seconds, which are included. */
export async function periodOf(table: string): Promise<Period | undefined> {
  interface Recovery { PointInTimeRecoveryStatus: string; RecoveryPeriodInDays?: number; EarliestRestorableDateTime?: number; LatestRestorableDateTime?: number }
  const answer = await call<{ ContinuousBackupsDescription: { PointInTimeRecoveryDescription?: Recovery } }>("DescribeContinuousBackups", { TableName: table });
  const found = answer.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  if (found?.PointInTimeRecoveryStatus !== "ENABLED") return undefined;
  const milliseconds = (seconds: number | undefined): number => Math.round((seconds ?? Date.now() / 1000) * 1000);
  return { days: found.RecoveryPeriodInDays ?? 35, earliest: milliseconds(found.EarliestRestorableDateTime), latest: milliseconds(found.LatestRestorableDateTime) + 999 };
}

export const switchRecovery = (table: string, days: number | undefined): Promise<unknown> =>
  call("UpdateContinuousBackups", { TableName: table, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: days !== undefined, ...(days === undefined ? {} : { RecoveryPeriodInDays: days }) } });

/** Returns how many items a restored table will have, about; undefined if that is not known. */
export async function itemsOfSource(summary: { SourceBackupArn?: string; SourceTableArn?: string }): Promise<number | undefined> {
  try {
    if (summary.SourceBackupArn) {
      const { BackupDescription } = await call<{ BackupDescription: { SourceTableDetails: { ItemCount?: number } } }>("DescribeBackup", { BackupArn: summary.SourceBackupArn });
      return BackupDescription.SourceTableDetails.ItemCount;
    }
    return summary.SourceTableArn ? (await call<{ Table: { ItemCount: number } }>("DescribeTable", { TableName: summary.SourceTableArn.split("/").pop()! })).Table.ItemCount : undefined;
  } catch {
    return undefined; // the source may be gone
  }
}
