// A request as C++, with Tavola's library.
import type { Item, Value } from "../db/value";
import type { Place, Request } from "./codes";

// A text of C++: JSON's escapes are C++'s, except for \\u of what is no letter, which becomes three octal digits of its byte.
const cppText = (text: string): string => JSON.stringify(text).replace(/\\u00([01][\da-f])/g, (_, byte: string) => `\\${parseInt(byte, 16).toString(8).padStart(3, "0")}`);

function cppValue(value: Value): string {
  if ("S" in value) return cppText(value.S);
  if ("N" in value) return `*tavola::Number::parse("${value.N}")`;
  if ("BOOL" in value) return String(value.BOOL);
  if ("B" in value) return cppBinary(value.B);
  if ("SS" in value) return `*tavola::StringSet::of({${value.SS.map(cppText).join(", ")}})`;
  if ("NS" in value) return `*tavola::NumberSet::of({${value.NS.map((one) => cppValue({ N: one })).join(", ")}})`;
  if ("BS" in value) return `*tavola::BinarySet::of({${value.BS.map(cppBinary).join(", ")}})`;
  if ("L" in value) return `tavola::List{${value.L.map((one) => `tavola::Value(${cppValue(one)})`).join(", ")}}`;
  if ("M" in value) return `tavola::Map${cppItem(value.M)}`;
  return "nullptr";
}

const cppBinary = (base64: string): string => `tavola::Binary{std::string(${cppBytes(base64)})}`;

function cppBytes(base64: string): string {
  const bytes = atob(base64);
  const octal = Array.from(bytes, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
  return `"${octal}", ${bytes.length}`;
}

const cppMap = (entries: [string, string][]): string => `{${entries.map(([name, value]) => `{${cppText(name)}, ${value}}`).join(", ")}}`;

const cppItem = (item: Item): string => cppMap(Object.entries(item).map(([name, value]) => [name, cppValue(value)]));
const cppNames = (names: Record<string, string>): string => cppMap(Object.entries(names).map(([name, value]) => [name, cppText(value)]));

/** The options of a call: the members of a struct, if there are any. */
function cppOptions(body: Record<string, unknown>): string {
  const fields: string[] = [];
  const text = (field: string, name: string): unknown => body[name] !== undefined && fields.push(`.${field} = ${cppText(String(body[name]))}`);
  text("index", "IndexName");
  text("filter", "FilterExpression");
  text("condition", "ConditionExpression");
  if (body["ExpressionAttributeValues"]) fields.push(`.values = ${cppItem(body["ExpressionAttributeValues"] as Item)}`);
  if (body["ExpressionAttributeNames"]) fields.push(`.names = ${cppNames(body["ExpressionAttributeNames"] as Record<string, string>)}`);
  if (body["Limit"]) fields.push(`.page_limit = ${body["Limit"]}`);
  if (body["ScanIndexForward"] === false) fields.push(".forward = false");
  if (body["ConsistentRead"]) fields.push(".consistent = true");
  return fields.length > 0 ? `{\n      ${fields.join(",\n      ")}}` : "";
}

/** Returns the statements that send the request and print its answer. */
function cppCall({ operation, body }: Request): string {
  const options = cppOptions(body);
  const text = (name: string): string => (body[name] === undefined ? "" : cppText(String(body[name])));
  const given = (...all: string[]): string => [...all, options].filter(Boolean).join(", ");
  if (operation === "PutItem") return `  return table.put(${given(cppItem(body["Item"] as Item))});`;
  if (operation === "UpdateItem") {
    return `  TAVOLA_TRY(const tavola::Item item, table.update(${given(cppItem(body["Key"] as Item), text("UpdateExpression"))}));
  std::cout << tavola::to_json(item) << '\\n';
  return {};`;
  }
  if (operation === "DeleteItem") {
    return `  TAVOLA_TRY(const auto deleted, table.remove(${given(cppItem(body["Key"] as Item))}));
  std::cout << (deleted ? tavola::to_json(*deleted) : "there was none") << '\\n';
  return {};`;
  }
  return `  for (const tavola::Result<tavola::Item>& item : table.${operation.toLowerCase()}(${given(text("KeyConditionExpression"))})) {
    if (!item) return tavola::fail(item.error());
    std::cout << tavola::to_json(*item) << '\\n';
  }
  return {};`;
}

/** A statement of PartiQL: page after page. */
function cppStatement({ body }: Request, { endpoint }: Place): string {
  const fields = [`.statement = ${cppText(String(body["Statement"]))}`];
  if (body["Parameters"]) fields.push(`.parameters = {${(body["Parameters"] as Value[]).map(cppValue).join(", ")}}`);
  if (body["ConsistentRead"]) fields.push(".consistent_read = true");
  if (body["Limit"]) fields.push(`.limit = ${body["Limit"]}`);
  return `#include <iostream>

#include <tavola/connect.h>
#include <tavola/partiql.h>

tavola::Result<void> run_statement() {
  TAVOLA_TRY(const auto db, tavola::connect({.address = ${cppText(endpoint)}}, tavola::default_credentials()));
  tavola::ExecuteStatementRequest request{${fields.join(", ")}};
  do {
    TAVOLA_TRY(const auto page, tavola::execute_statement(*db, request));
    for (const tavola::PackedItem& item : page.items) std::cout << tavola::to_json(item.unpack()) << '\\n';
    request.next_token = page.next_token;
  } while (!request.next_token.empty());
  return {};
}
`;
}

export function cpp(request: Request, place: Place): string {
  if (request.operation === "ExecuteStatement") return cppStatement(request, place);
  const { endpoint } = place;
  return `#include <iostream>

#include <tavola/connect.h>
#include <tavola/table.h>

tavola::Result<void> ${request.operation === "Query" || request.operation === "Scan" ? "print_items" : "write_item"}() {
  TAVOLA_TRY(const auto db, tavola::connect({.address = ${cppText(endpoint)}}, tavola::default_credentials()));
  tavola::Table table(*db, ${cppText(String(request.body["TableName"]))});
${cppCall(request)}
}
`;
}
