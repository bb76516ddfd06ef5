// The name of a pattern or an operation, and what the design says about it.
import type { ComponentChildren } from "preact";

export function PartHead({ name, title, doc, children }: { name: string; title: string; doc: string; children?: ComponentChildren }) {
  return (
    <div class="part-head">
      <h2 class="mono">{name}</h2>
      <span class="badges">{children}</span>
      {title && <p class="part-title">{title}</p>}
      {doc && <p class="quiet">{doc}</p>}
    </div>
  );
}
