// Values to choose from for the parameters of a form: those that are in partition keys of the table, or of the index that a pattern reads.
import { useEffect, useState } from "preact/hooks";
import { type Branch, look } from "../../lens/look";

/** Values by the name of the parameter. */
export type Suggestions = ReadonlyMap<string, readonly string[]>;

const suggestedMost = 50;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns what is in the place of each name of a template: of SHOP#<shopId> and SHOP#a, a for shopId. */
function partsOf(template: string, key: string): [string, string][] {
  const names = [...template.matchAll(/<([^>]*)>/g)].map(([, name]) => name!);
  const pattern = new RegExp(`^${template.split(/<[^>]*>/).map(escaped).join("(.+?)")}$`, "s");
  const values = pattern.exec(key)?.slice(1) ?? [];
  return values.map((value, at) => [names[at]!, value]);
}

export function suggestionsIn(branches: readonly Branch[]): Suggestions {
  const found = new Map<string, Set<string>>();
  for (const { hash, largest } of branches) {
    for (const { value } of largest) {
      const key = "S" in value ? value.S : "N" in value ? value.N : "";
      for (const [name, part] of partsOf(hash, key)) found.set(name, (found.get(name) ?? new Set()).add(part));
    }
  }
  return new Map([...found].map(([name, values]) => [name, [...values].slice(0, suggestedMost)]));
}

/** Asks for the keys of a table or an index; without an answer there are no suggestions. */
export function useSuggestions(design: string, index: string): Suggestions {
  const [found, setFound] = useState<Suggestions>(new Map());
  useEffect(() => {
    let isShown = true;
    look(design, "tree", index ? { index } : {}).then(({ branches }) => isShown && setFound(suggestionsIn(branches)), () => undefined);
    return () => void (isShown = false);
  }, [design, index]);
  return found;
}
