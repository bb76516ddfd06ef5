#include "cli/run_command.h"

#include <memory>

#include <tavola/database.h>

#include "cli/command/open_database.h"
#include "cli/design_arguments.h"
#include "cli/output/command_output.h"
#include "cli/output/entity_table.h"
#include "design/model/arguments.h"
#include "design/model/plain_json.h"
#include "runner/runner.h"
#include "server/design_file.h"
#include "server/designs.h"
#include "server/fixed_clock.h"
#include "server/v1/entity_json.h"

namespace tavola::cli {
namespace {

// Returns the secret that page tokens are signed with. At an endpoint it is the name of the design: only the caller sees the token.
Result<std::string> secret_for(const RunOptions& options, const design::Design& design) {
  if (options.endpoint.empty()) return server::page_secret(options.data);
  return "tavola run " + design.name;
}

Output shown(const RunOptions& options, const design::Pattern& pattern, const runner::Found& found) {
  const bool is_get = pattern.form == design::Pattern::Form::Get;
  if (is_get && found.entities.empty()) {
    return {.err = "tavola: not found: there is no such " + pattern.entity.text + "\n", .exit_code = kFailed};
  }
  if (options.format == "json") {
    return {.out =
                (is_get ? design::to_plain_json(found.entities.front().fields) : server::page_json(found)) +
                "\n"};
  }
  Output output;
  if (found.entities.empty()) {
    output.err = "No items found.\n";
  } else {
    output.out = entity_table(found.entities);
  }
  if (found.items_read) output.err += "Computed from " + std::to_string(*found.items_read) + " items.\n";
  if (found.missing > 0)
    output.err += std::to_string(found.missing) + " items that are referred to do not exist.\n";
  if (!found.next.empty()) output.err += "There are more items: --page " + found.next + "\n";
  return output;
}

Output shown(const RunOptions& options, const runner::Done& done) {
  const bool returns = done.entity != nullptr;
  if (options.format == "json") {
    return {.out = returns ? design::to_plain_json(done.fields) + "\n" : "null\n"};
  }
  std::string message = done.repeated ? "This was done before; nothing changed.\n" : "Done.\n";
  if (done.unfinished) {
    message =
        "Done. The items that named what was deleted are still being deleted or changed, as long as the "
        "database is open; `tavola design status` shows what is left.\n";
  }
  return {.out = returns ? entity_table({{.entity = done.entity, .fields = done.fields}}) : "",
          .err = std::move(message)};
}

Result<Output> run_on(const RunOptions& options, const Texts& texts, const runner::Runner& runner) {
  if (const design::Pattern* pattern = runner.design().find_pattern(options.name)) {
    TAVOLA_TRY(Item given, design::from_texts(pattern->parameters, texts));
    TAVOLA_TRY(
        const runner::Found found,
        runner.ask(*pattern, {.parameters = std::move(given), .limit = options.limit, .page = options.page}));
    return shown(options, *pattern, found);
  }
  const design::Operation& operation = *runner.design().find_operation(options.name);
  TAVOLA_TRY(const Item given, design::from_texts(operation.parameters, texts));
  if (options.endpoint.empty()) TAVOLA_CHECK(runner.prepare_table());
  TAVOLA_TRY(const runner::Done done, runner.perform(operation, given));
  return shown(options, done);
}

Result<Output> find_and_run(const RunOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  if (options.name.empty()) return without_name(design, "tavola run");
  TAVOLA_CHECK(check_name(design, options.name));
  TAVOLA_TRY(const Texts texts, read_arguments(options.arguments));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data,
                            .endpoint = options.endpoint,
                            .create = design.find_operation(options.name) != nullptr,
                            .mark = remote::Mark::None}));
  TAVOLA_TRY(std::string secret, secret_for(options, design));
  const runner::Runner runner(
      {.database = *database, .design = design, .clock = *clock, .secret = std::move(secret)});
  Result<Output> output = run_on(options, texts, runner);
  if (output || output.error().code() != ErrorCode::ResourceNotFound) return output;
  return fail(
      Error::resource_not_found("there is no table " + design.table.name + " in " +
                                (options.endpoint.empty() ? options.data : options.endpoint) +
                                "; create it with `tavola serve --design`, or name another with --table"));
}

}  // namespace

Output run(const RunOptions& options) {
  const Result<Output> output = find_and_run(options);
  return output ? *output : failed(output.error());
}

}  // namespace tavola::cli
