// The entities among the items that were read, with their counts. A click shows one of them alone.
import { amount } from "../format";
import type { Only } from "../browse/only";
import { Dot } from "./entity";
import { type Facets, recordName, unknownName } from "./facets";
import { type Sensitive, SensitiveSwitch } from "./sensitive";

interface BarProps {
  facets: Facets;
  only: Only | undefined;
  version: number; // of the items: the bar is drawn again when there are others
  sensitive: Sensitive;
  onChoose: (name: string) => void; // empty: all
}

export function FacetBar({ facets, only, sensitive, onChoose }: BarProps) {
  const counts = facets.counts.value;
  const entities = facets.entities.value;
  const chosen = only?.only ?? "";
  const isListed = (name: string): boolean => (counts.get(name) ?? 0) > 0 || name === chosen;
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const secrets = [...new Set(entities.filter(({ entity }) => isListed(entity)).flatMap((one) => one.sensitive))];
  const chip = (name: string, place: number, title: string) =>
    isListed(name) && (
      <button key={name} class={`facet ${name === unknownName ? "is-unknown" : ""}`} type="button" aria-pressed={name === chosen} title={title} onClick={() => onChoose(name === chosen ? "" : name)}>
        {name !== recordName && <Dot place={place} />}{name} <span class="number">{amount(counts.get(name) ?? 0)}</span>
      </button>
    );
  return (
    <div class="facets" role="group" aria-label="Entities">
      <button class="facet" type="button" aria-pressed={chosen === ""} onClick={() => onChoose("")}>All <span class="number">{amount(all)}</span></button>
      {entities.map(({ entity, title }, place) => chip(entity, place, title || entity))}
      {chip(unknownName, -1, "Items of no entity of the design; each says why")}
      {chip(recordName, -1, "Records that the database keeps for the design")}
      {only && !only.isComplete && <button class="button plain small" type="button" onClick={() => only.readOn()}>Read on</button>}
      <span class="grow" />
      <SensitiveSwitch sensitive={sensitive} names={secrets} />
    </div>
  );
}
