// The tables of the database, as all views share them.
import { signal } from "@preact/signals";
import { call, DbError } from "./call";
import type { KeyType } from "./value";

export interface KeyElement {
  AttributeName: string;
  KeyType: "HASH" | "RANGE";
}

export interface Throughput {
  ReadCapacityUnits: number;
  WriteCapacityUnits: number;
}

export interface Index {
  IndexName: string;
  KeySchema: KeyElement[];
  Projection: { ProjectionType: "ALL" | "KEYS_ONLY" | "INCLUDE"; NonKeyAttributes?: string[] };
  IndexStatus?: "CREATING" | "UPDATING" | "DELETING" | "ACTIVE";
  Backfilling?: boolean;
  ItemCount?: number;
  IndexSizeBytes?: number;
  ProvisionedThroughput?: Throughput;
}

export interface TableInfo {
  TableName: string;
  TableStatus: string;
  TableArn: string;
  CreationDateTime: number;
  ItemCount: number;
  TableSizeBytes: number;
  AttributeDefinitions: { AttributeName: string; AttributeType: KeyType }[];
  KeySchema: KeyElement[];
  GlobalSecondaryIndexes?: Index[];
  LocalSecondaryIndexes?: Index[];
  StreamSpecification?: { StreamEnabled: boolean; StreamViewType?: string };
  LatestStreamArn?: string;
  BillingModeSummary?: { BillingMode: "PROVISIONED" | "PAY_PER_REQUEST" };
  ProvisionedThroughput?: Throughput;
  OnDemandThroughput?: { MaxReadRequestUnits?: number; MaxWriteRequestUnits?: number };
  DeletionProtectionEnabled?: boolean;
  TableClassSummary?: { TableClass: string };
  RestoreSummary?: { RestoreInProgress: boolean; RestoreDateTime: number; SourceBackupArn?: string; SourceTableArn?: string };
}

/** The names of all tables; undefined until they are known. */
export const names = signal<string[] | undefined>(undefined);
/** What is known about each table. */
export const tables = signal<ReadonlyMap<string, TableInfo>>(new Map());
export const tablesError = signal<Error | undefined>(undefined);

export const isOnDemand = (table: TableInfo): boolean => table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
export const indexesOf = (table: TableInfo): Index[] => [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
/** The attributes of the keys of all indexes. */
export const indexKeysOf = (table: TableInfo): string[] => indexesOf(table).flatMap((index) => index.KeySchema.map((key) => key.AttributeName));
export const isGlobal = (table: TableInfo, index: string): boolean => (table.GlobalSecondaryIndexes ?? []).some((one) => one.IndexName === index);
export const typeOfKey = (table: TableInfo, name: string): KeyType => table.AttributeDefinitions.find((one) => one.AttributeName === name)?.AttributeType ?? "S";
/** Returns the names of the key attributes of one kind; a global index can have several. */
export const keysOf = (schema: readonly KeyElement[], kind: KeyElement["KeyType"]): string[] => schema.filter((one) => one.KeyType === kind).map((one) => one.AttributeName);

export function remember(table: TableInfo): TableInfo {
  tables.value = new Map(tables.peek()).set(table.TableName, table);
  return table;
}

/** Asks what a table is. One that is not there any more is forgotten. */
export async function describe(name: string): Promise<TableInfo> {
  try {
    return remember((await call<{ Table: TableInfo }>("DescribeTable", { TableName: name })).Table);
  } catch (why) {
    if (why instanceof DbError && why.kind === "ResourceNotFoundException") forget(name);
    throw why;
  }
}

function forget(name: string): void {
  tables.value = new Map([...tables.peek()].filter(([one]) => one !== name));
  names.value = names.peek()?.filter((one) => one !== name);
}

async function allNames(): Promise<string[]> {
  const found: string[] = [];
  for (let last: string | undefined; ; ) {
    const page = await call<{ TableNames: string[]; LastEvaluatedTableName?: string }>("ListTables", last ? { ExclusiveStartTableName: last } : {});
    found.push(...page.TableNames);
    last = page.LastEvaluatedTableName;
    if (!last) return found;
  }
}

const describedAtOnce = 6;
const describedMost = 500; // of more tables the names are shown; a table is described when it is opened

/** Asks for the names of all tables and for what they are. Fails never: `tablesError` says what went wrong. */
export async function loadTables(): Promise<void> {
  try {
    const all = await allNames();
    names.value = all;
    const found = new Map<string, TableInfo>();
    const waiting = all.slice(0, describedMost);
    const describeNext = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        // A table can be deleted by somebody between the two calls.
        const answer = await call<{ Table: TableInfo }>("DescribeTable", { TableName: name }).catch(() => undefined);
        if (answer) found.set(name, answer.Table);
      }
    };
    await Promise.all(Array.from({ length: describedAtOnce }, describeNext));
    tables.value = found;
    tablesError.value = undefined;
  } catch (why) {
    tablesError.value = why as Error;
  }
}
