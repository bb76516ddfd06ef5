// Text to copy: a command, a request, code.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";

export function Snippet({ text, label }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => (setCopied(true), setTimeout(() => setCopied(false), 1500)));
  return (
    <div class="snippet">
      <pre tabIndex={0} aria-label={label ?? "Text to copy"}>{text}</pre>
      <button class="button small" type="button" onClick={copy} aria-live="polite">
        <Icon name={isCopied ? "check" : "copy"} />{isCopied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
