// The records of a stream, as DynamoDB Streams answers.
import { call } from "../db/call";
import type { Item } from "../db/value";

interface StreamRecord {
  eventID: string;
  eventName: "INSERT" | "MODIFY" | "REMOVE";
  userIdentity?: { type: string; principalId: string };
  dynamodb: { ApproximateCreationDateTime: number; Keys: Item; NewImage?: Item; OldImage?: Item; SequenceNumber: string; SizeBytes: number };
}

/** A change of an item. */
export interface Change {
  id: string;
  event: StreamRecord["eventName"];
  at: number; // milliseconds since 1970
  sequence: string;
  keys: Item;
  before: Item | undefined; // undefined: there was none, or the stream does not show it
  after: Item | undefined;
  bytes: number;
  hasExpired: boolean;
}

export interface Shard {
  ShardId: string;
  SequenceNumberRange: { StartingSequenceNumber?: string; EndingSequenceNumber?: string };
}

export const isOpen = (shard: Shard): boolean => shard.SequenceNumberRange.EndingSequenceNumber === undefined;

export async function shardsOf(stream: string): Promise<Shard[]> {
  const found: Shard[] = [];
  for (let last: string | undefined; ; ) {
    const page: { StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string } } = await call("DescribeStream", { StreamArn: stream, ...(last ? { ExclusiveStartShardId: last } : {}) });
    found.push(...page.StreamDescription.Shards);
    last = page.StreamDescription.LastEvaluatedShardId;
    if (!last) return found;
  }
}

export type Place = { ShardIteratorType: "LATEST" | "TRIM_HORIZON" } | { ShardIteratorType: "AFTER_SEQUENCE_NUMBER"; SequenceNumber: string };

export async function iteratorAt(stream: string, shard: string, place: Place): Promise<string> {
  return (await call<{ ShardIterator: string }>("GetShardIterator", { StreamArn: stream, ShardId: shard, ...place })).ShardIterator;
}

export async function readRecords(iterator: string): Promise<{ changes: Change[]; next: string | undefined }> {
  const answer = await call<{ Records: StreamRecord[]; NextShardIterator?: string }>("GetRecords", { ShardIterator: iterator });
  const changes = answer.Records.map(({ eventID, eventName, userIdentity, dynamodb }) => ({
    id: eventID, event: eventName, at: dynamodb.ApproximateCreationDateTime * 1000, sequence: dynamodb.SequenceNumber, keys: dynamodb.Keys,
    before: dynamodb.OldImage, after: dynamodb.NewImage, bytes: dynamodb.SizeBytes, hasExpired: userIdentity?.principalId === "dynamodb.amazonaws.com",
  }));
  return { changes, next: answer.NextShardIterator };
}
