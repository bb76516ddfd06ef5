// ---- Operations: a write is conditional on the used fields of items that were read; after a concurrent change all is retried ----

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { type Direct, Invalid, Refused } from "./connection.js";
import { consequences, copies, hashKey, rangeKey } from "./design.js";
import { decode, getItem, type Kind, readEntity } from "./entities.js";
import { accept, momentFor } from "./fields.js";
import { canonical, type Fields, has, hashed, plus, text, times, ulid } from "./values.js";

export const gone = Symbol("gone"); // the value of a field that is removed

interface Write {
  kind: "ConditionCheck" | "Put" | "Update" | "Delete";
  key: Fields;
  item: Fields; // of a Put
  set: Fields; // of an Update; undefined removes
  add: Fields;
  exists?: boolean; // the item must, or must not, exist
  same: Fields; // attributes that must be unchanged
  refusal?: Refused; // the refusal if it is not so
  counter?: string; // the counter without a target
  isSought?: boolean; // an entity that exists by now is the result of the operation
}

export interface Copy {
  name: string;
  from: Kind<unknown>;
  to: Kind<unknown>;
  counted?: string[]; // the fields of `to` that count
  creates?: boolean; // `to` is created with its first count
  targets?: (it: Fields) => Fields[]; // the entities it must have
  counts?: (it: Fields) => { key: Fields; numbers: Fields } | undefined; // its addition, and the entity it is added to
}

/** A change of an entity, as the rules of consequences see it: with `it` after the change, and the items that they read by name. */
export interface Change {
  t: Attempt;
  db: Direct;
  it: Fields;
  before: Fields;
  after: Fields;
  change: Fields;
  [name: string]: any;
}

/** A new item that follows from a change. */
export interface Consequence {
  name: string;
  of: Kind<unknown>[];
  on: string[]; // create, update, delete
  to: Kind<unknown>;
  deciding: string[]; // the fields that decide whether it follows; none: all do
  hidden: Record<string, string[][]>; // the paths of sensitive values, by entity
  readsFirst: boolean; // `when` uses the items that are read
  reads: Record<string, { of: Kind<unknown>; key: (change: Change) => Fields }>;
  when?: (change: Change) => boolean;
  set: (change: Change) => Fields;
  setWhole: (change: Change) => Fields; // sees `before` and `after` without sensitive values
}

/** Fields that record which of them were read. `changes` hide the stored values. */
function view(stored: Fields, used: Set<string>, changes: Fields = {}): Fields {
  const get = (_: object, name: string) => {
    if (name in changes) return changes[name] === gone ? undefined : changes[name];
    used.add(name);
    return stored[name];
  };
  const all = () => Object.keys(stored);
  return new Proxy(stored, { get, ownKeys: all } as ProxyHandler<Fields>);
}

const present = (fields: Fields): Fields => // without removed or missing fields
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== gone && has(value)));

/** Leaves out sensitive values, by their paths. */
function hide(fields: Fields, paths: string[][]): Fields {
  const hidden = (value: any, [name = "", ...rest]: string[]): any => {
    if (Array.isArray(value)) return value.map((one) => hidden(one, [name, ...rest]));
    if (!has(value) || typeof value !== "object" || !(name in value)) return value;
    return { ...value, [name]: rest.length === 0 ? "***" : hidden(value[name], rest) };
  };
  return paths.reduce(hidden, fields);
}

export function refuseUnless(holds: boolean, refusal: string, reason: string): void {
  if (!holds) throw new Refused(refusal, reason);
}

/** The conditions of a step on the stored entity, and its changes. */
export interface Step {
  require?: (it: Fields) => void;
  set?: (it: Fields) => Fields;
  exists?: boolean;
  ifExists?: { same: string[]; deleted?: string }; // returns an existing entity: the fields in which it must be the same, the attribute of a deleted one
  otherwise?: string; // the refusal's name if it exists, or is missing
}

/** Ends an operation that does nothing because the entity exists. */
class Existing {
  readonly fields: Fields;

  constructor(fields: Fields) {
    this.fields = fields;
  }
}

