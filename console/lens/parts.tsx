// Keys for people: templates with their placeholders, values whose parts link to what they name, and the patterns that read them.
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { preview, type Item, type Value } from "../db/value";
import { viewOf } from "../routes";
import type { KeyPart } from "./look";

/** SHOP#<shopId>, with the placeholder set apart. */
export function Template({ text }: { text: string }) {
  return <code class="template">{text.split(/(<[^>]*>)/).map((part, at) => (at % 2 === 1 ? <var key={at}>{part.slice(1, -1)}</var> : part))}</code>;
}

export const itemHref = (table: string, key: Item): string => `/t/${encodeURIComponent(table)}/item?key=${encodeURIComponent(JSON.stringify(key))}`;
export const keysHref = (table: string, index: string): string => `/t/${encodeURIComponent(table)}/keys${index ? `?index=${encodeURIComponent(index)}` : ""}`;
export const partitionHref = (table: string, index: string, hash: Value): string => `${keysHref(table, index)}${index ? "&" : "?"}hash=${encodeURIComponent(JSON.stringify(hash))}`;

/** A key in one line: its values, with blanks between them. */
export const keyWords = (key: Item): string => Object.values(key).map((value) => preview(value)).join("  ");

export function ItemLink({ table, itemKey, exists = true }: { table: string; itemKey: Item; exists?: boolean }) {
  if (!exists) return <code class="key-words">{keyWords(itemKey)}</code>;
  return <a class="key-words" href={itemHref(table, itemKey)}>{keyWords(itemKey)}</a>;
}

/** A value of a key. Each part that names an item links to it. */
export function KeyValue({ table, value, parts }: { table: string; value: Value | undefined; parts: readonly KeyPart[] | undefined }) {
  if (!value) return <span class="quiet">–</span>;
  if (!parts || parts.length === 0) return <code class="key-words">{preview(value)}</code>;
  return (
    <code class="key-words">
      {parts.map(({ text, field, ref }, at) =>
        ref ? <a key={at} href={itemHref(table, ref.key)} title={`${field}: the ${ref.entity} that it names`}>{text}</a>
        : field ? <b key={at} title={field}>{text}</b>
        : <Fragment key={at}>{text}</Fragment>)}
    </code>
  );
}

/** The URL at which a pattern runs; undefined if this console has no such view. */
export const patternHref = (design: string, pattern: string): string | undefined =>
  viewOf("/d/:design/run") && `/d/${encodeURIComponent(design)}/run?pattern=${encodeURIComponent(pattern)}`;

const namedMost = 4;

export function Patterns({ design, names }: { design: string; names: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  if (names.length === 0) return <span class="quiet small">no pattern</span>;
  const link = (name: string) => {
    const href = patternHref(design, name);
    return href ? <a key={name} class="pattern" href={href}>{name}</a> : <span key={name} class="pattern">{name}</span>;
  };
  if (isWhole || names.length <= namedMost + 1) return <span class="patterns">{names.map(link)}</span>;
  return (
    <span class="patterns">
      {names.slice(0, namedMost).map(link)}
      <button class="link small" type="button" onClick={() => setWhole(true)}>and {names.length - namedMost} more</button>
    </span>
  );
}
