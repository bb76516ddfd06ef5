// Settings of tables that DescribeTable does not say: time to live, point-in-time recovery, backups.
import { signal } from "@preact/signals";
import { call } from "../db/call";
import { names } from "../db/tables";
import type { Item } from "../db/value";
import { moment } from "../format";

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

interface TimeToLive {
  TimeToLiveDescription: { TimeToLiveStatus: string; AttributeName?: string };
}

/** The attribute of each table that says when an item expires; empty: items do not expire. */
const timesToLive = signal<ReadonlyMap<string, string>>(new Map());

async function askTimeToLive(name: string): Promise<string> {
  const { TimeToLiveDescription: about } = await call<TimeToLive>("DescribeTimeToLive", { TableName: name });
  const attribute = about.TimeToLiveStatus === "ENABLED" ? (about.AttributeName ?? "") : "";
  timesToLive.value = new Map(timesToLive.peek()).set(name, attribute);
  return attribute;
}

/** Asks for the attribute with the expiry of items, unless it is known. Fails never: without it, no expiry is shown. */
export async function loadTimeToLive(name: string): Promise<void> {
  if (!timesToLive.peek().has(name)) await askTimeToLive(name).catch(() => undefined);
}

/** Returns when an item expires, in words; undefined if it does not, or if that is not known. */
export function expiryOf(table: string, item: Item): { attribute: string; words: string } | undefined {
  const attribute = timesToLive.value.get(table);
  const value = attribute ? item[attribute] : undefined;
  const seconds = value && "N" in value ? Number(value.N) : NaN;
  if (!attribute || !Number.isFinite(seconds) || Math.abs(seconds) > 8.64e12) return undefined;
  return { attribute, words: `${seconds * 1000 < Date.now() ? "expired" : "expires"} ${moment(seconds)}` };
}

export async function loadExtrasOf(name: string): Promise<Extras> {
  const [ttl, recovery, backups] = await Promise.all([
    askTimeToLive(name),
    call<{ ContinuousBackupsDescription: { PointInTimeRecoveryDescription?: Recovery } }>("DescribeContinuousBackups", { TableName: name }),
    call<{ BackupSummaries: unknown[] }>("ListBackups", { TableName: name }),
  ]);
  const point = recovery.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
  const found: Extras = {
    ttl,
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