type Occasion = "create" | "update" | "transition";

export class Attempt {
  readonly now: number;
  private readonly db: Direct;
  private readonly without: Set<string>; // counters whose targets are missing
  private readonly writes = new Map<string, Write>();
  private readonly items = new Map<string, Fields | undefined>(); // each is read once, so that all steps see the same
  private readonly reads: (() => void)[] = []; // each adds its condition

  constructor(db: Direct, without: Set<string>) {
    this.db = db;
    this.without = without;
    this.now = db.now();
  }

  /** Reads an item first. */
  async read(kind: Kind<unknown>, keyFields: Fields, required = true): Promise<Fields> {
    const { key, item, fields } = await this.stored(kind, keyFields);
    if (!item && required) throw new Refused("NOT_FOUND", `there is no ${kind.name} ${JSON.stringify(keyFields)}`);
    const used = new Set<string>();
    this.reads.push(() => this.guard(this.on("ConditionCheck", key), kind, item, used));
    return view(fields, used);
  }

  /** Checks only: the item exists (or is missing), and is as required. */
  async check(kind: Kind<unknown>, keyFields: Fields, step: Step): Promise<void> {
    const write = this.on("ConditionCheck", kind.key(keyFields));
    const looked = step.require ? await this.stored(kind, keyFields) : undefined;
    this.must(write, step.exists ?? true, kind, keyFields, step.otherwise, ...(looked ? [looked.item] : []));
    if (!looked) return;
    const used = new Set<string>();
    step.require?.(view(looked.fields, used));
    this.reads.push(() => this.guard(write, kind, looked.item, used));
  }

  /** Writes a whole entity. Without `exists`, it replaces an existing one. */
  async put<T>(kind: Kind<T>, keyFields: Fields, step: Step): Promise<T> {
    const looked = step.exists !== false && this.mustLook(kind, step) ? await this.stored(kind, keyFields) : undefined;
    const stored = looked?.item ? looked.fields : {};
    const used = new Set<string>();
    step.require?.(view(stored, used));
    const given: Fields = { ...keyFields, ...step.set?.(view(stored, used)) };
    for (const [name, form] of Object.entries(kind.fields)) {
      if (form.auto === "create" && has(stored[name])) given[name] = view(stored, used)[name];
    }
    const fields = this.completed(kind, given);
    const write = this.on("Put", kind.key(fields));
    if (step.ifExists) await this.findExisting(kind, present(given), fields, step);
    if (step.exists !== undefined && !step.ifExists) this.must(write, step.exists, kind, fields, step.otherwise, ...(looked ? [looked.item] : []));
    if (looked) this.reads.push(() => this.guard(write, kind, looked.item, used));
    return (await this.written(kind, write, stored, fields, used)) as T;
  }

  /** Changes an existing entity. A field that `set` leaves undefined stays unchanged. */
  async update<T>(kind: Kind<T>, keyFields: Fields, step: Step, occasion: Occasion = "update"): Promise<T> {
    const { key, item, fields: stored } = await this.stored(kind, keyFields);
    const write = this.on("Update", key);
    this.must(write, true, kind, keyFields, step.otherwise, item);
    const used = new Set<string>();
    step.require?.(view(stored, used));
    const changes: Fields = {};
    for (const [name, value] of Object.entries(step.set?.(view(stored, used)) ?? {})) {
      if (has(value)) changes[name] = value === gone || !kind.fields[name] ? value : accept(name, kind.fields[name], value);
    }
    this.compute(kind, changes, stored, used, occasion);
    for (const [name, value] of Object.entries(changes)) {
      if (kind.fields[name] && kind.fields[name].stored !== false) write.set[name] = value === gone ? undefined : value;
    }
    this.reads.push(() => this.guard(write, kind, item, used));
    const result = (await this.written(kind, write, stored, changes, used)) as T;
    for (const { attribute } of Object.values(kind.states ?? {})) {
      // Assigning a state is asking for a transition.
      if (has(item?.[attribute]) && write.set[attribute] === item![attribute]) delete write.set[attribute];
    }
    return result;
  }

