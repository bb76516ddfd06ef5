// The tree of keys: a branch for each template of the partition key, below it the sort keys of each entity, with counts of what was read so far.
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "web/route";
import { Icon } from "web/ui/icons";
import { Empty, Problem } from "web/ui/table";
import { type TableInfo, describe, indexesOf, tables } from "../db/tables";
import { preview } from "../db/value";
import { type Design, useDesign } from "../designs/api";
import { amount, plural } from "../format";
import { useKey } from "../keys";
import { EntityName, placeOf } from "./entity";
import { type Branch, type Twig, look } from "./look";
import { ItemLink, Patterns, Template, keysHref, partitionHref } from "./parts";
import { type Tree, grown, noTree } from "./tree";

interface Growing {
  tree: Tree;
  isRunning: boolean;
  error: Error | undefined;
  readOn: (untilEnd: boolean) => void;
  stop: () => void;
}

/** Reads the keys: 5,000 at first, and on when somebody asks. */
function useTree(design: string, index: string): Growing {
  const [tree, setTree] = useState(noTree);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const latest = useRef<{ tree: Tree; isStopped: boolean }>({ tree: noTree, isStopped: false });
  const readOn = async (untilEnd: boolean): Promise<void> => {
    const state = latest.current;
    state.isStopped = false;
    setRunning(true);
    setError(undefined);
    try {
      do {
        const answer = await look(design, "tree", { ...(index ? { index } : {}), ...(state.tree.next ? { page: state.tree.next } : {}) });
        setTree((state.tree = grown(state.tree, answer)));
      } while (untilEnd && state.tree.next && !state.isStopped);
    } catch (why) {
      setError(why as Error);
    }
    setRunning(false);
  };
  useEffect(() => {
    void readOn(false);
    return () => void (latest.current.isStopped = true);
  }, []);
  return { tree, isRunning, error, readOn: (untilEnd) => void readOn(untilEnd), stop: () => void (latest.current.isStopped = true) };
}

export function KeyTree({ table, design, index }: { table: string; design: string; index: string }) {
  const growing = useTree(design, index);
  const { design: info } = useDesign(design);
  const known = tables.value.get(table);
  useEffect(() => void (known || describe(table).catch(() => undefined)), [table]);
  const { tree, isRunning, error } = growing;
  const isEmpty = tree.read === 0 && !tree.next && !isRunning && !error;
  return (
    <div class="page keys-view">
      <Head table={table} index={index} known={known} growing={growing} />
      {error && <Problem error={error} again={() => growing.readOn(false)} />}
      {isEmpty && (
        <Empty icon="tree" title={index ? `${index} has no entries` : "The table has no items"}>
          <p>Every prefix of a key appears here, with its template, as soon as an item has it.</p>
        </Empty>
      )}
      {tree.branches.map((branch) => <BranchPanel key={branch.hash} branch={branch} of={{ table, design, index, info, read: tree.read }} />)}
      {tree.unknown > 0 && <Unknown table={table} tree={tree} />}
    </div>
  );
}

function Head({ table, index, known, growing }: { table: string; index: string; known: TableInfo | undefined; growing: Growing }) {
  const { tree, isRunning } = growing;
  const all = index ? indexesOf(known ?? ({} as TableInfo)).find(({ IndexName }) => IndexName === index)?.ItemCount : known?.ItemCount;
  useKey("r", "Read on", () => tree.next && !isRunning && growing.readOn(false));
  return (
    <div class="keys-head">
      <label class="joined source">
        <span class="kind">Keys of</span>
        <select aria-label="Table or index" value={index} onChange={(e) => go(keysHref(table, e.currentTarget.value))}>
          <option value="">{table}</option>
          {(known ? indexesOf(known) : []).map(({ IndexName }) => <option key={IndexName} value={IndexName}>{IndexName}</option>)}
        </select>
      </label>
      <p class="quiet small grow" role="status">
        {isRunning && tree.read === 0 ? "Reading…" : `Read ${plural(tree.read, "key")}${tree.next ? (all ? ` of about ${amount(Math.max(all, tree.read))}` : ", there are more") : ", all there are"}`}
      </p>
      {isRunning && tree.read > 0 && <progress aria-label="Reading" {...(all ? { max: Math.max(all, tree.read), value: tree.read } : {})} />}
      {isRunning && tree.read > 0 && <button class="button small" type="button" onClick={growing.stop}><Icon name="stop" />Stop</button>}
      {tree.next && !isRunning && <button class="button small" type="button" onClick={() => growing.readOn(false)}>Continue</button>}
      {tree.next && !isRunning && <button class="button small" type="button" onClick={() => growing.readOn(true)}>Read all</button>}
    </div>
  );
}

