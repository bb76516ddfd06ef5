#include "wire/codec/request_tables.h"

#include <algorithm>

#include "wire/codec/json.h"

namespace tavola::wire {
namespace {

// A larger body is not parsed a second time.
constexpr std::size_t kParsedBytesMax = std::size_t{1} << 20U;

bool is_table_name(std::string_view text) {
  constexpr std::size_t kArnMax = 1024;
  return !text.empty() && text.size() <= kArnMax && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == ':' || c == '/';
  });
}

class Tables {
 public:
  void add(std::string_view name) {
    if (!is_table_name(name) || std::ranges::find(names_, name) != names_.end()) return;
    names_.emplace_back(name);
  }
  // {"TableName": "orders", …}
  void add_member(const JsonValue& object) {
    if (object.type() != JsonType::Object) return;
    const auto name = object.find("TableName");
    if (name && name->type() == JsonType::String) add(name->text());
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> tables_in(std::string_view body) {
  if (body.size() > kParsedBytesMax) return {};
  const auto document = JsonDocument::parse(body);
  if (!document || document->root().type() != JsonType::Object) return {};
  Tables tables;
  tables.add_member(document->root());
  const auto requests = document->root().find("RequestItems");  // of batches, by table
  if (requests && requests->type() == JsonType::Object) {
    for (const auto& [name, value] : requests->members()) tables.add(name);
  }
  const auto actions = document->root().find("TransactItems");  // [{"Put": {"TableName": …}}, …]
  if (actions && actions->type() == JsonType::List) {
    for (const JsonValue& action : actions->elements()) {
      if (action.type() != JsonType::Object) continue;
      for (const auto& [kind, parameters] : action.members()) tables.add_member(parameters);
    }
  }
  return tables.take();
}

// Values of items are objects ({"S": …}), so only the name of a table is a text behind this member.
std::string table_in_part(std::string_view body) {
  constexpr std::string_view kMember = R"("TableName")";
  const std::size_t at = body.find(kMember);
  if (at == std::string_view::npos || body.find(kMember, at + 1) != std::string_view::npos) return {};
  body.remove_prefix(at + kMember.size());
  const std::size_t quote = body.find_first_not_of(" \t\r\n:");
  if (quote == std::string_view::npos || body[quote] != '"') return {};
  body.remove_prefix(quote + 1);
  const std::string_view name = body.substr(0, body.find('"'));
  return is_table_name(name) && name.size() < body.size() ? std::string(name) : std::string();
}

}  // namespace tavola::wire
