// JSON whose numbers stay text: JSON.parse would round 12345678901234567890, and would drop the first of two members with one name.

/** A number as it is written. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Json = string | boolean | null | NumberText | Json[] | { [name: string]: Json };

export class JsonError extends Error {
  readonly line: number;
  constructor(text: string, at: number, what: string) {
    const before = text.slice(0, at).split("\n");
    super(`Line ${before.length}, column ${before[before.length - 1]!.length + 1}: ${what}`);
    this.line = before.length;
  }
}

const depthMost = 100;
const blank = /[ \t\r\n]*/y;
const stringText = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const numberText = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Json {
    const value = this.value();
    this.skip();
    if (this.at < this.text.length) this.fail("something follows the end of the value");
    return value;
  }

  private fail(what: string): never {
    throw new JsonError(this.text, this.at, what);
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private skip(): void {
    this.take(blank);
  }

  private takes(letter: string): boolean {
    this.skip();
    if (this.text[this.at] !== letter) return false;
    this.at++;
    return true;
  }

  private value(): Json {
    this.skip();
    const letter = this.text[this.at];
    if (letter === "{") return this.members();
    if (letter === "[") return this.elements();
    if (letter === '"') return this.string();
    const number = this.take(numberText);
    if (number) return new NumberText(number);
    const known = this.take(word);
    if (known) return known === "null" ? null : known === "true";
    return this.fail(letter === undefined ? "the text ends too early" : "a value is expected: text in quotes, a number, true, false, null, { or [");
  }

  private string(): string {
    const found = this.take(stringText);
    return found === undefined ? this.fail("this text is not closed, or has an escape that JSON does not know") : (JSON.parse(found) as string);
  }

  private enter(): void {
    this.at++;
    if (++this.depth > depthMost) this.fail("the value is nested too deeply");
  }

  private members(): Json {
    this.enter();
    const found = new Map<string, Json>();
    for (let isFirst = true; !this.takes("}"); isFirst = false) {
      if (!isFirst && !this.takes(",")) this.fail("a comma or } is expected");
      this.skip();
      if (this.text[this.at] !== '"') this.fail("a name in quotes is expected");
      const start = this.at;
      const name = this.string();
      if (found.has(name)) (this.at = start), this.fail(`the name “${name}” is there twice`);
      if (!this.takes(":")) this.fail("a colon is expected");
      found.set(name, this.value());
    }
    this.depth--;
    return Object.fromEntries(found); // which also takes the name "__proto__" as a name
  }

  private elements(): Json {
    this.enter();
    const found: Json[] = [];
    for (; !this.takes("]"); found.push(this.value())) if (found.length > 0 && !this.takes(",")) this.fail("a comma or ] is expected");
    this.depth--;
    return found;
  }
}

export const parseJson = (text: string): Json => new Reader(text).whole();
export const isObject = (value: Json): value is { [name: string]: Json } => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
