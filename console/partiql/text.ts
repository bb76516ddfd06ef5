// The statements in a text, with their places: what each does and to what, as far as its words say.
import { type TableInfo, keysOf } from "../db/tables";
import { schemaOf } from "../browse/question";

interface Token {
  text: string;
  from: number;
}

export interface Statement {
  from: number; // its place in the whole text
  to: number;
  text: string; // comments are blanks, so that places of errors stay right
  verb: string; // "SELECT", "UPDATE" …
  doesRead: boolean;
  table: string; // empty: it names none
  index: string;
  parameters: number[]; // which of all question marks of the text are its own
  tokens: readonly Token[];
}

const tokenForm = /\s+|--[^\n]*|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|[\w$]+|<=|>=|<>|!=|<<|>>|[^]/gu;
const isBlank = (text: string): boolean => /^(?:\s|--)/.test(text);

function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(tokenForm), (found) => ({ text: found[0], from: found.index }));
}

const upper = (token: Token | undefined): string => token?.text.toUpperCase() ?? "";
/** A name as a statement writes it, plain or in double quotes. */
const nameIn = (token: Token | undefined): string => token?.text.replace(/^"|"$/g, "").replaceAll('""', '"') ?? "";

function sourceOf(tokens: readonly Token[]): { table: string; index: string } {
  const at = tokens.findIndex((token) => ["FROM", "INTO", "UPDATE"].includes(upper(token))) + 1;
  const table = at > 0 && tokens[at] ? nameIn(tokens[at]) : "";
  return { table, index: tokens[at + 1]?.text === "." ? nameIn(tokens[at + 2]) : "" };
}

/** Returns the statements of a part of a text; semicolons separate them. */
export function statementsOf(text: string, part: { from: number; to: number } = { from: 0, to: text.length }): Statement[] {
  const found: Statement[] = [];
  let tokens: Token[] = [];
  let marks = 0;
  let parameters: number[] = [];
  const end = (): void => {
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (first && last) {
      const to = last.from + last.text.length;
      const verb = upper(first);
      const plain = text.slice(first.from, to).replace(/'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*/g, (one) => (one.startsWith("--") ? " ".repeat(one.length) : one));
      found.push({ from: first.from, to, text: plain, verb, doesRead: verb === "SELECT", ...sourceOf(tokens), parameters, tokens });
    }
    [tokens, parameters] = [[], []];
  };
  for (const token of tokensOf(text)) {
    const isMark = token.text === "?";
    if (isMark) marks++;
    if (token.from < part.from || token.from >= part.to || isBlank(token.text)) continue;
    if (token.text === ";") end();
    else tokens.push(token);
    if (isMark) parameters.push(marks - 1);
  }
  end();
  return found;
}

/** Splits a condition at a word outside of brackets; the AND of a BETWEEN separates nothing. */
function split(tokens: readonly Token[], word: "AND" | "OR"): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  let isBetween = false;
  for (const token of tokens) {
    if (/^[([{]$/.test(token.text)) depth++;
    if (/^[)\]}]$/.test(token.text)) depth--;
    if (depth === 0 && upper(token) === "BETWEEN") isBetween = true;
    if (depth === 0 && upper(token) === word && !(word === "AND" && isBetween)) parts.push([]);
    else parts.at(-1)!.push(token);
    if (depth === 0 && upper(token) === "AND") isBetween = false;
  }
  return parts;
}

function givesKey(tokens: readonly Token[], key: string): boolean {
  const alternatives = split(tokens, "OR");
  if (alternatives.length > 1) return alternatives.every((one) => givesKey(one, key));
  const all = split(tokens, "AND");
  if (all.length > 1) return all.some((one) => givesKey(one, key));
  if (tokens[0]?.text === "(" && tokens.at(-1)?.text === ")") return givesKey(tokens.slice(1, -1), key);
  const [left, operator, right] = tokens;
  if (nameIn(left) === key && !left!.text.startsWith("'")) return operator?.text === "=" || upper(operator) === "IN";
  return tokens.length === 3 && operator?.text === "=" && right!.text.replace(/^"|"$/g, "") === key;
}

/** Returns whether a SELECT reads its whole table or index, because its condition does not give the partition key. */
export function isScan(statement: Statement, table: TableInfo): boolean {
  const where = statement.tokens.findIndex((token) => upper(token) === "WHERE");
  if (where < 0) return true;
  const order = statement.tokens.findIndex((token, at) => at > where && upper(token) === "ORDER");
  const [key = "", ...more] = keysOf(schemaOf(table, statement.index), "HASH");
  return more.length > 0 || !givesKey(statement.tokens.slice(where + 1, order < 0 ? undefined : order), key);
}

/** Returns the place that an error names, "at 1:15:5" (line, column, letters), in the whole text; otherwise the whole statement's. */
export function placeOf(statement: Statement, message: string): { from: number; to: number } {
  const [, line, column, letters] = /\bat (\d+):(\d+):(\d+)\b/.exec(message) ?? [];
  if (!line) return { from: statement.from, to: statement.to };
  const before = statement.text.split("\n").slice(0, Number(line) - 1);
  const start = before.reduce((all, one) => all + one.length + 1, 0);
  // Columns count characters; a position in JavaScript counts UTF-16 units.
  const rest = Array.from(statement.text.slice(start));
  const from = start + rest.slice(0, Number(column) - 1).join("").length;
  const to = from + rest.slice(Number(column) - 1, Number(column) - 1 + Number(letters)).join("").length;
  return { from: statement.from + Math.min(from, statement.text.length), to: statement.from + to };
}
