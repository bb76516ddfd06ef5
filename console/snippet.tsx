// Text to copy: a command, a request, code.
import { useRef, useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { sayError } from "web/ui/toast";

export function Snippet({ text, label }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  const copy = (): void => {
    // A page without TLS on another machine may not write to the clipboard: then the text is chosen, to be copied by a key.
    if (!navigator.clipboard) return getSelection()?.selectAllChildren(shown.current!);
    void navigator.clipboard.writeText(text).then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)), sayError);
  };
  return (
    <div class="snippet">
      <pre ref={shown} tabIndex={0} aria-label={label ?? "Text to copy"}>{text}</pre>
      <button class="button small" type="button" onClick={copy} aria-live="polite">
        <Icon name={isCopied ? "check" : "copy"} />{isCopied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
