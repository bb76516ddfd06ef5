// A table or an index before it exists: what a form holds, and the request that creates it.
import type { KeyElement, Throughput } from "../db/tables";
import type { KeyType } from "../db/value";

export interface KeyAttribute {
  name: string;
  type: KeyType;
}

export interface IndexDraft {
  name: string;
  scope: "global" | "local"; // a local index has the partition key of its table
  partition: KeyAttribute[];
  sort: KeyAttribute[];
  projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  included: string; // attributes, separated by commas
}

export interface TableDraft {
  name: string;
  partition: KeyAttribute;
  sort: KeyAttribute;
  indexes: IndexDraft[];
  billing: "PAY_PER_REQUEST" | "PROVISIONED";
  reads: number;
  writes: number;
  stream: "" | "KEYS_ONLY" | "NEW_IMAGE" | "OLD_IMAGE" | "NEW_AND_OLD_IMAGES";
  isProtected: boolean;
}

interface IndexRequest {
  IndexName: string;
  KeySchema: KeyElement[];
  Projection: { ProjectionType: IndexDraft["projection"]; NonKeyAttributes?: string[] };
  ProvisionedThroughput?: Throughput;
}

export interface CreateTable {
  TableName: string;
  AttributeDefinitions: { AttributeName: string; AttributeType: KeyType }[];
  KeySchema: KeyElement[];
  GlobalSecondaryIndexes?: IndexRequest[];
  LocalSecondaryIndexes?: IndexRequest[];
  BillingMode: TableDraft["billing"];
  ProvisionedThroughput?: Throughput;
  StreamSpecification?: { StreamEnabled: true; StreamViewType: string };
  DeletionProtectionEnabled?: true;
}

export const emptyTable: TableDraft = {
  name: "", partition: { name: "", type: "S" }, sort: { name: "", type: "S" }, indexes: [], billing: "PAY_PER_REQUEST", reads: 5, writes: 5, stream: "", isProtected: false,
};
export const emptyIndex: IndexDraft = { name: "", scope: "global", partition: [{ name: "", type: "S" }], sort: [], projection: "ALL", included: "" };

const schemaOf = (partition: KeyAttribute[], sort: KeyAttribute[]): KeyElement[] => [
  ...partition.map(({ name }): KeyElement => ({ AttributeName: name, KeyType: "HASH" })),
  ...sort.filter(({ name }) => name !== "").map(({ name }): KeyElement => ({ AttributeName: name, KeyType: "RANGE" })),
];

export function definitionsOf(attributes: KeyAttribute[]): CreateTable["AttributeDefinitions"] {
  const types = new Map(attributes.filter(({ name }) => name !== "").map(({ name, type }) => [name, type]));
  return [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
}

const listOf = (text: string): string[] => text.split(",").map((name) => name.trim()).filter((name) => name !== "");

export function indexRequest(index: IndexDraft, tablePartition: KeyAttribute, throughput?: Throughput): IndexRequest {
  return {
    IndexName: index.name,
    KeySchema: schemaOf(index.scope === "local" ? [tablePartition] : index.partition, index.sort),
    Projection: { ProjectionType: index.projection, ...(index.projection === "INCLUDE" ? { NonKeyAttributes: listOf(index.included) } : {}) },
    ...(throughput && index.scope === "global" ? { ProvisionedThroughput: throughput } : {}),
  };
}

export function requestOf(draft: TableDraft): CreateTable {
  const throughput = draft.billing === "PROVISIONED" ? { ReadCapacityUnits: draft.reads, WriteCapacityUnits: draft.writes } : undefined;
  const indexes = (scope: IndexDraft["scope"]): IndexRequest[] => draft.indexes.filter((one) => one.scope === scope).map((one) => indexRequest(one, draft.partition, throughput));
  const [global, local] = [indexes("global"), indexes("local")];
  return {
    TableName: draft.name,
    AttributeDefinitions: definitionsOf([draft.partition, draft.sort, ...draft.indexes.flatMap((one) => [...(one.scope === "global" ? one.partition : []), ...one.sort])]),
    KeySchema: schemaOf([draft.partition], [draft.sort]),
    ...(global.length > 0 ? { GlobalSecondaryIndexes: global } : {}),
    ...(local.length > 0 ? { LocalSecondaryIndexes: local } : {}),
    BillingMode: draft.billing,
    ...(throughput ? { ProvisionedThroughput: throughput } : {}),
    ...(draft.stream ? { StreamSpecification: { StreamEnabled: true, StreamViewType: draft.stream } } : {}),
    ...(draft.isProtected ? { DeletionProtectionEnabled: true } : {}),
  };
}
