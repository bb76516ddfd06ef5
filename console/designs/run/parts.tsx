// The patterns and operations of a design as a list of links, which a few letters narrow.
import { useState } from "preact/hooks";
import { Badge } from "web/ui/table";
import { useKey } from "../../keys";
import { type Design, designUrl } from "../api";

export type Chosen = { kind: "pattern" | "operation"; name: string };

/** The URL at which a pattern or an operation is open, with parameters by their names. */
export function partUrl(design: string, { kind, name }: Chosen, values: Record<string, string> = {}): string {
  const search = new URLSearchParams({ [kind]: name });
  for (const [parameter, text] of Object.entries(values)) if (text !== "") search.set(`p.${parameter}`, text);
  return `${designUrl(design, "run")}?${search.toString()}`;
}

interface Line {
  name: string;
  title: string;
  note: string;
}

export function Parts({ design, chosen }: { design: Design; chosen: Chosen | undefined }) {
  const [filter, setFilter] = useState("");
  useKey("/", "Filter patterns and operations", () => document.querySelector<HTMLInputElement>("#part-filter")?.focus());
  const patterns = design.patterns.map(({ name, title, planned, kind }) => ({ name, title, note: planned ? "planned" : kind === "scan" ? "scan" : "" }));
  const operations = design.operations.map(({ name, title }) => ({ name, title, note: "" }));
  const fits = ({ name, title }: Line): boolean => `${name} ${title}`.toLowerCase().includes(filter.toLowerCase());
  const list = (kind: Chosen["kind"], title: string, all: Line[]) => {
    const shown = all.filter(fits);
    return (
      <section aria-label={title}>
        <h2 class="side-title">{title} <span class="number">{all.length}</span></h2>
        {shown.length === 0 && <p class="quiet small side-note">{all.length === 0 ? "The design has none." : "None has such a name."}</p>}
        <ul>
          {shown.map((one) => (
            <li key={one.name}>
              <a href={partUrl(design.name, { kind, name: one.name })} aria-current={chosen?.kind === kind && chosen.name === one.name ? "page" : undefined} title={one.title}>
                <span class="name">{one.name}</span>{one.note && <Badge kind={one.note === "scan" ? "warn" : undefined}>{one.note}</Badge>}
              </a>
            </li>
          ))}
        </ul>
      </section>
    );
  };
  return (
    <nav class="parts" aria-label="Patterns and operations">
      <input id="part-filter" class="side-filter" type="search" placeholder="Filter" aria-label="Filter patterns and operations" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      {list("pattern", "Patterns", patterns)}
      {list("operation", "Operations", operations)}
    </nav>
  );
}
