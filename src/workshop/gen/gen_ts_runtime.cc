#include "workshop/gen/gen_ts_runtime.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace tavola::workshop {

// Files of runtime/, made by CMakeLists.txt.
extern const char* const kConnectionTs;
extern const char* const kValuesTs;
extern const char* const kFieldsTs;
extern const char* const kEntitiesTs;
extern const char* const kAggregatesTs;
extern const char* const kOperationsTs;
extern const char* const kServedTs;

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

// Returns the name that a line declares at the outermost level ("async function* query<T>(" declares `query`); empty if
// it declares none. Drops `export` from the line.
std::string_view declared_by(std::string_view& line) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"async ", "function ", "function* ", "const ", "class ", "interface ", "type "});
  if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
  std::string_view rest = line;
  for (const std::string_view word : kWords) {
    if (rest.starts_with(word)) rest.remove_prefix(word.size());
  }
  return rest.size() == line.size() ? std::string_view() : rest.substr(0, rest.find_first_of(" <(:={"));
}

struct Declaration {
  std::string name;
  std::string text;  // with the comment before it
  bool is_used = false;
};

// Splits a module into its declarations; the comment at its top is one without a name.
std::vector<Declaration> declarations_of(std::string_view module) {
  std::vector<Declaration> all;
  std::string comment;
  while (!module.empty()) {
    std::string_view line = take_line(module);
    if (line.starts_with("// ----")) {
      all.push_back({.name = "", .text = std::string(line)});
    } else if (line.starts_with("//") || line.starts_with("/**")) {
      comment += line;
    } else if (const std::string_view name = declared_by(line); !name.empty()) {
      all.push_back({.name = std::string(name), .text = std::exchange(comment, {}) + std::string(line)});
    } else if (!all.empty()) {
      all.back().text += line;
    }
  }
  return all;
}

// Finds the identifiers in TypeScript code that can be names of declarations: not members (`it.name`), properties
// (`name:`), comments or texts, except for the code in templates.
class Identifiers {
 public:
  explicit Identifiers(std::string_view code) : code_(code) { read_code('\0'); }
  const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  static bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
  bool at(std::string_view text) const { return code_.substr(at_).starts_with(text); }
  void skip_past(std::string_view text) {
    at_ = std::min(code_.find(text, at_), code_.size() - text.size()) + text.size();
  }

  // Reads until the brace that closes the code of a template, or to the end.
  void read_code(char end) {
    int depth = 0;
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == end && depth == 0) return;
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (at("// ") || at("//\n")) {
        skip_past("\n");
      } else if (at("/*")) {
        skip_past("*/");
      } else if (c == '"') {
        read_text();
      } else if (c == '`') {
        read_template();
      } else if (is_name(c)) {
        read_name();
      } else {
        ++at_;
      }
    }
  }
  void read_text() {
    for (++at_; at_ < code_.size() && code_[at_] != '"'; ++at_) at_ += code_[at_] == '\\' ? 1 : 0;
    ++at_;
  }
  void read_template() {
    for (++at_; at_ < code_.size() && code_[at_] != '`'; ++at_) {
      if (code_[at_] == '\\') {
        ++at_;
      } else if (at("${")) {
        at_ += 2;
        read_code('}');
      }
    }
    ++at_;
  }
  void read_name() {
    const std::size_t begin = at_;
    while (at_ < code_.size() && is_name(code_[at_])) ++at_;
    const bool is_spread = begin >= 3 && code_.substr(begin - 3, 3) == "...";
    const bool is_member = begin > 0 && code_[begin - 1] == '.' && !is_spread;
    const std::string_view name = code_.substr(begin, at_ - begin);
    const bool is_word = name == "is" && !at("(");  // of the type `value is number`
    if (!is_member && !is_word && !at(":") && !at("?:")) names_.emplace(name);
  }

  std::string_view code_;
  std::size_t at_ = 0;
  std::set<std::string, std::less<>> names_;
};

// Marks the declarations that the code uses, and those that they use in turn.
void mark_used(std::string_view code, std::vector<Declaration>& all) {
  const Identifiers used(code);
  for (Declaration& one : all) {
    if (one.is_used || !used.names().contains(one.name)) continue;
    one.is_used = true;
    mark_used(one.text, all);
  }
}

std::string used_text(const std::vector<Declaration>& all) {
  std::string text;
  for (auto one = all.begin(); one != all.end(); ++one) {
    // A title stands before a declaration that is used.
    const auto end = std::ranges::find(one + 1, all.end(), std::string(), &Declaration::name);
    if (one->name.empty() ? std::ranges::any_of(one, end, &Declaration::is_used) : one->is_used)
      text += (one->name.empty() && !text.empty() ? "\n" : "") + one->text;
  }
  return text;
}

