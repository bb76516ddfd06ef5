#include "workshop/gen/gen_ts_runtime.h"

#include <algorithm>
#include <array>
#include <set>

namespace tavola::workshop {

// Files of runtime/, made by CMakeLists.txt.
extern const char* const kConnectionTs;
extern const char* const kValuesTs;
extern const char* const kFieldsTs;
extern const char* const kEntitiesTs;
extern const char* const kOperationsTs;

namespace {

constexpr std::string_view kExport = "export ";

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end);
  return line;
}

// Inlines a module into another one, which has the imports of all parts; each of our imports is one line.
std::string inlined(std::string_view module) {
  std::string text;
  while (!module.empty()) {
    const std::string_view line = take_line(module);
    const bool is_gap = line == "\n" && text.ends_with("\n\n");  // where the imports were
    if (!line.starts_with("import ") && !is_gap) text += line;
  }
  return text;
}

std::string without_exports(std::string_view module) {
  std::string text;
  while (!module.empty()) {
    std::string_view line = take_line(module);
    if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
    text += line;
  }
  return text;
}

// Adds the names that a module declares at its outermost level: "async function* query<T>(" declares `query`.
void add_declared(std::string_view module, std::set<std::string, std::less<>>& names) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"export ", "async ", "function ", "function* ", "const ", "class ", "interface ", "type "});
  while (!module.empty()) {
    std::string_view line = take_line(module);
    bool declares = false;
    for (const std::string_view word : kWords) {
      if (!line.starts_with(word)) continue;
      line.remove_prefix(word.size());
      declares = true;
    }
    if (declares) names.emplace(line.substr(0, line.find_first_of(" <(:={")));
  }
}

std::set<std::string, std::less<>> runtime_names() {
  // Imported names, names that the generators write, and JavaScript's globals.
  std::set<std::string, std::less<>> names{"Array",
                                           "BigInt",
                                           "Buffer",
                                           "Date",
                                           "DynamoDBClient",
                                           "Error",
                                           "GetCommand",
                                           "JSON",
                                           "Map",
                                           "Math",
                                           "Number",
                                           "NumberValue",
                                           "Object",
                                           "Promise",
                                           "Proxy",
                                           "Record",
                                           "RegExp",
                                           "ScanCommand",
                                           "Set",
                                           "String",
                                           "Symbol",
                                           "Uint8Array",
                                           "copies",
                                           "createHash",
                                           "db",
                                           "given",
                                           "hashKey",
                                           "it",
                                           "one",
                                           "p",
                                           "process",
                                           "randomBytes",
                                           "randomUUID",
                                           "rangeKey",
                                           "t",
                                           "tableName",
                                           "setTimeout",
                                           "QueryCommand",
                                           "Infinity",
                                           "isDeepStrictEqual",
                                           "Partial",
                                           "Omit",
                                           "ReturnType",
                                           "NonNullable",
                                           "Required",
                                           "undefined",
                                           "AsyncGenerator",
                                           "ProxyHandler",
                                           "Iterable",
                                           "QueryCommandInput",
                                           "DynamoDBDocumentClient",
                                           "TransactWriteCommand",
                                           "TransactWriteCommandInput",
                                           "TransactionCanceledException"};
  for (const std::string_view module : {kConnectionTs, kValuesTs, kFieldsTs, kEntitiesTs, kOperationsTs})
    add_declared(module, names);
  return names;
}

}  // namespace

std::string ts_connection() { return inlined(kConnectionTs); }

std::string ts_runtime() {
  std::string text;
  for (const std::string_view module : {kValuesTs, kFieldsTs, kEntitiesTs, kOperationsTs}) {
    text += (text.empty() ? "" : "\n") + without_exports(inlined(module));
  }
  return text;
}

bool is_runtime_name(std::string_view name) {
  static const std::set<std::string, std::less<>> names = runtime_names();
  return names.contains(name);
}

}  // namespace tavola::workshop
