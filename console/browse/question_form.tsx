// The form of a request: table or index, conditions of the keys, filters, order.
import { useState } from "preact/hooks";
import { Icon } from "web/ui/icons";
import { type TableInfo, indexesOf, isGlobal, keysOf, typeOfKey } from "../db/tables";
import { type KeyType, typeNames } from "../db/value";
import { type Comparison, type Filter, type FilterOperator, type FilterType, type Question, type SortCondition, comparisons, filterOperators, isQuery, schemaOf } from "./question";

interface FormProps {
  table: TableInfo;
  question: Question;
  attributes: readonly string[]; // that items are known to have
  onChange: (question: Question) => void;
}

const placeholders: Record<KeyType, string> = { S: "text", N: "number", B: "base64 or 0x…" };
const words: Partial<Record<Comparison | FilterOperator, string>> = { begins_with: "begins with" };
const firstFilter: Filter = { path: "", type: "S", operator: "=", values: [""] };

export function QuestionForm(props: FormProps) {
  const { table, question, onChange } = props;
  const change = (part: Partial<Question>): void => onChange({ ...question, ...part });
  const isScan = !isQuery(question, table);
  return (
    <div class="question">
      <div class="question-row">
        <label class="joined source">
          <span class={`kind ${isScan ? "is-scan" : ""}`} title={isScan ? "Without a partition key, the request reads all items: a Scan" : "The request reads one partition: a Query"}>{isScan ? "Scan" : "Query"}</span>
          <select aria-label="Table or index" value={question.index} onChange={(e) => change({ index: e.currentTarget.value, partition: [], sort: [], isConsistent: false })}>
            <option value="">{table.TableName}</option>
            {indexesOf(table).map(({ IndexName }) => <option key={IndexName} value={IndexName}>{IndexName}</option>)}
          </select>
        </label>
        <Keys {...props} change={change} />
        <button class="button plain small" type="button" onClick={() => change({ filters: [...question.filters, firstFilter] })}><Icon name="plus" />Filter</button>
      </div>
      {question.filters.map((filter, at) => (
        <FilterRow
          key={at} number={at + 1} filter={filter} attributes={props.attributes}
          onChange={(changed) => change({ filters: question.filters.map((one, place) => (place === at ? changed : one)) })}
          onRemove={() => change({ filters: question.filters.filter((_, place) => place !== at) })}
        />
      ))}
    </div>
  );
}

interface PartProps extends FormProps {
  change: (part: Partial<Question>) => void;
}

function Keys({ table, question, change }: PartProps) {
  const schema = schemaOf(table, question.index);
  const partition = keysOf(schema, "HASH");
  const sort = keysOf(schema, "RANGE");
  const put = <T,>(list: T[], at: number, value: T, empty: T): T[] => Array.from({ length: Math.max(list.length, at + 1) }, (_, place) => (place === at ? value : (list[place] ?? empty)));
  const noCondition: SortCondition = { operator: "=", values: [""] };
  return (
    <>
      {partition.map((name, at) => (
        <label key={name} class="joined key">
          <span class="name">{name}</span>
          <input
            class="mono" aria-label={`${name}, partition key`} placeholder={`any ${placeholders[typeOfKey(table, name)]}`} value={question.partition[at] ?? ""} spellcheck={false} autocomplete="off"
            onInput={(e) => change({ partition: put(question.partition, at, e.currentTarget.value, "") })}
          />
        </label>
      ))}
      {sort.map((name, at) => {
        const condition = question.sort[at] ?? noCondition;
        const type = typeOfKey(table, name);
        const set = (part: Partial<SortCondition>): void => change({ sort: put(question.sort, at, { ...condition, ...part }, noCondition) });
        const value = (place: number) => (
          <input
            class="mono" aria-label={`${name}, sort key${place ? ", second value" : ""}`} placeholder={place ? "and" : `any ${placeholders[type]}`} value={condition.values[place] ?? ""} spellcheck={false} autocomplete="off"
            onInput={(e) => set({ values: put(condition.values, place, e.currentTarget.value, "") })}
          />
        );
        return (
          <label key={name} class="joined key">
            <span class="name">{name}</span>
            <select aria-label={`${name}: comparison`} value={condition.operator} onChange={(e) => set({ operator: e.currentTarget.value as Comparison })}>
              {comparisons.filter((one) => one !== "begins_with" || type !== "N").map((one) => <option key={one} value={one}>{words[one] ?? one}</option>)}
            </select>
            {value(0)}
            {condition.operator === "between" && value(1)}
          </label>
        );
      })}
    </>
  );
}

const limits = [0, 10, 50, 200, 1000];

/** The order, the items per request and the kind of read. */
export function Options({ table, question, onChange }: Pick<FormProps, "table" | "question" | "onChange">) {
  const change = (part: Partial<Question>): void => onChange({ ...question, ...part });
  const isScan = !isQuery(question, table);
  const canBeConsistent = !question.index || !isGlobal(table, question.index);
  return (
    <div class="options">
      {!isScan && (
        <select aria-label="Order" value={question.isDescending ? "desc" : "asc"} onChange={(e) => change({ isDescending: e.currentTarget.value === "desc" })}>
          <option value="asc">ascending</option>
          <option value="desc">descending</option>
        </select>
      )}
      <select aria-label="Items per request" value={question.limit} onChange={(e) => change({ limit: Number(e.currentTarget.value) })}>
        {(limits.includes(question.limit) ? limits : [...limits, question.limit]).map((limit) => <option key={limit} value={limit}>{limit === 0 ? "page: auto" : `page: ${limit}`}</option>)}
      </select>
      {canBeConsistent && (
        <label class="check small" title="Reads what was written last, for twice the units">
          <input type="checkbox" checked={question.isConsistent} onChange={(e) => change({ isConsistent: e.currentTarget.checked })} />consistent
        </label>
      )}
    </div>
  );
}

