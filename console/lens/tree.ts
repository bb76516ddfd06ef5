// The tree of keys, put together from the answers that cover a part of the table each.
import type { Item, Value } from "../db/value";
import type { Branch, TreeAnswer, Twig } from "./look";

export interface Tree {
  read: number;
  next: Item | undefined; // where to continue; undefined at the end
  unknown: number;
  samples: TreeAnswer["samples"];
  branches: Branch[];
}

export const noTree: Tree = { read: 0, next: undefined, unknown: 0, samples: [], branches: [] };

const samplesMost = 10;
const largestMost = 100;

function joined<T>(old: readonly T[], added: readonly T[], nameOf: (one: T) => string, add: (a: T, b: T) => T): T[] {
  const all = new Map(old.map((one) => [nameOf(one), one]));
  for (const one of added) {
    const before = all.get(nameOf(one));
    all.set(nameOf(one), before ? add(before, one) : one);
  }
  return [...all.values()];
}

const twigName = ({ entity, range }: Twig): string => `${entity} ${range}`;
const valueName = ({ value }: { value: Value }): string => JSON.stringify(value);
const moreItems = <T extends { items: number }>(a: T, b: T): T => ({ ...a, items: a.items + b.items });

function joinedBranch(a: Branch, b: Branch): Branch {
  return {
    hash: a.hash,
    items: a.items + b.items,
    partitions: a.partitions + b.partitions,
    largest: joined(a.largest, b.largest, valueName, moreItems).sort((x, y) => y.items - x.items).slice(0, largestMost),
    entities: joined(a.entities, b.entities, twigName, moreItems),
  };
}

/** Returns the tree with what one more answer counted. The order of branches is the one in which they were found. */
export function grown(tree: Tree, answer: TreeAnswer): Tree {
  return {
    read: tree.read + answer.read,
    next: answer.next ?? undefined,
    unknown: tree.unknown + answer.unknown,
    samples: [...tree.samples, ...answer.samples].slice(0, samplesMost),
    branches: joined(tree.branches, answer.branches, ({ hash }) => hash, joinedBranch),
  };
}
