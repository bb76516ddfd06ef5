// The history of an item whose key somebody types: also of one that is deleted.
import { useState } from "preact/hooks";
import { go } from "web/route";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { Panel } from "web/ui/table";
import { historyUrl } from "../db/key";
import { type TableInfo, typeOfKey } from "../db/tables";
import { typed } from "../db/typed";
import { typeNames } from "../db/value";
import { keyNames } from "../items/editing";
import { tableUrl } from "../routes";

export function Lookup({ table }: { table: TableInfo }) {
  const names = keyNames(table);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const submit = (event: Event): void => {
    event.preventDefault();
    const problems: Record<string, string> = {};
    const key = names.map((name) => {
      try {
        return [name, typed(typeOfKey(table, name), texts[name] ?? "")];
      } catch (why) {
        problems[name] = (why as Error).message;
        return [];
      }
    });
    setWrong(problems);
    if (Object.keys(problems).length === 0) go(historyUrl(table, Object.fromEntries(key)));
  };
  return (
    <div class="item-page">
      <div class="item-head">
        <a class="quiet" href={tableUrl(table.TableName)}>{table.TableName}</a>
        <h1>The history of an item</h1>
      </div>
      <Panel>
        <form class="stack wide" onSubmit={submit}>
          <p class="quiet small">Its key, also if it is deleted.</p>
          {names.map((name) => (
            <Field key={name} label={`${name} (${typeNames[typeOfKey(table, name)]})`} wrong={wrong[name]}>
              {(id) => <input {...id} class="mono" required autocomplete="off" spellcheck={false} value={texts[name] ?? ""} onInput={(e) => setTexts({ ...texts, [name]: e.currentTarget.value })} />}
            </Field>
          ))}
          <div class="form-end"><button class="button primary" type="submit"><Icon name="clock" />Show</button></div>
        </form>
      </Panel>
    </div>
  );
}