const filterTypes: FilterType[] = ["S", "N", "B", "BOOL", "NULL"];
const withoutValue: FilterOperator[] = ["exists", "not exists"];
const operatorsOf = (type: FilterType): readonly FilterOperator[] =>
  filterOperators.filter((one) => (type === "N" ? one !== "begins_with" : type === "BOOL" || type === "NULL" ? ["=", "<>", "exists", "not exists", "type is"].includes(one) : true));

function FilterRow({ number, filter, attributes, onChange, onRemove }: { number: number; filter: Filter; attributes: readonly string[]; onChange: (filter: Filter) => void; onRemove: () => void }) {
  const change = (part: Partial<Filter>): void => onChange({ ...filter, ...part });
  const changeType = (type: FilterType): void => change({ type, ...(operatorsOf(type).includes(filter.operator) ? {} : { operator: "=" }), ...(type === "BOOL" ? { values: ["true"] } : {}) });
  return (
    <div class="question-row filter" role="group" aria-label={`Filter ${number}`}>
      <span class="quiet small">{number === 1 ? "where" : "and"}</span>
      <input class="mono path" aria-label="Attribute" placeholder="attribute, or path.to[0]" list="known-attributes" value={filter.path} spellcheck={false} autocomplete="off" onInput={(e) => change({ path: e.currentTarget.value })} />
      <datalist id="known-attributes">{attributes.map((name) => <option key={name} value={/[.["]/.test(name) ? JSON.stringify(name) : name} />)}</datalist>
      <select aria-label="Comparison" value={filter.operator} onChange={(e) => change({ operator: e.currentTarget.value as FilterOperator })}>
        {operatorsOf(filter.type).map((one) => <option key={one} value={one}>{words[one] ?? one}</option>)}
      </select>
      {!withoutValue.includes(filter.operator) && <FilterValue filter={filter} change={change} changeType={changeType} />}
      <button class="button plain small" type="button" aria-label={`Remove filter ${number}`} onClick={onRemove}><Icon name="close" /></button>
    </div>
  );
}

const listText = (values: readonly string[]): string => values.map((one) => (/[",]/.test(one) || one !== one.trim() ? JSON.stringify(one) : one)).join(", ");

/** Returns the values of a list: those in quotes may have commas. */
export function valuesIn(text: string): string[] {
  return [...text.matchAll(/\s*("(?:[^"\\]|\\.)*"\s*|[^,]*)(?:,|$)/g)].slice(0, text === "" ? 1 : -1).map(([, one]) => {
    try {
      return one!.startsWith('"') ? String(JSON.parse(one!)) : one!.trim();
    } catch {
      return one!.trim();
    }
  });
}

/** The text stays as somebody types it, as long as it says the same values. */
function ListInput({ values, onChange }: { values: readonly string[]; onChange: (values: string[]) => void }) {
  const [text, setText] = useState(listText(values));
  const shown = JSON.stringify(valuesIn(text)) === JSON.stringify(values) ? text : listText(values);
  return (
    <input
      class="mono" aria-label="Value" placeholder={'values, separated by commas: a, "b, c"'} value={shown} spellcheck={false} autocomplete="off"
      onInput={(e) => (setText(e.currentTarget.value), onChange(valuesIn(e.currentTarget.value)))}
    />
  );
}

function FilterValue({ filter, change, changeType }: { filter: Filter; change: (part: Partial<Filter>) => void; changeType: (type: FilterType) => void }) {
  const [first = "", second = ""] = filter.values;
  if (filter.operator === "type is") {
    return (
      <select aria-label="Type" value={first || "S"} onChange={(e) => change({ values: [e.currentTarget.value] })}>
        {Object.entries(typeNames).map(([type, name]) => <option key={type} value={type}>{name}</option>)}
      </select>
    );
  }
  const typeChoice = (
    <select aria-label="Type of the value" value={filter.type} onChange={(e) => changeType(e.currentTarget.value as FilterType)}>
      {filterTypes.map((type) => <option key={type} value={type}>{typeNames[type]}</option>)}
    </select>
  );
  if (filter.type === "NULL") return typeChoice;
  if (filter.type === "BOOL") {
    return (
      <>
        {typeChoice}
        <select aria-label="Value" value={first} onChange={(e) => change({ values: [e.currentTarget.value] })}><option>true</option><option>false</option></select>
      </>
    );
  }
  if (filter.operator === "in") return <>{typeChoice}<ListInput values={filter.values} onChange={(values) => change({ values })} /></>;
  return (
    <>
      {typeChoice}
      <input
        class="mono" aria-label="Value" placeholder={placeholders[filter.type]} value={first} spellcheck={false} autocomplete="off"
        onInput={(e) => change({ values: [e.currentTarget.value, second] })}
      />
      {filter.operator === "between" && <input class="mono" aria-label="Second value" placeholder="and" value={second} spellcheck={false} autocomplete="off" onInput={(e) => change({ values: [first, e.currentTarget.value] })} />}
    </>
  );
}