  async remove<T>(kind: Kind<T>, keyFields: Fields, step: Step): Promise<T> {
    const { key, item, fields: stored } = await this.stored(kind, keyFields);
    const write = this.on("Delete", key);
    if (step.exists !== false) this.must(write, true, kind, keyFields, step.otherwise, item);
    const used = new Set<string>();
    step.require?.(view(stored, used));
    for (const { to, counted } of copies) if (to === kind) counted?.forEach((name) => used.add(name)); // no concurrent increments
    if (item) {
      await this.follow(kind, view(stored, used), undefined);
      await this.entail(kind, view(stored, used), undefined);
      this.reads.push(() => this.guard(write, kind, item, used));
    }
    return stored as T;
  }

  /** Records that the operation was done, and its result. */
  remember(key: Fields, given: string, result: unknown): void {
    const write = this.on("Put", key);
    write.item = { ...key, given, result: present((result ?? {}) as Fields) };
    write.exists = false;
  }

  /** Returns whether it happened; otherwise an item changed concurrently. */
  async commit(): Promise<boolean> {
    for (const add of this.reads) add();
    const writes = [...this.writes.values()];
    const TransactItems = writes.map((write) => this.request(write));
    if (TransactItems.length > 100) throw new Refused("TOO_MANY", `it would write ${TransactItems.length} items`);
    if (TransactItems.length === 0) return true;
    try {
      await this.db.client.send(new TransactWriteCommand({ TransactItems }));
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      if (error.CancellationReasons?.some(({ Code }, at) => Code === "ConditionalCheckFailed" && writes[at]!.isSought)) return false;
      error.CancellationReasons?.forEach(({ Code, Message = "" }, at) => {
        if (Code === "ValidationError") throw refusalOf(Message) ?? error;
        if (Code !== "ConditionalCheckFailed") return;
        const { refusal, counter, same } = writes[at]!;
        if (counter && !refusal) this.without.add(counter);
        if (refusal && Object.keys(same).length === 0) throw refusal;
      });
      return false;
    }
  }

  // Ends the operation with the stored entity, if there is one; it must be the one that the step would put.
  private async findExisting(kind: Kind<unknown>, given: Fields, wanted: Fields, step: Step): Promise<void> {
    const { key, item } = await this.stored(kind, wanted);
    Object.assign(this.on("Put", key), { exists: false, isSought: true });
    if (!item) return;
    const refuse = (why: string): never => {
      throw new Refused(step.otherwise ?? "ALREADY_EXISTS", `there is already a ${kind.name} ${JSON.stringify(key)}, ${why}`);
    };
    const { same, deleted } = step.ifExists!;
    const found = decode(kind, item) as Fields | undefined;
    if (!found) return refuse("which is of another kind");
    if (deleted !== undefined && has(item[deleted])) refuse("which is deleted");
    for (const name of same) if (has(given[name]) && !isDeepStrictEqual(wanted[name], found[name])) refuse(`with another ${name}`);
    throw new Existing(found);
  }

  // Returns whether the overwritten value matters.
  private mustLook(kind: Kind<unknown>, step: Step): boolean {
    const isCreated = Object.values(kind.fields).some((form) => form.auto === "create");
    const hasDependents = copies.some(({ from }) => from === kind) || consequences.some(({ of }) => of.includes(kind));
    return isCreated || has(step.require) || has(kind.unique) || hasDependents;
  }

  private async stored(kind: Kind<unknown>, keyFields: Fields) {
    const key = kind.key(keyFields);
    const name = JSON.stringify(key);
    if (!this.items.has(name)) this.items.set(name, await getItem(this.db, key, true));
    const item = this.items.get(name);
    return { key, item, fields: { ...present(acceptKnown(kind, keyFields)), ...((decode(kind, item) as Fields | undefined) ?? {}) } };
  }

  private on(kind: Write["kind"], key: Fields): Write {
    const name = JSON.stringify(key);
    const found = this.writes.get(name) ?? { kind, key, item: {}, set: {}, add: {}, same: {} };
    if (found.kind === "ConditionCheck") found.kind = kind;
    else if (kind !== "ConditionCheck" && kind !== found.kind) throw new Invalid(`two steps would write the same item, ${name}`);
    this.writes.set(name, found);
    return found;
  }

