// Settings of tables that DescribeTable does not say: time to live, point-in-time recovery, backups.
import { signal } from "@preact/signals";
import { call } from "../db/call";
import { names } from "../db/tables";

export interface Extras {
  ttl: string; // the attribute; empty: items do not expire
  hasRecovery: boolean;
  recoveryDays?: number;
  earliestRestore?: number; // seconds since 1970
  latestRestore?: number;
  backups: number;
}

export const extras = signal<ReadonlyMap<string, Extras>>(new Map());

interface Recovery {
  PointInTimeRecoveryStatus: string;
  RecoveryPeriodInDays?: number;
  EarliestRestorableDateTime?: number;
  LatestRestorableDateTime?: number;
}

export async function loadExtrasOf(name: string): Promise<Extras> {
  const [ttl, recovery, backups] = await Promise.all([
    call<{ TimeToLiveDescription: { TimeToLiveStatus: string; AttributeName?: string } }>("DescribeTimeToLive", { TableName: name }),
    call<{ ContinuousBackupsDescription: { PointInTimeRecoveryDescription?: Recovery } }>("DescribeContinuousBackups", { TableName: name }),
    call<{ BackupSummaries: unknown[] }>("ListBackups", { TableName: name }),
  ]);
  const point = recovery.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  const found: Extras = {
    ttl: ttl.TimeToLiveDescription.TimeToLiveStatus === "ENABLED" ? (ttl.TimeToLiveDescription.AttributeName ?? "") : "",
    hasRecovery: point?.PointInTimeRecoveryStatus === "ENABLED",
    ...(point?.RecoveryPeriodInDays ? { recoveryDays: point.RecoveryPeriodInDays } : {}),
    ...(point?.EarliestRestorableDateTime ? { earliestRestore: point.EarliestRestorableDateTime } : {}),
    ...(point?.LatestRestorableDateTime ? { latestRestore: point.LatestRestorableDateTime } : {}),
    backups: backups.BackupSummaries.length,
  };
  extras.value = new Map(extras.peek()).set(name, found);
  return found;
}

const askedMost = 100;

/** Asks for the settings of the first hundred tables, one after the other. What cannot be read (a key may not, a server has none) stays unknown. */
export async function loadExtras(): Promise<void> {
  for (const name of (names.peek() ?? []).slice(0, askedMost)) await loadExtrasOf(name).catch(() => undefined);
}
