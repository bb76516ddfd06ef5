// Entities in one colour everywhere: a dot and the name.
import type { Design } from "../designs/api";
import { type Facets, recordName, unknownName } from "./facets";
import type { Seen } from "./look";

/** The hue of an entity by its place in the design: neighbours differ most. */
export const hueAt = (place: number): number => Math.round((160 + place * 137.5) % 360);

/** Returns the place of an entity in its design; -1 as long as the design is not known. */
export const placeOf = (design: Design | undefined, entity: string): number => design?.entities.findIndex(({ name }) => name === entity) ?? -1;
/** Returns the names of what these entities hide. */
export const secretsOf = (design: Design | undefined, entities: readonly string[]): string[] =>
  [...new Set((design?.entities ?? []).filter(({ name }) => entities.includes(name)).flatMap(({ fields }) => fields.filter((field) => field.sensitive).map(({ name }) => name)))];

export function Dot({ place }: { place: number }) {
  return <i class="entity-dot" style={{ "--hue": hueAt(place) }} aria-hidden="true" />;
}

export function EntityName({ name, place, title }: { name: string; place: number; title?: string | undefined }) {
  return <span class="entity" title={title || undefined}><Dot place={place} />{name}</span>;
}

/** What an item is, at its row: an item of no entity says why. */
export function EntityBadge({ seen, facets }: { seen: Seen; facets: Facets }) {
  if ("entity" in seen) {
    const place = facets.entities.value.findIndex(({ entity }) => entity === seen.entity);
    return <EntityName name={seen.entity} place={place} title={facets.entities.value[place]?.title} />;
  }
  if ("record" in seen) return <span class="entity quiet" title="The database keeps this record for the design: a unique value, or an operation that was done once">{recordName}</span>;
  return <span class="entity is-unknown" title={seen.why}><i class="entity-dot" aria-hidden="true" />{unknownName}<span class="why">{seen.why}</span></span>;
}
