// Takes the place of style-mod, by which CodeMirror adds its styles: that package writes a <style> element, which the pages' Content-Security-Policy
// refuses. Here a module is a constructed style sheet, which the policy allows. build.mjs names this file as the package.
interface Style {
  [property: string]: string | number | null | undefined | Style;
}

interface Options {
  finish?: (selector: string) => string; // completes a selector, after & was replaced
}

const cssName = (property: string): string => property.replace(/_.*/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const selectorsOf = (text: string): string[] => (text.startsWith("@") ? [text] : text.split(/,\s*/));

/** Returns the rules of a style, with those of the styles in it: first a rule's own parts, then the rule. */
function rulesOf(selectors: string[], style: Style, finish: (selector: string) => string): string[] {
  const isAt = selectors[0]!.startsWith("@");
  const rules: string[] = [];
  const own: string[] = [];
  for (const [name, value] of Object.entries(style)) {
    if (value === null || value === undefined) continue;
    if (typeof value !== "object") own.push(`${cssName(name)}: ${value};`);
    else if (isAt) own.push(...rulesOf(selectorsOf(name), value, selectors[0]!.startsWith("@keyframes") ? (selector) => selector : finish));
    else rules.push(...rulesOf(selectorsOf(name).flatMap((part) => selectors.map((selector) => part.replace("&", selector))), value, finish));
  }
  if (own.length > 0) rules.push(`${(isAt ? selectors : selectors.map(finish)).join(", ")} {${own.join(" ")}}`);
  return rules;
}

let names = 0;

export class StyleModule {
  readonly rules: string[];
  private made: CSSStyleSheet | undefined;

  constructor(spec: Record<string, Style>, options: Options = {}) {
    const finish = options.finish ?? ((selector: string): string => selector);
    this.rules = Object.entries(spec).flatMap(([selector, style]) => rulesOf(selectorsOf(selector), style, finish));
  }

  getRules(): string {
    return this.rules.join("\n");
  }

  /** Returns the name of a class that nothing else has. */
  static newName(): string {
    return `cm${++names}`;
  }

  /** Makes the rules work in a document; a later module wins over an earlier one. */
  static mount(root: DocumentOrShadowRoot, modules: StyleModule | readonly StyleModule[]): void {
    const sheets = [modules].flat().map((module) => module.sheet);
    if (sheets.every((sheet) => root.adoptedStyleSheets.includes(sheet))) return;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet)), ...sheets];
  }

  private get sheet(): CSSStyleSheet {
    if (!this.made) {
      this.made = new CSSStyleSheet();
      this.made.replaceSync(this.getRules()); // leaves out rules that this browser does not know
    }
    return this.made;
  }
}
