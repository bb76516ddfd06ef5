#include "cli/status_command.h"

#include <memory>

#include "cli/spoken.h"
#include "cli/which_database.h"
#include "design/language/reading.h"
#include "design/model/plain_json.h"
#include "remote/remote_database.h"
#include "server/admin/governance_page.h"
#include "server/design_file.h"
#include "yaml/parse.h"

namespace tavola::cli {
namespace {

std::string text_at(const yaml::Node& node, std::string_view name) {
  const yaml::Node* found = node.find(name);
  return found == nullptr ? "" : found->text;
}

std::string as_text(const std::string& json) {
  const yaml::Document page = yaml::parse(json);
  const yaml::Node& root = page.root;
  const std::string enforce = text_at(root, "enforce");
  std::string text = text_at(root, "design") + " on the table " + text_at(root, "table") + ": " +
                     (enforce.empty() ? "not enforced; the table keeps no design" : enforce) + "\n";
  text += "stuck: " + text_at(root, "stuck") + "\n";
  for (const yaml::Node& item : root.find("stuckItems")->items) {
    text += "  since " + text_at(item, "since") + "  " + text_at(item, "entity") + " " +
            design::to_plain_json(design::plain_value(*item.find("fields"))) + "\n";
  }
  text += "unfinished background work: " + text_at(root, "unfinished") + "\n";
  text += "broken rules: " + std::to_string(root.find("broken")->items.size()) + "\n";
  for (const yaml::Node& rule : root.find("broken")->items) {
    text += "  " + text_at(rule, "writes") + " times: " + text_at(rule, "rule") + "\n";
  }
  return text;
}

Result<std::string> status(const StatusOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  if (!options.endpoint.empty()) return governance_at(options.endpoint, design, options.enforce);
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = {}, .create = false}));
  return governance_in(*database, design, options.enforce);
}

}  // namespace

Result<std::string> governance_at(const std::string& endpoint, const design::Design& design,
                                  const std::string& enforce) {
  const remote::Endpoint server = remote::from_environment(endpoint);
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
  return {.out = as_text(*json), .exit_code = 0};
}

}  // namespace tavola::cli
