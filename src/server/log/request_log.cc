#include "server/log/request_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "wire/codec/json.h"
#include "wire/codec/operations.h"

namespace tavola::server {
namespace {

// A larger body is not parsed a second time, and its tables are not logged.
constexpr std::size_t kParsedBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kPathBytesMax = 200;
constexpr std::size_t kTablesMax = 5;

// "PutItem" of "DynamoDB_20120810.PutItem"; empty if it is not an operation.
std::string_view operation_of(const http::Request& request) {
  const std::string_view target = request.header("x-amz-target");
  const std::string_view name =
      target.substr(target.find('.') == std::string_view::npos ? 0 : target.find('.') + 1);
  const auto operations = wire::all_operations();
  const auto found = std::ranges::find(operations, name, &wire::KnownOperation::name);
  return found == operations.end() ? std::string_view() : found->name;
}

// A client may send anything in the place of a name, a value by mistake included: only names are logged.
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
  void add_member(const wire::JsonValue& object) {
    if (object.type() != wire::JsonType::Object) return;
    const auto name = object.find("TableName");
    if (name && name->type() == wire::JsonType::String) add(name->text());
  }
  // "orders,customers"; of many the first ones.
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < std::min(names_.size(), kTablesMax); ++i)
      text += (i == 0 ? "" : ",") + names_[i];
    return text + (names_.size() > kTablesMax ? ",…" : "");
  }

 private:
  std::vector<std::string> names_;
};

std::string tables_in(std::string_view body) {
  if (body.size() > kParsedBytesMax) return {};
  const auto document = wire::JsonDocument::parse(body);
  if (!document || document->root().type() != wire::JsonType::Object) return {};
  Tables tables;
  tables.add_member(document->root());
  const auto requests = document->root().find("RequestItems");  // of batches, by table
  if (requests && requests->type() == wire::JsonType::Object) {
    for (const auto& [name, value] : requests->members()) tables.add(name);
  }
  const auto actions = document->root().find("TransactItems");  // [{"Put": {"TableName": …}}, …]
  if (actions && actions->type() == wire::JsonType::List) {
    for (const wire::JsonValue& action : actions->elements()) {
      if (action.type() != wire::JsonType::Object) continue;
      for (const auto& [kind, parameters] : action.members()) tables.add_member(parameters);
    }
  }
  return tables.text();
}

// The text between `before` and `end`; empty if it is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view end) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(end));
}

// "ValidationException" of an operation, or the type of a problem under /v1.
std::string_view error_of(const http::Response& response) {
  if (response.status < 400) return {};
  std::string_view type = between(response.body, R"("__type":")", "\"");
  if (type.empty()) type = between(response.body, R"("type":")", "\"");
  return type.substr(type.find_last_of("#:/") == std::string_view::npos ? 0 : type.find_last_of("#:/") + 1);
}

std::string milliseconds(std::chrono::steady_clock::duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f",
                std::chrono::duration<double, std::milli>(duration).count());
  return text.data();
}

}  // namespace

void log_request(Log& log, const http::AnsweredRequest& answered) {
  const auto& [request, response, duration] = answered;
  const std::string_view operation = request.method == "POST" ? operation_of(request) : std::string_view();
  const bool is_read = !request.method.empty();
  const std::string path =
      is_read ? std::string(request.method) + " " + std::string(request.path.substr(0, kPathBytesMax)) : "-";
  const std::string tables = operation.empty() ? std::string() : tables_in(request.body);
  const std::string status = std::to_string(response.status);
  const std::string time = milliseconds(duration);
  const std::string received = std::to_string(request.payload.size());
  const std::string sent = std::to_string(response.body.size());
  std::vector<LogField> fields{operation.empty() ? LogField{"path", path} : LogField{"operation", operation}};
  if (!tables.empty()) fields.emplace_back("table", tables);
  fields.emplace_back("status", status);
  if (const std::string_view error = error_of(response); !error.empty()) fields.emplace_back("error", error);
  fields.insert(fields.end(), {{"ms", time}, {"received", received}, {"sent", sent}});
  if (const auto id = between(response.headers, "x-amzn-RequestId: ", "\r"); !id.empty())
    fields.emplace_back("id", id);
  log.info("request", LogFields(fields));
}

}  // namespace tavola::server
