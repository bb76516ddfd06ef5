// All designs that the server has, each with its table and how far the table follows it.
import { useEffect } from "preact/hooks";
import { useLoad } from "web/load";
import { Icon } from "web/ui/icons";
import { Badge, Empty, Problem } from "web/ui/table";
import { amount } from "../format";
import { tableUrl } from "../routes";
import { isReadOnly } from "../session";
import { type DesignLine, designUrl, listDesigns } from "./api";

export default function Designs() {
  const { state, again } = useLoad(listDesigns, []);
  const { value: designs, error } = state.value;
  const isBusy = designs?.some((one) => one.progress?.running) ?? false;
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(again, 1000);
    return () => clearInterval(timer);
  }, [isBusy]);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Designs</h1>
        {!isReadOnly.value && <a class="button primary" href="/designs/new"><Icon name="plus" />New design</a>}
      </div>
      {error && <Problem error={error} again={again} />}
      {!designs && !error && <div class="loading" role="progressbar" aria-label="Loading" />}
      {designs?.length === 0 && (
        <section class="panel">
          <Empty icon="shape" title="No design governs a table yet">
            <p>A design is a file that says which entities a table has, which patterns read them and which operations change them. Open a table and its tab Design to have one drafted from its items, or start the server with <code>--design shop.yaml</code>.</p>
          </Empty>
        </section>
      )}
      {designs && designs.length > 0 && (
        <section class="panel">
          <div class="table-scroll">
            <table class="stacks">
              <caption class="visually-hidden">Designs</caption>
              <thead><tr><th scope="col">Design</th><th scope="col">Table</th><th scope="col">State</th></tr></thead>
              <tbody>{designs.map((one) => <Row key={one.name} one={one} />)}</tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}

function Row({ one }: { one: DesignLine }) {
  const { progress } = one;
  return (
    <tr>
      <td><a class="strong" href={designUrl(one.name)}>{one.name}</a>{one.title && <span class="sub">{one.title}</span>}</td>
      <td data-label="Table"><a href={tableUrl(one.table)}>{one.table}</a></td>
      <td>
        {progress?.running ? (
          <span class="row"><progress aria-label="Progress" {...(progress.expected ? { max: progress.expected, value: progress.items ?? 0 } : {})} />{progress.doing} {progress.items !== undefined && <span class="quiet">{amount(progress.items)}</span>}</span>
        ) : (
          <Badge kind={one.state === "enforced" ? "good" : "warn"}>{one.state === "enforced" && one.enforce ? one.enforce : one.state}</Badge>
        )}
      </td>
    </tr>
  );
}
