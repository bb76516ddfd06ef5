// What the design knows about one item: what it names and what names it, its entries in the indexes, its copies, and why patterns do not return it.
import { useState } from "preact/hooks";
import { Segments } from "web/ui/form";
import { Empty } from "web/ui/table";
import type { Item } from "../db/value";
import { type Design, useDesign } from "../designs/api";
import { designOf } from "../session";
import { Copies } from "./copies";
import { secretsOf } from "./entity";
import { Indexes } from "./indexes";
import { References } from "./references";
import { SensitiveSwitch, useSensitive, wordOf } from "./sensitive";
import { WhyNot } from "./why_not";

/** The item a lens looks at. */
export interface LensProps {
  table: string;
  design: string;
  info: Design | undefined;
  itemKey: Item;
  sensitive: "masked" | "shown";
}

const lenses = [["references", "References"], ["indexes", "Indexes"], ["copies", "Copies"], ["why-not", "Why not"]] as const;
type Name = (typeof lenses)[number][0];
let last: Name = "references"; // what was looked through last: an item that is read again is shown the same way
const views = { references: References, indexes: Indexes, copies: Copies, "why-not": WhyNot };

export function ItemLenses({ table, itemKey }: { table: string; itemKey: Item }) {
  const [name, setName] = useState<Name>(last);
  const sensitive = useSensitive();
  const design = designOf(table);
  const { design: info } = useDesign(design ?? "");
  if (design === undefined) return <Empty icon="shape" title="No design governs this table" />;
  const Lens = views[name];
  const secrets = secretsOf(info, info?.entities.map(({ name }) => name) ?? []);
  return (
    <div class="item-lenses">
      <div class="row">
        <Segments label="Lens" options={lenses} value={name} onChange={(next) => setName((last = next))} />
        <span class="grow" />
        <SensitiveSwitch sensitive={sensitive} names={secrets} />
      </div>
      <Lens key={JSON.stringify(itemKey)} table={table} design={design} info={info} itemKey={itemKey} sensitive={wordOf(sensitive)} />
    </div>
  );
}