  // With `item`: it was read already.
  private must(write: Write, exists: boolean, kind: Kind<unknown>, fields: Fields, otherwise?: string, ...item: unknown[]): void {
    const reason = `${exists ? "there is no" : "there is already a"} ${kind.name} ${JSON.stringify(kind.key(fields))}`;
    const refusal = new Refused(otherwise ?? (exists ? "NOT_FOUND" : "ALREADY_EXISTS"), reason);
    if (item.length > 0 && (item[0] !== undefined) !== exists) throw refusal;
    write.exists = exists;
    if (item.length === 0) write.refusal ??= refusal;
  }

  private guard(write: Write, kind: Kind<unknown>, item: Fields | undefined, used: Set<string>): void {
    write.exists = item !== undefined;
    for (const name of item ? used : []) {
      const attribute = kind.states?.[name]?.attribute ?? name;
      if (kind.fields[name]?.stored !== false) write.same[attribute] = item![attribute];
    }
  }

  private completed(kind: Kind<unknown>, given: Fields): Fields {
    const fields: Fields = { ...kind.initial, ...present(given) };
    for (const [name, form] of Object.entries(kind.fields)) {
      if (form.generate && !has(fields[name])) fields[name] = form.generate === "uuid" ? randomUUID() : ulid(this.now);
      fields[name] = accept(name, form, fields[name] ?? form.default);
    }
    this.compute(kind, fields, {}, new Set(), "create");
    for (const [name, form] of Object.entries(kind.fields)) {
      if (form.required && !has(fields[name])) throw new Invalid(`${name} is required`, name);
    }
    return present(fields);
  }

  // Computes the fields that depend on the changes, and no more.
  private compute(kind: Kind<unknown>, changes: Fields, stored: Fields, used: Set<string>, occasion: Occasion): void {
    for (const [name, form] of Object.entries(kind.fields)) {
      const isTime = form.auto && (occasion === "create" || form.auto === "update" || form.auto === occasion);
      if (isTime && !(occasion === "create" && form.auto === "create" && has(changes[name]))) changes[name] = momentFor(form, this.now);
    }
    for (const [name, rule] of Object.entries(kind.computed ?? {})) {
      this.affected(changes, stored, used, (it) => {
        const value = accept(name, kind.fields[name]!, rule(it, this.db));
        return () => (changes[name] = value ?? gone);
      }, occasion);
    }
    for (const [name, holds] of Object.entries(kind.when ?? {})) {
      this.affected(changes, stored, used, (it) => {
        const there = holds(it);
        const given = name in changes ? has(changes[name]) && changes[name] !== gone : has(stored[name]);
        if (there && !given) throw new Invalid(`${kind.name}.${name} is required`, name);
        if (!there && name in changes && given) throw new Invalid(`${kind.name}.${name} may not be there`, name);
        return () => { if (!there) changes[name] = gone; };
      }, occasion);
    }
    for (const { name, message, needs, holds } of kind.rules ?? []) {
      this.affected(changes, stored, used, (it) => {
        const isKept = !needs.every((one) => has(it[one])) || holds(it);
        return () => refuseUnless(isKept, name, `${kind.name}.${name}: ${message}`);
      }, occasion);
    }
  }

  private affected(changes: Fields, stored: Fields, used: Set<string>, rule: (it: Fields) => () => void, occasion: Occasion | "index"): void {
    const read = new Set<string>();
    const seen = new Set<string>();
    const apply = rule(new Proxy(view(stored, read, changes), { get: (it, name: string) => (seen.add(name), it[name]) }));
    if (occasion !== "create" && ![...seen].some((name) => name in changes)) return;
    for (const name of read) used.add(name);
    apply();
  }

