#include "cli/tables/status_command.h"

#include <memory>
#include <vector>

#include "cli/command/open_database.h"
#include "cli/output/command_output.h"
#include "json/reader.h"
#include "remote/remote_database.h"
#include "server/admin/governance_page.h"
#include "server/design_file.h"

namespace tavola::cli {
namespace {

// Returns the elements of a list; null if there is no such list.
const std::vector<json::Node>* list_at(const json::Node& node, std::string_view name) {
  const json::Node* const found = node.find(name);
  return found == nullptr || !found->is_list() ? nullptr : &found->elements;
}

std::string unchecked_text(const json::Node& unchecked, const std::string& table) {
  const std::string since = "items were brought in since " + unchecked.text_at("since");
  if (unchecked.text_at("checking") == "true")
    return since + ", and are being checked against the design, unless the server was stopped\n";
  return since +
         " and not checked against the design: a load or a copy is under way, or was interrupted; then "
         "repeat it, or run `tavola "
         "design adopt FILE` for the table " +
         table + "\n";
}

Result<std::string> status(const StatusOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  if (!options.endpoint.empty()) return governance_at(options.endpoint, design, options.enforce);
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = {}, .create = false}));
  return governance_in(*database, design, options.enforce);
}

}  // namespace

Result<std::string> governance_text(const std::string& json) {
  const auto root = json::parse(json);
  const auto* const stuck = root ? list_at(*root, "stuckItems") : nullptr;
  const auto* const broken = root ? list_at(*root, "broken") : nullptr;
  if (stuck == nullptr || broken == nullptr) {
    return fail(Error(ErrorCode::Io, "this is not the governance page of a Tavola server: " + json));
  }
  const std::string enforce = root->text_at("enforce");
  std::string text = root->text_at("design") + " on the table " + root->text_at("table") + ": " +
                     (enforce.empty() ? "not enforced; the table keeps no design" : enforce) + "\n";
  if (root->text_at("adopting") == "true") {
    text +=
        "the design takes over a table with items: until all are checked, violations are counted and not "
        "refused\n";
  }
  if (const json::Node* const unchecked = root->find("unchecked"); unchecked != nullptr)
    text += unchecked_text(*unchecked, root->text_at("table"));
  text += "stuck: " + root->text_at("stuck") + "\n";
  for (const json::Node& item : *stuck) {
    const json::Node* const fields = item.find("fields");
    const std::string shown =
        fields == nullptr ? "" : json.substr(fields->begin, fields->end - fields->begin);
    text += "  since " + item.text_at("since") + "  " + item.text_at("entity") + " " + shown + "\n";
  }
  text += "unfinished background work: " + root->text_at("unfinished") + "\n";
  text += "broken rules: " + std::to_string(broken->size()) + "\n";
  for (const json::Node& rule : *broken) {
    text += "  " + rule.text_at("writes") + " times: " + rule.text_at("rule") + "\n";
  }
  return text;
}

Result<std::string> governance_at(const std::string& endpoint, const design::Design& design,
                                  const std::string& enforce) {
  const remote::Target server = remote::from_environment(endpoint);
  const std::string path = server::governance_path(design.name);
  TAVOLA_TRY(const remote::HttpAnswer answer,
             enforce.empty() ? remote::get(server, path)
                             : remote::put(server, path, "{\"enforce\": \"" + enforce + "\"}"));
  if (answer.status == 200) return answer.body;
  return fail(Error(ErrorCode::Io, "the server at " + endpoint + " answered " +
                                       std::to_string(answer.status) +
                                       "; does it serve this design? Its response: " + answer.body));
}

Result<std::string> governance_in(Database& database, const design::Design& design,
                                  const std::string& enforce) {
  if (const auto wanted = server::enforcement_of(enforce)) {
    TAVOLA_CHECK(database.govern_table({.table_name = design.table.name, .enforcement = wanted}));
  }
  return server::governance_json(design, database);
}

Output run(const StatusOptions& options) {
  const Result<std::string> json = status(options);
  if (!json) return failed(json.error());
  if (options.format == "json") return {.out = *json + (json->ends_with('\n') ? "" : "\n"), .exit_code = 0};
  Result<std::string> text = governance_text(*json);
  if (!text) return failed(text.error());
  return {.out = *std::move(text), .exit_code = 0};
}

}  // namespace tavola::cli
