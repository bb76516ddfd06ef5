#include "server/log/request_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "wire/codec/operations.h"
#include "wire/codec/request_tables.h"

namespace tavola::server {
namespace {

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

// "orders,customers"; of many the first ones.
std::string named_tables(std::string_view body) {
  const std::vector<std::string> names = wire::tables_in(body);
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kTablesMax); ++i) text += (i == 0 ? "" : ",") + names[i];
  return text + (names.size() > kTablesMax ? ",…" : "");
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
  const std::string tables = operation.empty() ? std::string() : named_tables(request.body);
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