  // Computes the index keys, and the dependent writes.
  private async written(kind: Kind<unknown>, write: Write, stored: Fields, changes: Fields, used: Set<string>): Promise<Fields> {
    const isPut = write.kind === "Put";
    const before = isPut && Object.keys(stored).length === 0 ? undefined : view(stored, used);
    const fields = isPut ? changes : present({ ...stored, ...changes });
    const keys: Fields = {};
    for (const index of kind.indexes ?? []) {
      this.affected(changes, isPut ? {} : stored, used, (it) => {
        const made = index.keys(it);
        return () => index.attributes.forEach((attribute) => (keys[attribute] = made[attribute]));
      }, isPut ? "create" : "index");
    }
    if (isPut) {
      const attributes = Object.entries(fields).filter(([name]) => kind.fields[name]?.stored !== false && !kind.states?.[name]);
      write.item = { ...kind.mark, ...Object.fromEntries(attributes), ...present(keys), ...write.key };
    } else {
      for (const [attribute, key] of Object.entries(keys)) if (kind.fields[attribute] === undefined) write.set[attribute] = key;
    }
    const after = isPut ? fields : view(stored, used, changes);
    await this.follow(kind, before, after);
    await this.entail(kind, before, after, isPut ? undefined : changes);
    return fields;
  }

  // Writes the new items that follow from a change. `changes` are the fields that may differ; without them, all may.
  private async entail(kind: Kind<unknown>, before: Fields | undefined, after: Fields | undefined, changes?: Fields): Promise<void> {
    const how = !before ? "create" : !after ? "delete" : "update";
    const names = [...new Set([...Object.keys(kind.fields), ...Object.keys(kind.states ?? {})])];
    const differs = (name: string) => (!changes || name in changes) && !isDeepStrictEqual(before?.[name], after?.[name]);
    for (const one of consequences.filter(({ of, on }) => of.includes(kind) && on.includes(how))) {
      if (how === "update" && !(one.deciding.length > 0 ? one.deciding : names).some(differs)) continue;
      const it = (after ?? before)!;
      const key = kind.key(it);
      const change = { entity: kind.name, kind: how, key: [hashKey, rangeKey].filter((name) => name !== "").map((name) => text(key[name])).join("|") };
      const seen: Change = { t: this, db: this.db, it, before: before ?? {}, after: after ?? {}, change };
      if (!one.readsFirst && one.when && !one.when(seen)) continue;
      for (const [name, { of, key: keyFor }] of Object.entries(one.reads)) seen[name] = await this.related(of, keyFor(seen));
      if (one.readsFirst && one.when && !one.when(seen)) continue;
      const image = (of?: Fields) => of && hide(present(Object.fromEntries(names.map((name) => [name, of[name]]))), one.hidden[kind.name] ?? []);
      const whole = { ...seen, before: image(before), after: image(after) } as Change;
      await this.putNew(one, this.completed(one.to, { ...one.set(seen), ...one.setWhole(whole) }));
    }
  }

  private async putNew({ name, to }: Consequence, fields: Fields): Promise<void> {
    const write = this.on("Put", to.key(fields));
    const refusal = new Refused("ALREADY_EXISTS", `there is already the ${to.name} ${JSON.stringify(write.key)} that the consequence ${name} would write`);
    if (Object.keys(write.item).length > 0) throw refusal;
    Object.assign(write, { exists: false, refusal });
    await this.written(to, write, {}, fields, new Set());
  }

  // Reads an item for a consequence: the stored one, or the one that an earlier step puts.
  private async related(kind: Kind<unknown>, keyFields: Fields): Promise<Fields> {
    if (!Object.values(keyFields).every(has)) return {};
    const { key, item, fields } = await this.stored(kind, keyFields);
    const made = this.writes.get(JSON.stringify(key));
    if (!item && made?.kind === "Put") return decode(kind, made.item) as Fields;
    const used = new Set<string>();
    this.reads.push(() => this.guard(this.on("ConditionCheck", key), kind, item, used));
    return item ? view(fields, used) : {};
  }

