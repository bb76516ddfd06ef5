#include "server/admin/migration_page.h"

#include <array>
#include <charconv>

#include "json/reader.h"
#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

using Action = MigrateTableRequest::Action;

constexpr std::string_view kMigrationsPath = "/admin/migrations/";

constexpr std::array<std::pair<std::string_view, Action>, 5> kActions{{{"start", Action::Start},
                                                                       {"status", Action::Describe},
                                                                       {"verify", Action::Verify},
                                                                       {"finish", Action::Finish},
                                                                       {"abort", Action::Abort}}};

// The texts of a request besides its action, by the names in JSON.
constexpr std::array<std::pair<std::string_view, std::string MigrateTableRequest::*>, 7> kTexts{
    {{"newTable", &MigrateTableRequest::new_table_name},
     {"from", &MigrateTableRequest::from},
     {"design", &MigrateTableRequest::design},
     {"file", &MigrateTableRequest::file_name},
     {"oldDesign", &MigrateTableRequest::old_design},
     {"oldFile", &MigrateTableRequest::old_file_name},
     {"after", &MigrateTableRequest::after}}};

constexpr std::array<std::pair<std::string_view, std::string MigrateTableResponse::*>, 5> kAnswers{
    {{"oldTable", &MigrateTableResponse::old_table},
     {"newTable", &MigrateTableResponse::new_table},
     {"from", &MigrateTableResponse::from},
     {"to", &MigrateTableResponse::to},
     {"next", &MigrateTableResponse::next}}};

std::string text_at(const json::Node& node, std::string_view name) {
  const json::Node* const found = node.find(name);
  return found == nullptr ? std::string() : found->text;
}

std::int64_t integer_at(const json::Node& node, std::string_view name) {
  const std::string text = text_at(node, name);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool flag_at(const json::Node& node, std::string_view name) {
  const json::Node* const found = node.find(name);
  return found != nullptr && found->kind == json::Node::Kind::Boolean && found->text == "true";
}

Result<MigrateTableResponse> done(const http::Request& request, Database& database) {
  const std::string_view table = table_of_migration_path(request.path);
  if (request.method != "PUT") return database.migrate_table({.table_name = std::string(table)});
  TAVOLA_TRY(const MigrateTableRequest wanted, parse_migration_request(table, request.body));
  return database.migrate_table(wanted);
}

}  // namespace

std::string_view table_of_migration_path(std::string_view path) {
  return path.starts_with(kMigrationsPath) ? path.substr(kMigrationsPath.size()) : std::string_view();
}

std::string migration_path(std::string_view table) {
  return std::string(kMigrationsPath) + std::string(table);
}

std::optional<Action> migration_action(std::string_view word) {
  for (const auto& [name, action] : kActions) {
    if (name == word) return action;
  }
  return std::nullopt;
}

http::Response migration_page(const http::Request& request, Database& database) {
  if (request.method != "PUT" && request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD, PUT", "GET returns the progress of the migration, PUT performs a step");
  }
  const Result<MigrateTableResponse> response = done(request, database);
  if (!response) return to_response(problem_of(response.error()));
  return {.status = 200, .content_type = "application/json", .body = to_json(*response) + "\n"};
}

std::string to_json(const MigrateTableRequest& request) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  for (const auto& [name, action] : kActions) {
    if (action == request.action) out.name("action").text(name);
  }
  for (const auto& [name, member] : kTexts) {
    if (!(request.*member).empty()) out.name(name).text(request.*member);
  }
  out.end_object();
  return json;
}

Result<MigrateTableRequest> parse_migration_request(std::string_view table, std::string_view body) {
  TAVOLA_TRY(const json::Node root, read_admin_body(body, R"({"action": "verify"})"));
  MigrateTableRequest request{.table_name = std::string(table)};
  const std::optional<Action> action = migration_action(text_at(root, "action"));
  if (!action) {
    return fail(
        Error::validation("action must be \"start\", \"status\", \"verify\", \"finish\" or \"abort\""));
  }
  request.action = *action;
  for (const auto& [given, value] : root.members) {
    if (given == "action") continue;
    bool is_known = false;
    for (const auto& [name, member] : kTexts) {
      if (given != name) continue;
      if (!value.is_text()) return fail(Error::validation(std::string(name) + " must be a text"));
      request.*member = value.text;
      is_known = true;
    }
    if (!is_known) return fail(Error::validation("there is no parameter " + given));
  }
  return request;
}

std::string to_json(const MigrateTableResponse& response) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  for (const auto& [name, member] : kAnswers) {
    if (!(response.*member).empty()) out.name(name).text(response.*member);
  }
  out.name("copying").boolean(response.copying);
  out.name("stopped").boolean(response.stopped);
  out.name("copied").integer(static_cast<std::int64_t>(response.items_copied));
  out.name("checked").integer(static_cast<std::int64_t>(response.items_checked));
  out.name("items").integer(response.items);
  out.name("newItems").integer(response.new_items);
  out.name("differences").integer(static_cast<std::int64_t>(response.differences));
  out.name("samples").begin_list();
  for (const MigrationDifference& one : response.samples) {
    out.begin_object();
    out.name("key").text(one.key);
    out.name("why").text(one.why);
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return json;
}

Result<MigrateTableResponse> parse_migration_response(std::string_view body) {
  const auto root = json::parse(body);
  if (!root || root->find("copying") == nullptr || root->find("samples") == nullptr) {
    return fail(
        Error(ErrorCode::Io, "the server's response is not that of a migration page: " + std::string(body)));
  }
  MigrateTableResponse response;
  for (const auto& [name, member] : kAnswers) response.*member = text_at(*root, name);
  response.copying = flag_at(*root, "copying");
  response.stopped = flag_at(*root, "stopped");
  response.items_copied = static_cast<std::uint64_t>(integer_at(*root, "copied"));
  response.items_checked = static_cast<std::uint64_t>(integer_at(*root, "checked"));
  response.items = integer_at(*root, "items");
  response.new_items = integer_at(*root, "newItems");
  response.differences = static_cast<std::uint64_t>(integer_at(*root, "differences"));
  for (const json::Node& one : root->find("samples")->elements)
    response.samples.push_back({text_at(one, "key"), text_at(one, "why")});
  return response;
}

}  // namespace tavola::server
