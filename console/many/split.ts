// Cuts the text of a JSON file into its items, whatever the size of the file: a list of objects, objects one after the other, or one on each line.
export interface Span {
  text: string;
  line: number; // where it begins, from 1
}

const itemMost = 8 * 1024 * 1024; // letters: twenty times what an item may have
const between = /[\s,[\]]/;

export class JsonSplitter {
  private readonly by: "lines" | "objects";
  private rest = ""; // of an item whose end has not come
  private line = 1;
  private begin = 1;
  private depth = 0;
  private inText: "no" | "yes" | "escape" = "no";

  constructor(by: "lines" | "objects") {
    this.by = by;
  }

  /** Takes a piece of the text and returns the items that are complete. */
  push(text: string): Span[] {
    const found = this.by === "lines" ? this.lines(text) : this.objects(text);
    if (this.rest.length > itemMost) throw new Error(`Line ${this.begin}: what begins here is longer than any item. Is a bracket or a quote not closed?`);
    return found;
  }

  end(): Span[] {
    const { rest, begin } = this;
    this.rest = "";
    return rest.trim() === "" ? [] : [{ text: rest, line: begin }];
  }

  private lines(text: string): Span[] {
    const found: Span[] = [];
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      const line = this.rest + text.slice(from, at);
      if (line.trim() !== "") found.push({ text: line, line: this.begin });
      this.rest = "";
      this.begin++;
      from = at + 1;
    }
    this.rest += text.slice(from);
    return found;
  }

  private objects(text: string): Span[] {
    const found: Span[] = [];
    let from = 0; // where the item begins in this piece
    for (let at = 0; at < text.length; at++) {
      const letter = text[at]!;
      if (letter === "\n") this.line++;
      if (this.depth === 0) {
        if (between.test(letter)) continue;
        if (letter !== "{") throw new Error(`Line ${this.line}: an object is expected, { … }, and there is ${letter}`);
        from = at;
        this.begin = this.line;
        this.depth = 1;
      } else if (this.follows(letter)) {
        found.push({ text: this.rest + text.slice(from, at + 1), line: this.begin });
        this.rest = "";
      }
    }
    if (this.depth > 0) this.rest += text.slice(from);
    return found;
  }

  /** Notes a letter of an item; returns whether it is the last one. */
  private follows(letter: string): boolean {
    if (this.inText === "escape") this.inText = "yes";
    else if (this.inText === "yes") this.inText = letter === "\\" ? "escape" : letter === '"' ? "no" : "yes";
    else if (letter === '"') this.inText = "yes";
    else if (letter === "{" || letter === "[") this.depth++;
    else if (letter === "}" || letter === "]") this.depth--;
    return this.depth === 0;
  }
}
