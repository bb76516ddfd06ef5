// A text editor (CodeMirror) with a language, completion and marks for what is wrong. A view imports this file; its code is loaded with that view.
import { type Completion, type CompletionContext, type CompletionResult, type CompletionSource, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Language, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { look, words } from "./look";
import { type Mark, marksField, setMarks } from "./marks";

export type { Completion, CompletionContext, CompletionResult };

/** What a view does with the editor beside its text. */
export interface EditorHandle {
  focus(): void;
  /** Selects a part of the text and shows it. */
  select(from: number, to: number): void;
  /** The selected part: from and to are the same where only the caret is. */
  selection(): { from: number; to: number };
}

export interface EditorProps {
  label: string; // what screen readers call the text
  value: string;
  onChange?: (text: string) => void;
  language?: Language;
  complete?: CompletionSource;
  marks?: readonly Mark[];
  isListElsewhere?: boolean; // the view lists the marks itself
  placeholder?: string;
  isReadOnly?: boolean;
  hasLines?: boolean; // numbers of lines
  class?: string;
  onReady?: (handle: EditorHandle) => void;
}

const kept = new Compartment();
const given = Annotation.define<true>(); // a change that the view made by `value`

// Ctrl-Enter is left to the views: it runs what is written.
const keys = [...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter")];

/** The parts that follow the properties of the component. */
function changing(props: EditorProps, note: string): Extension {
  const isWrong = props.marks?.some(({ severity }) => severity === "error") ?? false;
  return [
    EditorState.readOnly.of(props.isReadOnly ?? false),
    EditorView.contentAttributes.of({
      "aria-label": props.label, tabindex: "0", spellcheck: "false", autocapitalize: "off",
      ...(props.marks?.length && !props.isListElsewhere ? { "aria-describedby": note } : {}), ...(isWrong ? { "aria-invalid": "true" } : {}), ...(props.isReadOnly ? { "aria-readonly": "true" } : {}),
    }),
  ];
}

/** `reported` are the texts that the view was told and has not given back yet: while somebody types, the view is behind. */
function fixed(props: EditorProps, latest: { current: EditorProps }, reported: string[]): Extension {
  const complete: CompletionSource = (context) => latest.current.complete?.(context) ?? null;
  return [
    keymap.of(keys), history(), bracketMatching(), closeBrackets(), marksField, look, syntaxHighlighting(words), EditorView.lineWrapping,
    autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 50, interactionDelay: 0 }),
    ...(props.language ? [props.language] : []), ...(props.hasLines ? [lineNumbers()] : []), ...(props.placeholder ? [placeholder(props.placeholder)] : []),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((one) => one.annotation(given))) return;
      const text = update.state.doc.toString();
      reported.push(text);
      latest.current.onChange?.(text);
    }),
  ];
}

const handleOf = (view: EditorView): EditorHandle => ({
  focus: () => view.focus(),
  select(from, to) {
    const most = view.state.doc.length;
    view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, scrollIntoView: true });
    view.focus();
  },
  selection: () => ({ from: view.state.selection.main.from, to: view.state.selection.main.to }),
});

export function Editor(props: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const note = `editor${useId()}`;
  const [view, setView] = useState<EditorView>();
  const reported = useRef<string[]>([]).current;
  latest.current = props;
  useEffect(() => {
    const state = EditorState.create({ doc: props.value, extensions: [kept.of(changing(props, note)), fixed(props, latest, reported)] });
    const made = new EditorView({ state, parent: box.current! });
    setView(made);
    props.onReady?.(handleOf(made));
    return () => made.destroy();
  }, []);
  useEffect(() => {
    if (!view || reported.splice(0, reported.indexOf(props.value) + 1).length > 0) return;
    reported.length = 0;
    if (props.value !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: props.value }, annotations: given.of(true) });
  }, [view, props.value]);
  useEffect(() => view?.dispatch({ effects: [setMarks.of(props.marks ?? []), kept.reconfigure(changing(props, note))] }), [view, props.marks, props.isReadOnly, props.label]);
  return (
    <div class={`editor ${props.class ?? ""}`}>
      <div class="editor-text" ref={box} />
      {props.marks && props.marks.length > 0 && !props.isListElsewhere && <Marks id={note} text={props.value} marks={props.marks} onGo={(mark) => view && handleOf(view).select(mark.from, mark.to)} />}
    </div>
  );
}

const severities = { error: "Error", warning: "Warning", info: "Note" };
const lineOf = (text: string, position: number): number => text.slice(0, position).split("\n").length;

/** The marks as a list, for those who do not see or do not hover; each leads to its place. */
function Marks({ id, text, marks, onGo }: { id: string; text: string; marks: readonly Mark[]; onGo: (mark: Mark) => void }) {
  return (
    <div class="editor-marks" id={id} role="status">
      <ul aria-label="Problems">
        {marks.map((mark) => (
          <li key={`${mark.from} ${mark.text}`} class={mark.severity}>
            <button type="button" onClick={() => onGo(mark)}>
              <strong>{severities[mark.severity]}</strong> <span class="quiet">line {lineOf(text, mark.from)}</span> {mark.text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