interface Of {
  table: string;
  design: string;
  index: string;
  info: Design | undefined;
  read: number; // keys, in all
}

const share = (part: number, all: number): string => {
  const percent = all > 0 ? (part / all) * 100 : 0;
  return percent > 0 && percent < 1 ? "under 1 %" : `${Math.round(percent)} %`;
};

function BranchPanel({ branch, of }: { branch: Branch; of: Of }) {
  return (
    <section class="panel branch" aria-label={branch.hash}>
      <header>
        <h2><Template text={branch.hash} /></h2>
        <span class="quiet small">{plural(branch.partitions, "partition")}</span>
        <span class="quiet small">{plural(branch.items, "item")} · {share(branch.items, of.read)}</span>
      </header>
      <table class="twigs">
        <caption class="visually-hidden">Entities whose partition key is {branch.hash}</caption>
        <thead class="visually-hidden"><tr><th scope="col">Sort key</th><th scope="col">Entity</th><th scope="col">Items</th><th scope="col">Patterns that read it</th></tr></thead>
        <tbody>
          {branch.entities.map((twig) => <TwigRow key={`${twig.entity} ${twig.range}`} twig={twig} branch={branch} of={of} />)}
        </tbody>
      </table>
      <Largest branch={branch} of={of} />
    </section>
  );
}

function TwigRow({ twig, branch, of }: { twig: Twig; branch: Branch; of: Of }) {
  return (
    <tr>
      <td class="twig-key">{twig.range ? <Template text={twig.range} /> : <span class="quiet small">no sort key</span>}</td>
      <td><EntityName name={twig.entity} place={placeOf(of.info, twig.entity)} title={twig.title} /></td>
      <td class="number"><span class="share" aria-hidden="true"><i style={{ width: `${(100 * twig.items) / Math.max(branch.items, 1)}%` }} /></span><span class="count">{amount(twig.items)}</span></td>
      <td><Patterns design={of.design} names={twig.patterns} /></td>
    </tr>
  );
}

const shownFirst = 5;

/** The largest partitions: each opens as lanes. */
function Largest({ branch, of }: { branch: Branch; of: Of }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? branch.largest : branch.largest.slice(0, shownFirst);
  const most = branch.largest[0]?.items ?? 1;
  const left = branch.largest.length - shown.length;
  return (
    <div class="largest">
      <h3 class="quiet small">{branch.partitions > 1 ? "Largest partitions" : "Its partition"}</h3>
      <ul>
        {shown.map(({ value, items }) => (
          <li key={JSON.stringify(value)}>
            <a href={partitionHref(of.table, of.index, value)}>
              <code>{preview(value)}</code><span class="share" aria-hidden="true"><i style={{ width: `${(100 * items) / most}%` }} /></span><span class="number">{amount(items)}</span>
            </a>
          </li>
        ))}
      </ul>
      {left > 0 && <button class="button plain small start" type="button" onClick={() => setWhole(true)}>Show {plural(left, "more", "more")}</button>}
    </div>
  );
}

function Unknown({ table, tree }: { table: string; tree: Tree }) {
  return (
    <section class="panel branch is-unknown" aria-label="Keys of no entity">
      <header>
        <h2>Of no entity</h2>
        <span class="quiet small">{plural(tree.unknown, "item")}</span>
      </header>
      <ul class="samples">
        {tree.samples.map(({ key, why }) => <li key={JSON.stringify(key)}><ItemLink table={table} itemKey={key} /><span class="quiet small">{why}</span></li>)}
      </ul>
      {tree.unknown > tree.samples.length && <p class="quiet small panel-foot">The first {tree.samples.length} of them. <a href={`/t/${encodeURIComponent(table)}/items?only=unknown`}>Find all among the items</a></p>}
    </section>
  );
}
