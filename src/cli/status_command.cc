#include "cli/status_command.h"

#include <memory>

#include "api/governance_page.h"
#include "cli/design_file.h"
#include "cli/spoken.h"
#include "cli/which_database.h"
#include "design/plain_json.h"
#include "design/reading.h"
#include "upstream/upstream.h"
#include "yaml/parse.h"

namespace tavola::cli {
namespace {

// What the server says on its page about the design.
Result<std::string> ask_server(const StatusOptions& options, const design::Design& design) {
  const upstream::Endpoint endpoint = upstream::from_environment(options.endpoint);
  const std::string path = api::governance_path(design.name);
  TAVOLA_TRY(const upstream::HttpAnswer answer,
             options.enforce.empty()
                 ? upstream::get(endpoint, path)
                 : upstream::put(endpoint, path, "{\"enforce\": \"" + options.enforce + "\"}"));
  if (answer.status == 200) return answer.body;
  return fail(Error(ErrorCode::Io, "the server at " + options.endpoint + " answered " +
                                       std::to_string(answer.status) +
                                       "; is it a Tavola that serves this design? It said: " + answer.body));
}

Result<std::string> ask_directory(const StatusOptions& options, const design::Design& design) {
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = {}, .create = false}));
  if (const auto wanted = api::enforcement_of(options.enforce)) {
    TAVOLA_CHECK(database->govern_table({.table_name = design.table.name, .enforcement = wanted}));
  }
  return api::governance_json(design, *database);
}

std::string text_at(const yaml::Node& node, std::string_view name) {
  const yaml::Node* found = node.find(name);
  return found == nullptr ? "" : found->text;
}

std::string as_text(const std::string& json) {
  const yaml::Document page = yaml::parse(json);
  const yaml::Node& root = page.root;
  const std::string enforce = text_at(root, "enforce");
  std::string text = text_at(root, "design") + " on the table " + text_at(root, "table") + ": " +
                     (enforce.empty() ? "not kept; the table has no design" : enforce) + "\n";
  text += "stuck: " + text_at(root, "stuck") + "\n";
  for (const yaml::Node& item : root.find("stuckItems")->items) {
    text += "  since " + text_at(item, "since") + "  " + text_at(item, "entity") + " " +
            design::to_plain_json(design::plain_value(*item.find("fields"))) + "\n";
  }
  text += "left to do in the background: " + text_at(root, "unfinished") + "\n";
  text += "broken rules: " + std::to_string(root.find("broken")->items.size()) + "\n";
  for (const yaml::Node& rule : root.find("broken")->items) {
    text += "  " + text_at(rule, "writes") + " times: " + text_at(rule, "rule") + "\n";
  }
  return text;
}

Result<std::string> status(const StatusOptions& options) {
  TAVOLA_TRY(const design::Design design, runnable_design(options.file, options.table));
  return options.endpoint.empty() ? ask_directory(options, design) : ask_server(options, design);
}

}  // namespace

Output run(const StatusOptions& options) {
  const Result<std::string> json = status(options);
  if (!json) return failed(json.error());
  if (options.format == "json") return {.out = *json + (json->ends_with('\n') ? "" : "\n"), .exit_code = 0};
  return {.out = as_text(*json), .exit_code = 0};
}

}  // namespace tavola::cli
