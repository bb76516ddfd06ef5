// The look of the editor: the colours are the tokens of the pages, so that it follows the theme.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const words = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: tags.string, color: "var(--warn)" },
  { tag: [tags.number, tags.atom], color: "var(--focus)" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.typeName, color: "var(--accent)", fontStyle: "italic" },
  { tag: tags.comment, color: "var(--ink-2)", fontStyle: "italic" },
]);

const underline = (colour: string) => ({ textDecoration: `underline wavy var(${colour})`, textDecorationSkipInk: "none", textUnderlineOffset: "3px" });

export const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "0.875rem", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.75rem" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-2)", border: "0", paddingLeft: "0.25rem" },
  ".cm-placeholder": { color: "var(--ink-2)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-mark-error": underline("--bad"),
  ".cm-mark-warning": underline("--warn"),
  ".cm-mark-info": underline("--focus"),
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "var(--radius-s)", backgroundColor: "var(--surface)", color: "var(--ink)", boxShadow: "var(--shadow-high)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "0.8125rem", maxHeight: "16rem", minWidth: "14rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { display: "flex", gap: "1rem", padding: "0.2rem 0.6rem", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--ink)" },
  ".cm-completionLabel": { flex: "1" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal", fontFamily: "var(--font)", marginLeft: "0" },
  ".cm-tooltip.cm-completionInfo": { padding: "0.4rem 0.6rem", fontFamily: "var(--font)", fontSize: "0.8125rem", maxWidth: "22rem" },
});
