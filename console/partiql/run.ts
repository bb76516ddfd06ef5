// Statements while they run, one after the other: the first one that fails ends the run.
import { Results } from "../browse/results";
import type { ReadRequest } from "../db/pages";
import { tables } from "../db/tables";
import { facetsOf } from "../lens/facets";
import { isReadOnly } from "../session";
import { type Parameter, firstParameter, problemOf, valueOf } from "./parameters";
import type { Statement } from "./text";

export interface Ran {
  statement: Statement;
  results: Results | undefined; // undefined: it was not sent
}

/** What keeps a statement from being sent; undefined if nothing does. */
export function refusalOf(statement: Statement, parameters: readonly Parameter[]): string | undefined {
  if (isReadOnly.peek() && !statement.doesRead) return "This console is read-only: only SELECT is sent. The switch is at the end of the navigation.";
  for (const at of statement.parameters) {
    const problem = problemOf(parameters[at] ?? firstParameter);
    if (problem) return `Parameter ${at + 1}: ${problem}`;
  }
  return undefined;
}

export interface Options {
  limit: number; // items that one request evaluates; 0: as many as the database reads
  isConsistent: boolean;
}

const firstPage = 200; // of a statement without a condition, unless somebody says otherwise

export function requestOf(statement: Statement, parameters: readonly Parameter[], { limit, isConsistent }: Options): ReadRequest {
  const pageLimit = limit || (statement.doesRead && !/\bWHERE\b/i.test(statement.text) ? firstPage : 0);
  const body = {
    Statement: statement.text,
    ...(statement.parameters.length > 0 ? { Parameters: statement.parameters.map((at) => valueOf(parameters[at] ?? firstParameter)) } : {}),
    ...(isConsistent && statement.doesRead ? { ConsistentRead: true } : {}),
    ...(pageLimit > 0 && statement.doesRead ? { Limit: pageLimit } : {}),
  };
  return { operation: "ExecuteStatement", body, doesWrite: !statement.doesRead };
}

const firstRows = 60;

/** Runs statements and reports after each. Resolves after the last one, or after the first that failed. */
export async function run(statements: readonly Statement[], request: (statement: Statement) => ReadRequest, report: (ran: Ran[]) => void): Promise<Ran[]> {
  const all: Ran[] = statements.map((statement) => ({ statement, results: undefined }));
  for (const one of all) {
    const table = tables.peek().get(one.statement.table);
    one.results = new Results(request(one.statement), table && facetsOf(table));
    report([...all]);
    await one.results.read(firstRows);
    if (one.results.progress.peek().error || !one.results.isComplete && one.results.count === 0) break;
  }
  return all;
}
