// Lines of CSV, written and read. A field without quotes that is empty is no value at all; "" is the empty text. Quoted fields may have line ends.
export interface Cell {
  text: string;
  isQuoted: boolean;
}

export interface CsvRow {
  line: number; // where it begins, from 1
  cells: Cell[];
  problem: string | undefined;
}

const fieldMost = 4 * 1024 * 1024; // letters: ten times what an item may have

/** Returns a value as a field: quoted if it must be. */
export const fieldOf = (text: string): string => (text === "" || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const newLine = 10;
const carriageReturn = 13;
const quote = 34;

/** Reads CSV as it comes, in pieces of any size. */
export class CsvReader {
  private readonly delimiter: number;
  private rows: CsvRow[] = [];
  private state: "start" | "plain" | "quoted" | "after" = "start";
  private cells: Cell[] = [];
  private field = "";
  private isQuoted = false;
  private problem: string | undefined;
  private line = 1;
  private begin = 1;

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0);
  }

  /** Takes a piece of the text and returns the lines that are complete. */
  push(text: string): CsvRow[] {
    for (let at = 0; at < text.length; ) at = this.state === "quoted" ? this.inQuotes(text, at) : this.outside(text, at);
    return this.taken();
  }

  /** Returns the last line, if the text does not end with a line end. */
  end(): CsvRow[] {
    if (this.state === "quoted") this.problem ??= "the quotes of a field are not closed";
    if (this.state !== "start" || this.cells.length > 0) this.endRow();
    return this.taken();
  }

  private taken(): CsvRow[] {
    const rows = this.rows;
    this.rows = [];
    return rows;
  }

  private inQuotes(text: string, from: number): number {
    const found = text.indexOf('"', from);
    const end = found < 0 ? text.length : found;
    const part = text.slice(from, end);
    for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) this.line++;
    this.take(part);
    if (found < 0) return end;
    this.state = "after";
    return found + 1;
  }

  private outside(text: string, from: number): number {
    const first = text.charCodeAt(from);
    if (first === quote && this.state === "after") return (this.take('"'), (this.state = "quoted"), from + 1);
    if (first === quote && this.state === "start") return ((this.state = "quoted"), (this.isQuoted = true), from + 1);
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.delimiter || code === newLine || code === carriageReturn) break;
    }
    if (at > from) {
      if (this.state === "after") this.problem ??= "text follows the closing quotes of a field";
      this.take(text.slice(from, at));
      this.state = "plain";
      return at;
    }
    if (first === this.delimiter) this.endField();
    else if (first === newLine) this.endRow();
    return from + 1;
  }

  private take(part: string): void {
    if (this.field.length + part.length > fieldMost) throw new Error(`Line ${this.begin}: a field is longer than any item. Are the quotes closed?`);
    this.field += part;
  }

  private endField(): void {
    this.cells.push({ text: this.field, isQuoted: this.isQuoted });
    this.field = "";
    this.isQuoted = false;
    this.state = "start";
  }

  private endRow(): void {
    this.endField();
    const isBlank = this.cells.length === 1 && this.cells[0]!.text === "" && !this.cells[0]!.isQuoted;
    if (!isBlank) this.rows.push({ line: this.begin, cells: this.cells, problem: this.problem });
    this.cells = [];
    this.problem = undefined;
    this.begin = ++this.line;
  }
}