// All imports of the runtime from other packages.
constexpr auto kImports = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"createHash", "node:crypto"},
    {"randomBytes", "node:crypto"},
    {"randomUUID", "node:crypto"},
    {"isDeepStrictEqual", "node:util"},
    {"DynamoDBClient", "@aws-sdk/client-dynamodb"},
    {"TransactionCanceledException", "@aws-sdk/client-dynamodb"},
    {"DynamoDBDocumentClient", "@aws-sdk/lib-dynamodb"},
    {"BatchGetCommand", "@aws-sdk/lib-dynamodb"},
    {"GetCommand", "@aws-sdk/lib-dynamodb"},
    {"NumberValue", "@aws-sdk/lib-dynamodb"},
    {"QueryCommand", "@aws-sdk/lib-dynamodb"},
    {"QueryCommandInput", "@aws-sdk/lib-dynamodb"},
    {"ScanCommand", "@aws-sdk/lib-dynamodb"},
    {"TransactWriteCommand", "@aws-sdk/lib-dynamodb"},
    {"TransactWriteCommandInput", "@aws-sdk/lib-dynamodb"},
});

std::string imports_for(std::string_view code) {
  const Identifiers used(code);
  std::string text;
  std::string names;
  for (std::size_t i = 0; i < kImports.size(); ++i) {
    const auto& [name, package] = kImports[i];
    const bool is_type = name == "DynamoDBClient" || name.ends_with("Input");
    if (used.names().contains(name))
      names += (names.empty() ? "" : ", ") + std::string(is_type ? "type " : "") + std::string(name);
    const bool is_last = i + 1 == kImports.size() || kImports[i + 1].second != package;
    if (is_last && !names.empty())
      text += "import { " + std::exchange(names, {}) + " } from \"" + std::string(package) + "\";\n";
  }
  return text;
}

std::set<std::string, std::less<>> runtime_names() {
  // Names that the generators write, and JavaScript's globals; then the imported names and the runtime's own.
  std::set<std::string, std::less<>> names{"Array",
                                           "BigInt",
                                           "Buffer",
                                           "Date",
                                           "Error",
                                           "Intl",
                                           "JSON",
                                           "Map",
                                           "Math",
                                           "Number",
                                           "Object",
                                           "Promise",
                                           "Proxy",
                                           "Record",
                                           "RegExp",
                                           "Set",
                                           "String",
                                           "Symbol",
                                           "Uint8Array",
                                           "URLSearchParams",
                                           "consequences",
                                           "copies",
                                           "db",
                                           "designName",
                                           "encodeURIComponent",
                                           "fetch",
                                           "given",
                                           "hashKey",
                                           "it",
                                           "one",
                                           "p",
                                           "page",
                                           "Pick",
                                           "process",
                                           "rangeKey",
                                           "t",
                                           "tableName",
                                           "setTimeout",
                                           "Infinity",
                                           "Partial",
                                           "Omit",
                                           "ReturnType",
                                           "NonNullable",
                                           "Required",
                                           "undefined",
                                           "AsyncGenerator",
                                           "AsyncIterable",
                                           "ProxyHandler",
                                           "Iterable"};
  for (const auto& [name, package] : kImports) names.insert(std::string(name));
  for (const std::string_view module :
       {kConnectionTs, kValuesTs, kFieldsTs, kEntitiesTs, kAggregatesTs, kOperationsTs, kServedTs}) {
    for (Declaration& one : declarations_of(module)) names.insert(std::move(one.name));
  }
  return names;
}

}  // namespace

std::string ts_module(const TsParts& parts) {
  const std::string connection = inlined(kConnectionTs);
  std::vector<Declaration> all = declarations_of(parts.names);
  const std::size_t names = all.size();
  std::ranges::move(declarations_of(parts.copies), std::back_inserter(all));
  for (const std::string_view module :
       {kValuesTs, kFieldsTs, kEntitiesTs, kAggregatesTs, kOperationsTs, kServedTs})
    std::ranges::move(declarations_of(inlined(module)), std::back_inserter(all));
  mark_used(connection + parts.body, all);
  const std::vector<Declaration> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(names));
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(names));
  const std::string code = "\n" + used_text(first) + "\n" + connection + parts.body + "\n" + used_text(all);
  return parts.top + imports_for(code) + code;
}

bool is_runtime_name(std::string_view name) {
  static const std::set<std::string, std::less<>> names = runtime_names();
  return names.contains(name);
}

}  // namespace tavola::workshop
