// Markdown as `tavola design docs` writes it: headings, paragraphs, lists, tables, code, bold, links, and lifecycles as Mermaid. It becomes elements, never
// HTML: whatever a design says is shown as text.
import type { ComponentChildren } from "preact";
import { Snippet } from "../snippet";
import { StateDiagram } from "./state_diagram";

const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#124;": "|" };
const plain = (text: string): string => text.replace(/&(?:lt|gt|amp|quot|#124);/g, (one) => entities[one]!).replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, "$1");
const inline = /(`` .+? ``|`[^`]+`)|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
const isSafe = (href: string): boolean => /^(https?:|mailto:|#|\/(?!\/))/.test(href);

/** Returns a line with its code, bold words and links as elements. */
export function lineOf(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let last = 0;
  for (const found of text.matchAll(inline)) {
    parts.push(plain(text.slice(last, found.index)));
    last = found.index + found[0].length;
    const [, code, bold, name, href] = found;
    if (code !== undefined) parts.push(<code>{code.replace(/^`` | ``$|^`|`$/g, "").replace(/\\\|/g, "|")}</code>);
    else if (bold !== undefined) parts.push(<strong>{lineOf(bold)}</strong>);
    else parts.push(isSafe(href!) ? <a href={href} {...(/^https?:/.test(href!) ? { target: "_blank", rel: "noreferrer" } : {})}>{plain(name!)}</a> : plain(name!));
  }
  parts.push(plain(text.slice(last)));
  return parts;
}

export interface Heading {
  level: number;
  text: string;
  id: string;
}

/** The id of a heading: that of the name before its title, which follows a colon. */
export const idOf = (text: string): string => `about-${text.split(":")[0]!.toLowerCase().replace(/[^\w]+/g, "-").replace(/^-|-$/g, "")}`;
const headingOf = (line: string): Heading | undefined => {
  const found = /^(#{1,4}) (.+)$/.exec(line);
  return found ? { level: found[1]!.length, text: plain(found[2]!.replace(/[`*]/g, "")), id: idOf(found[2]!) } : undefined;
};

/** Returns the headings, for a table of contents. */
export function headingsOf(markdown: string): Heading[] {
  let isCode = false;
  return markdown.split("\n").flatMap((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : headingOf(line);
    return heading ? [heading] : [];
  });
}

const cellsOf = (line: string): string[] => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());

function TableOf({ lines }: { lines: string[] }) {
  const [head = "", , ...rows] = lines;
  const names = cellsOf(head);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={names.filter(Boolean).join(", ")}>
      <table>
        <thead><tr>{names.map((name, at) => (name ? <th key={at} scope="col">{lineOf(name)}</th> : <td key={at} />))}</tr></thead>
        <tbody>{rows.map((row, at) => <tr key={at}>{cellsOf(row).map((cell, place) => <td key={place}>{lineOf(cell)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

interface ListLine {
  depth: number;
  isNumbered: boolean;
  text: string;
}

const listLine = (line: string): ListLine | undefined => {
  const found = /^( *)(-|\d+\.) (.*)$/.exec(line);
  return found ? { depth: found[1]!.length, isNumbered: found[2] !== "-", text: found[3]! } : undefined;
};

function ListOf({ lines }: { lines: ListLine[] }) {
  const depth = lines[0]!.depth;
  const items: { text: string; below: ListLine[] }[] = [];
  for (const line of lines) {
    if (line.depth <= depth) items.push({ text: line.text, below: [] });
    else items.at(-1)!.below.push(line);
  }
  const shown = items.map((item, at) => <li key={at}>{lineOf(item.text)}{item.below.length > 0 && <ListOf lines={item.below} />}</li>);
  return lines[0]!.isNumbered ? <ol>{shown}</ol> : <ul>{shown}</ul>;
}

const isBlockStart = (line: string): boolean => line === "" || line.startsWith("|") || line.startsWith("```") || headingOf(line) !== undefined || listLine(line) !== undefined;

/** Takes the lines of the block that begins at a place; returns it with the place behind it. */
function blockAt(lines: string[], at: number): { block: ComponentChildren; next: number } {
  const line = lines[at]!;
  const until = (isEnd: (line: string) => boolean, from: number): number => {
    let next = from;
    while (next < lines.length && !isEnd(lines[next]!)) next++;
    return next;
  };
  if (line === "") return { block: null, next: at + 1 };
  const heading = headingOf(line);
  if (heading) {
    const Name = `h${Math.min(heading.level + 1, 6)}` as "h2";
    return { block: <Name id={heading.id}>{lineOf(line.slice(heading.level + 1))}</Name>, next: at + 1 };
  }
  if (line.startsWith("```")) {
    const end = until((one) => one.startsWith("```"), at + 1);
    const code = lines.slice(at + 1, end).join("\n");
    return { block: line.slice(3).trim() === "mermaid" ? <StateDiagram source={code} /> : <Snippet text={code} label="Code" />, next: end + 1 };
  }
  if (line.startsWith("|")) {
    const end = until((one) => !one.startsWith("|"), at);
    return { block: <TableOf lines={lines.slice(at, end)} />, next: end };
  }
  if (listLine(line)) {
    const end = until((one) => listLine(one) === undefined, at);
    return { block: <ListOf lines={lines.slice(at, end).map((one) => listLine(one)!)} />, next: end };
  }
  const end = Math.max(until(isBlockStart, at), at + 1);
  return { block: <p>{lineOf(lines.slice(at, end).join(" "))}</p>, next: end };
}

export function Markdown({ text }: { text: string }) {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return <div class="markdown">{blocks}</div>;
}