  private async follow(kind: Kind<unknown>, before: Fields | undefined, after: Fields | undefined): Promise<void> {
    for (const copy of copies.filter(({ from }) => from === kind)) {
      if (copy.targets) await this.copyTo(copy.to, before ? copy.targets(before) : [], after ? copy.targets(after) : []);
      if (copy.counts && !this.without.has(copy.name)) await this.count(copy, before && copy.counts(before), after && copy.counts(after));
    }
    for (const { field, within, otherwise } of kind.unique ?? []) {
      const parts = [...within, field];
      const name = (it?: Fields) =>
        it && parts.every((one) => has(it[one])) && [`${kind.name}.${field}`, ...parts.map((one) => recordPart(text(it[one])))].join("#");
      const [old, wanted] = [name(before), name(after)];
      if (old === wanted) continue;
      if (old) this.on("Delete", recordKey("$unique", old));
      if (!wanted) continue;
      const write = this.on("Put", recordKey("$unique", wanted));
      Object.assign(write, { item: { ...write.key, of: kind.key(after!) }, exists: false });
      const said = kind.fields[field]?.sensitive ? `same ${field}` : `${field} ${text(after![field])}`;
      write.refusal = new Refused(otherwise, `another ${kind.name} has the ${said}`);
    }
  }

  private async copyTo(to: Kind<unknown>, before: Fields[], after: Fields[]): Promise<void> {
    const wanted = new Map(after.map((fields) => [JSON.stringify(to.key(fields)), fields]));
    const old = new Map(before.map((fields) => [JSON.stringify(to.key(fields)), fields]));
    for (const [name, fields] of old) if (!wanted.has(name) && !this.writes.has(name)) this.on("Delete", to.key(fields));
    for (const [name, fields] of wanted) {
      if (isDeepStrictEqual(present(fields), present(old.get(name) ?? {}))) continue;
      const complete = this.completed(to, fields);
      await this.written(to, this.on("Put", to.key(complete)), {}, complete, new Set());
    }
  }

  private async count(copy: Copy, before: ReturnType<Required<Copy>["counts"]>, after: typeof before): Promise<void> {
    const add = async (of: NonNullable<typeof before>, sign: number) => {
      const key = copy.to.key(of.key);
      const found = this.writes.get(JSON.stringify(key));
      if (found?.kind === "Delete") return;
      const write = found?.kind === "Put" ? found : this.on("Update", key);
      const into = write.kind === "Put" ? write.item : write.add;
      for (const [name, number] of Object.entries(of.numbers)) into[name] = plus(into[name] ?? 0, times(number ?? 0, sign));
      if (copy.creates && sign > 0 && write.kind === "Update") return this.create(copy.to, of, write);
      write.exists ??= true;
      // A deleted target need not be counted down; a new contribution needs its target.
      if (sign > 0) write.refusal ??= new Refused("NOT_FOUND", `there is no ${copy.to.name} ${JSON.stringify(key)}`);
      else write.counter = copy.name;
    };
    if (before) await add(before, -1);
    if (after) await add(after, 1);
  }

  // Sets what an item has that does not exist yet.
  private async create(to: Kind<unknown>, { key, numbers }: { key: Fields; numbers: Fields }, write: Write): Promise<void> {
    const zeros = Object.fromEntries(Object.keys(numbers).map((name) => [name, 0]));
    const made: Write = { kind: "Put", key: write.key, item: {}, set: {}, add: {}, same: {} };
    await this.written(to, made, {}, this.completed(to, { ...key, ...zeros }), new Set());
    for (const [name, value] of Object.entries(made.item)) if (!(name in zeros) && !(name in write.key)) write.set[name] = value;
  }

