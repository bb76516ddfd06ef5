// The picture of a design: its entities, and the keys by which each lies in the table and in its indexes. Key parts that name another entity lead to it.
import type { Design, Entity } from "./api";
import { idOf } from "./markdown";

/** A key template, with its placeholders set apart: SHOP#<shopId>. */
export function KeyTemplate({ text }: { text: string }) {
  return <code class="template">{text.split(/(<[^>]+>)/).map((part, at) => (part.startsWith("<") ? <span key={at} class="slot">{part.slice(1, -1)}</span> : part))}</code>;
}

const placeNames = (design: Design): string[] => [...new Set(design.entities.flatMap((entity) => Object.keys(entity.indexes)))].sort();

/** Entities whose partition key in the table has the same template lie together. */
const neighbours = (design: Design, entity: Entity): Entity[] => design.entities.filter((one) => one !== entity && hashOf(one) === hashOf(entity));
const hashOf = (entity: Entity): string => Object.values(entity.key)[0] ?? "";

function Keys({ hash, range }: { hash: string | undefined; range: string | null | undefined }) {
  if (!hash) return <span class="quiet" aria-label="not in this index">–</span>;
  return (
    <span class="key-pair">
      <KeyTemplate text={hash} />
      {range && <KeyTemplate text={range} />}
    </span>
  );
}

export function Picture({ design }: { design: Design }) {
  const places = placeNames(design);
  const sorted = design.entities.map((entity, at) => ({ entity, at })).sort((a, b) => firstOf(design, a.entity) - firstOf(design, b.entity) || a.at - b.at).map(({ entity }) => entity);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Entities and their keys">
      <table class="keys-picture">
        <caption class="visually-hidden">Entities and their keys in the table and in each index</caption>
        <thead><tr><th scope="col">Entity</th><th scope="col">Table</th>{places.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {sorted.map((entity, at) => {
            const isTogether = at > 0 && hashOf(sorted[at - 1]!) === hashOf(entity);
            const [hash, range] = Object.values(entity.key);
            return (
              <tr key={entity.name} class={isTogether ? "is-together" : ""}>
                <th scope="row"><a href={`#${idOf(entity.name)}`} data-load class="entity">{entity.name}</a>{entity.title && entity.title !== entity.name && <span class="sub">{entity.title}</span>}</th>
                <td><Keys hash={hash} range={range} />{isTogether && <span class="visually-hidden">in one partition with {neighbours(design, entity).map((one) => one.name).join(", ")}</span>}</td>
                {places.map((name) => <td key={name}><Keys hash={entity.indexes[name]?.hash} range={entity.indexes[name]?.range} /></td>)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const firstOf = (design: Design, entity: Entity): number => design.entities.findIndex((one) => hashOf(one) === hashOf(entity));
