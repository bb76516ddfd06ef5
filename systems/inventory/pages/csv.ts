// CSV as in RFC 4180, and as spreadsheets write it: separated by commas, semicolons or tabs, with a byte order mark or without.

/** Reads all rows; a quoted cell may contain separators, quotes ("" is one) and line ends. Throws if a quote is not closed. */
export function readCsv(text: string): string[][] {
  const source = text.replace(/^\ufeff/, "");
  const separator = separatorOf(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < source.length; ++at) {
    const c = source[at];
    if (isQuoted) {
      if (c !== '"') cell += c;
      else if (source[at + 1] === '"') (cell += '"'), ++at;
      else isQuoted = false;
    } else if (c === '"' && cell === "") isQuoted = true;
    else if (c === separator) row.push(cell), (cell = "");
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && source[at + 1] === "\n") ++at;
      row.push(cell);
      rows.push(row);
      [row, cell] = [[], ""];
    } else cell += c;
  }
  if (isQuoted) throw new Error("A quote is not closed in the file");
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((one) => one.trim() !== ""));
}

function separatorOf(text: string): string {
  const first = text.slice(0, /[\r\n]/.exec(text)?.index ?? text.length);
  const counts = [",", ";", "\t"].map((one) => [first.split(one).length, one] as const);
  return counts.reduce((best, one) => (one[0] > best[0] ? one : best))[1];
}

/** A spreadsheet takes a text that begins so for a formula; an apostrophe prevents that. */
function cellOf(value: string | { toString(): string } | undefined): string {
  if (value === undefined) return "";
  const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value.toString();
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export function writeCsv(rows: (string | { toString(): string } | undefined)[][]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

/** Gives the person a file. */
export function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