  private request({ kind, key, item, set, add, exists, same }: Write): NonNullable<TransactWriteCommandInput["TransactItems"]>[number] {
    const names: Record<string, string> = {};
    const values: Fields = {};
    const name = (attribute: string) => {
      const alias = `#n${Object.keys(names).length}`;
      names[alias] = attribute;
      return alias;
    };
    const value = (of: unknown) => {
      const alias = `:v${Object.keys(values).length}`;
      values[alias] = of;
      return alias;
    };
    const conditions = Object.entries(same).map(([attribute, old]) =>
      has(old) ? `${name(attribute)} = ${value(old)}` : `attribute_not_exists(${name(attribute)})`);
    if (exists !== undefined) conditions.push(`attribute_${exists ? "" : "not_"}exists(${name(hashKey)})`);
    const changed = Object.entries(set).filter(([, to]) => has(to)).map(([attribute, to]) => `${name(attribute)} = ${value(to)}`);
    const removed = Object.entries(set).filter(([, to]) => !has(to)).map(([attribute]) => name(attribute));
    const added = Object.entries(add).map(([attribute, by]) => `${name(attribute)} ${value(by)}`);
    const update = [["SET", changed], ["REMOVE", removed], ["ADD", added]] as const;
    const UpdateExpression = update.filter(([, all]) => all.length > 0).map(([word, all]) => `${word} ${all.join(", ")}`).join(" ");
    const shared = {
      TableName: this.db.table,
      ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    };
    if (kind === "Put") return { Put: { ...shared, Item: item } };
    if (kind === "Delete") return { Delete: { ...shared, Key: key } };
    if (UpdateExpression !== "") return { Update: { ...shared, Key: key, UpdateExpression } };
    return { ConditionCheck: { ...shared, ConditionExpression: conditions.join(" AND "), Key: key } };
  }
}

// The fields of an entity that its key determines. One whose day the key shows is not among them.
function acceptKnown(kind: Kind<unknown>, fields: Fields): Fields {
  const known = Object.entries(fields).filter(([name]) => kind.fields[name] && !kind.days?.includes(name));
  return Object.fromEntries(known.map(([name, value]) => [name, accept(name, kind.fields[name]!, value)]));
}

// Returns the refusal of a server that governs the table: "Tavola: Product.unitPrice must be ≥ 0 [shop.yaml:83]", or that of a
// rule of the entity: "Tavola: Booking.endsAfterStart: The end must be after the start. [hotel.yaml:12]".
function refusalOf(message: string): Refused | undefined {
  const rule = /^Tavola: \w+\.(\w+): /.exec(message);
  if (rule) return new Refused(rule[1]!, message);
  const parts = /^Tavola: (?:\w+\.(\w+) )?/.exec(message);
  return parts ? new Invalid(message, parts[1]) : undefined;
}

// The separator may occur in the parts, too.
const recordPart = (part: string): string => part.replace(/[#%]/g, (c) => (c === "#" ? "%23" : "%25"));
const recordName = (value: unknown): string => (typeof value === "string" ? value : `{"N":"${text(value)}"}`);
const recordKey = (kind: string, name: string): Fields => ({ [hashKey]: `${kind}#${name}`, ...(rangeKey && { [rangeKey]: kind }) });
const pause = (tries: number) => new Promise((wake) => setTimeout(wake, Math.random() * Math.min(500, 2 ** tries)));

interface Call<T> {
  operation: string;
  given: Fields;
  once?: unknown; // the operation happens once for each value of it
  within?: unknown[]; // within these
  returns?: Kind<T>;
}

/** Runs an operation until it happens or is refused. */
export async function perform<T = void>(db: Direct, call: Call<T>, body: (t: Attempt) => Promise<unknown>): Promise<T> {
  const scoped = call.within && [...call.within, call.once].map((one) => recordPart(has(one) ? recordName(one) : "")).join("#");
  const name = scoped === undefined ? `${call.operation}#${recordName(call.once)}` : `${call.operation}/${scoped}`;
  const once = has(call.once) ? recordKey("$once", name) : undefined;
  const given = hashed("sha256", canonical(call.given));
  const without = new Set<string>();
  for (let tries = 0; tries < 100; ++tries) {
    const record = once && (await getItem(db, once, true));
    if (record && record["given"] !== given) throw new Refused("DIFFERENT_REQUEST", "it was done before with other parameters");
    if (record) return (call.returns && readEntity(call.returns, record["result"])) as T;
    const t = new Attempt(db, without);
    let result: unknown;
    try {
      result = await body(t);
    } catch (found) {
      if (found instanceof Existing) return found.fields as T;
      throw found;
    }
    if (once) t.remember(once, given, result);
    if (await t.commit()) return result as T;
    await pause(tries);
  }
  throw new Error("others write the same items at the same time");
}
