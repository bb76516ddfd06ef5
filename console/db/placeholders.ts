// Expressions: paths of attributes, and the placeholders of names and values.
import type { Value } from "./value";

export type PathPart = string | number;

/** Returns the parts of a path: names and positions in lists. */
export function partsOf(path: string): PathPart[] {
  const parts: PathPart[] = [];
  const part = /"((?:[^"\\]|\\.)*)"|\[(\d+)\]|([^.["]+)|(\.)/y;
  while (part.lastIndex < path.length) {
    const found = part.exec(path);
    if (!found) throw new Error(`“${path}” is not a path. Write a.b[0], and "a.b" for a name with a dot`);
    if (found[2] !== undefined) parts.push(Number(found[2]));
    else if (found[1] !== undefined || found[3] !== undefined) parts.push(found[1]?.replace(/\\(.)/g, "$1") ?? found[3]!);
  }
  return parts;
}

/** Returns a path as people write it: the inverse of partsOf. */
export const pathText = (parts: readonly PathPart[]): string =>
  parts.reduce<string>((all, part) => (typeof part === "number" ? `${all}[${part}]` : `${all && `${all}.`}${/[.["\\]/.test(part) || part === "" ? JSON.stringify(part) : part}`), "");

/** The names and values of an expression, each once, with placeholders that say what they stand for. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, Value> = {};

  name(attribute: string): string {
    const known = Object.keys(this.names).find((one) => this.names[one] === attribute);
    if (known) return known;
    const placeholder = free(`#${plain(attribute)}`, this.names);
    this.names[placeholder] = attribute;
    return placeholder;
  }

  path(parts: readonly PathPart[]): string {
    return parts.reduce<string>((all, part) => (typeof part === "number" ? `${all}[${part}]` : all ? `${all}.${this.name(part)}` : this.name(part)), "");
  }

  value(value: Value, attribute: string): string {
    const placeholder = free(`:${plain(attribute)}`, this.values);
    this.values[placeholder] = value;
    return placeholder;
  }

  /** Returns the members of a request that say what the placeholders stand for. */
  members(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Record<string, Value> } {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

const plain = (name: string): string => name.replace(/\W+/g, "_").slice(0, 40) || "v";
function free(wanted: string, taken: object): string {
  if (!(wanted in taken)) return wanted;
  for (let number = 2; ; number++) if (!(`${wanted}${number}` in taken)) return `${wanted}${number}`;
}
