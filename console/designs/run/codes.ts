// A pattern or an operation as a program or a shell would use it. Each text runs as it is.
import type { Design, Operation, Pattern } from "../api";
import { Exact, exactText, shown } from "../exact";
import type { Sent } from "./requests";

export type Language = "curl" | "cli" | "typescript" | "python" | "cpp";
export const languages: readonly (readonly [Language, string])[] = [["curl", "curl"], ["cli", "aws-cli"], ["typescript", "TypeScript"], ["python", "Python"], ["cpp", "C++"]];

export interface Use {
  design: Design;
  part: Pattern | Operation;
  isOperation: boolean;
  values: Record<string, unknown>;
  sent: Sent[]; // as AWS gets it; several for a union
  endpoint: string;
  region: string;
}

const shell = (text: string): string => (/^[\w.,:/@%+=?&-]+$/.test(text) && !text.includes("&") ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const kindOf = ({ part, isOperation }: Use): string => (isOperation ? "" : (part as Pattern).kind);

function curl({ design, part, isOperation, values, endpoint }: Use): string {
  const url = `${endpoint}/v1/${encodeURIComponent(design.name)}/${part.name}`;
  if (isOperation) return `curl ${shell(url)} \\\n    -H 'Content-Type: application/json' \\\n    -d ${shell(exactText(values))}`;
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, shown(value)])).toString();
  return `curl ${shell(query ? `${url}?${query}` : url)}`;
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter, at: number) => (at > 0 ? "-" : "") + letter.toLowerCase());

function cli({ sent, endpoint, region }: Use): string {
  if (sent.length === 0) return "# The request depends on what the operation would read: fill in the form, and it is shown here.";
  return sent.map(({ operation, request }) => `aws dynamodb ${dashed(operation)} --endpoint-url ${shell(endpoint)} --region ${shell(region)} \\\n    --cli-input-json ${shell(JSON.stringify(request, null, 2))}`).join("\n\n");
}

/** Returns a value as JavaScript has it: numbers that are no safe integers are given as decimal texts. */
function scriptValue(value: unknown, decimal: (text: string) => string): string {
  if (value instanceof Exact && /^-?\d+(\.\d+)?([eE].*)?$/.test(value.text)) return Number.isSafeInteger(Number(value.text)) && /^-?\d+$/.test(value.text) ? value.text : decimal(value.text);
  return exactText(value);
}

const identifier = (name: string): string => name.replace(/\W+(.)?/g, (_, letter: string | undefined) => (letter ?? "").toUpperCase()).replace(/^[A-Z]/, (letter) => letter.toLowerCase());

function typescript(use: Use): string {
  const { design, part, isOperation, values, endpoint } = use;
  const module = identifier(design.name);
  const given = Object.entries(values).map(([name, value]) => `${name}: ${scriptValue(value, (text) => `${module}.Decimal.of("${text}")`)}`).join(", ");
  const call = `${module}.${part.name}(server${part.parameters.length > 0 ? `, { ${given} }` : ""})`;
  const isList = !isOperation && ["query", "scan", "union"].includes(kindOf(use));
  return `// tavola gen ts ${design.name}.yaml --v1 -o ${module}.ts
import * as ${module} from "./${module}.js";

const server = { url: "${endpoint}" };
${isList ? `for await (const one of ${call}) console.log(one);` : `console.log(await ${call});`}
`;
}

function python(use: Use): string {
  const { design, part, isOperation, values, endpoint } = use;
  const module = identifier(design.name);
  const hasDecimal = Object.values(values).some((value) => value instanceof Exact && /[.eE]/.test(value.text));
  const literal = (value: unknown): string => (value instanceof Exact && /^-?\d+[.eE]/.test(value.text) ? `Decimal("${value.text}")` : typeof value === "boolean" ? (value ? "True" : "False") : exactText(value));
  const call = `db.${part.name}(${Object.entries(values).map(([name, value]) => `${name}=${literal(value)}`).join(", ")})`;
  const isList = !isOperation && ["query", "scan", "union"].includes(kindOf(use));
  return `# tavola gen py ${design.name}.yaml -o ${module}.py
${hasDecimal ? "from decimal import Decimal\n" : ""}import ${module}

db = ${module}.connect(v1="${endpoint}")
${isList ? `for one in ${call}:\n    print(one)` : `print(${call})`}
`;
}

const pascal = (name: string): string => identifier(name).replace(/^./, (letter) => letter.toUpperCase());
const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/\W+/g, "_").toLowerCase();

function cpp(use: Use): string {
  const { design, part, isOperation, values, endpoint } = use;
  const name = snake(design.name);
  const literal = (value: unknown): string => (value instanceof Exact && /^-?\d+[.eE]/.test(value.text) ? `*tavola::Number::parse("${value.text}")` : exactText(value));
  const given = Object.entries(values).map(([field, value]) => `.${field} = ${literal(value)}`).join(", ");
  const call = `design.${part.name}(${part.parameters.length > 0 ? `{${given}}` : ""})`;
  const isList = !isOperation && ["query", "scan", "union"].includes(kindOf(use));
  return `// tavola gen cpp ${design.name}.yaml -o ${name}.h
#include <tavola/tavola.h>

#include "${name}.h"

tavola::Result<void> use() {
  TAVOLA_TRY(const auto db, tavola::connect({.address = "${endpoint}"}, tavola::default_credentials()));
  TAVOLA_TRY(const auto design, ${name}::${pascal(design.name)}::open(*db));
${isList ? `  TAVOLA_TRY(const auto found, ${call}.all());` : `  const auto result = ${call};\n  if (!result) return tavola::fail(result.error());`}
  return {};
}
`;
}

const writers: Record<Language, (use: Use) => string> = { curl, cli, typescript, python, cpp };
export const codeOf = (language: Language, use: Use): string => writers[language](use);
