// The page of a design: what it is, how strictly its table follows it, the picture of its keys, what lints say, and its documentation.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { Badge, Figure, Panel, Problem } from "web/ui/table";
import { amount, plural } from "../format";
import type { ViewProps } from "../routes";
import { tableUrl } from "../routes";
import { type Design, type Governance, designUrl, useDesign } from "./api";
import { Findings } from "./findings";
import { Markdown, headingsOf } from "./markdown";
import { Picture } from "./picture";

export default function Overview({ params }: ViewProps) {
  const { design, error, again } = useDesign(params["design"] ?? "");
  if (!design) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  const lints = design.lints.filter((one) => one.severity === "lint").length;
  return (
    <div class="page">
      <div class="design-head">
        <div class="grow">
          {design.title && <p class="design-title">{design.title}</p>}
          {design.doc && <p class="quiet prose">{design.doc}</p>}
        </div>
        <a class="button" href={tableUrl(design.table)}><Icon name="table" />Items of {design.table}</a>
      </div>
      <div class="columns figures">
        <Figure label="Entities" value={amount(design.entities.length)} note={plural(design.entities.reduce((sum, one) => sum + one.lifecycles.length, 0), "lifecycle")} />
        <Figure label="Patterns" value={amount(design.patterns.length)} note={<a href={designUrl(design.name, "traffic")}>which are used</a>} />
        <Figure label="Operations" value={amount(design.operations.length)} note={<a href={designUrl(design.name, "run")}>run one</a>} />
        <Figure label="Enforced" value={<span class="small-value">{enforcementOf(design.governance)}</span>} note={<a href={designUrl(design.name, "drift")}>{design.governance.stuck > 0 ? `${plural(design.governance.stuck, "item")} stuck` : "state of the table"}</a>} />
      </div>
      <Panel title="Entities and keys" flush><Picture design={design} /></Panel>
      <Panel title="Lints" end={design.lints.length > 0 && <Badge kind={lints < design.lints.length ? "bad" : "warn"}>{design.lints.length}</Badge>}>
        {design.lints.length === 0 ? <p class="quiet">Nothing in the design is surprising.</p> : <Findings findings={design.lints} urlOf={(line) => `${designUrl(design.name, "edit")}?line=${line}`} />}
      </Panel>
      <Docs design={design} />
    </div>
  );
}

const enforcementOf = ({ enforce, adopting }: Governance): string => (adopting ? "adopting" : enforce === "strict" ? "strictly" : enforce === "warn" ? "with warnings" : enforce === "off" ? "switched off" : "not at all");

/** Returns the documentation without the title and the text that stand at the head of the page already. */
function withoutHead({ docs, doc }: Design): string {
  const text = docs.replace(/^# .*\n+/, "");
  return doc && text.startsWith(doc) ? text.slice(doc.length) : text;
}

function Docs({ design }: { design: Design }) {
  const [isOpen, setOpen] = useState(false);
  const contents = headingsOf(design.docs).filter((one) => one.level === 2 || one.level === 3);
  return (
    <section class="panel docs" aria-label="Documentation">
      <nav class="docs-contents" aria-label="Contents">
        <button class="button plain small docs-toggle" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>Contents</button>
        <ul class={isOpen ? "is-open" : ""}>
          {contents.map((one) => <li key={one.id} class={`level-${one.level}`}><a href={`#${one.id}`} data-load>{one.text.split(":")[0]}</a></li>)}
        </ul>
      </nav>
      <div class="docs-text"><Markdown text={withoutHead(design)} /></div>
    </section>
  );
}
