#include <tavola/design.h>

#include "design/load.h"
#include "design/model/arguments.h"
#include "design/model/nearest.h"
#include "design/model/refusal.h"
#include "design/requests/operation_plan.h"
#include "runner/runner.h"

namespace tavola {
namespace {

// Formats "file:line:column: problem. Advice."
std::string line_of(const design::Diagnostic& diagnostic) {
  std::string line = diagnostic.file + ":" + std::to_string(diagnostic.span.begin.line) + ":" +
                     std::to_string(diagnostic.span.begin.column) + ": " + diagnostic.message;
  if (!diagnostic.advice.empty()) line += " " + diagnostic.advice;
  return line;
}

Error wrong_design(const std::vector<design::Diagnostic>& diagnostics) {
  std::string message;
  for (const design::Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != design::Severity::Error) continue;
    message += (message.empty() ? "" : "\n") + line_of(diagnostic);
  }
  return Error::validation(std::move(message));
}

// "the design music has no pattern songs; did you mean song?"
template <class Part>
Error unknown(const design::Design& design, std::string_view kind, std::string_view name,
              const std::vector<Part>& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(part.name);
  std::string message =
      "the design " + design.name + " has no " + std::string(kind) + " " + std::string(name);
  if (const std::string near = design::nearest(name, names); !near.empty()) {
    message += "; did you mean " + near + "?";
  }
  return Error::validation(std::move(message));
}

NamedEntity named(const design::Entity& entity, Item fields) { return {entity.name, std::move(fields)}; }

}  // namespace

struct RunningDesign::Parts {
  Parts(Database& database, design::Design loaded, std::string secret)
      : design(std::move(loaded)),
        runner({.database = database, .design = design, .secret = std::move(secret)}) {}

  design::Design design;
  runner::Runner runner;
};

Result<RunningDesign> RunningDesign::open(Database& database, std::string_view design,
                                          const RunningDesignOptions& options) {
  design::Loaded loaded = design::load(design, options.file_name);
  if (!loaded.design) return fail(wrong_design(loaded.diagnostics));
  if (!options.table_name.empty()) loaded.design->table.name = options.table_name;
  return RunningDesign(std::make_shared<const Parts>(database, *std::move(loaded.design), options.secret));
}

Result<std::vector<std::string>> RunningDesign::prepare_table() { return parts_->runner.prepare_table(); }

RunningDesign RunningDesign::as(Caller caller) const {
  return RunningDesign(parts_, std::make_shared<const Caller>(std::move(caller)));
}

Result<EntityPage> RunningDesign::ask(std::string_view pattern, const Item& parameters,
                                      const PageOptions& options) const {
  const design::Design& design = parts_->design;
  const design::Pattern* found = design.find_pattern(pattern);
  if (found == nullptr) return fail(unknown(design, "pattern", pattern, design.patterns));
  TAVOLA_TRY(runner::Found page,
             parts_->runner.as(caller_).ask(
                 *found, {.parameters = parameters, .limit = options.limit, .page = options.page}));
  EntityPage result{.entities = {},
                    .next = std::move(page.next),
                    .read_units = page.read_units,
                    .items_read = page.items_read.value_or(0),
                    .missing = page.missing};
  for (runner::Found::One& one : page.entities) {
    result.entities.push_back(named(*one.entity, std::move(one.fields)));
  }
  return result;
}

Result<PerformedOperation> RunningDesign::perform(std::string_view operation, const Item& parameters) const {
  const design::Design& design = parts_->design;
  const design::Operation* found = design.find_operation(operation);
  if (found == nullptr) return fail(unknown(design, "operation", operation, design.operations));
  TAVOLA_TRY(runner::Done done, parts_->runner.as(caller_).perform(*found, parameters));
  PerformedOperation result{.returned = {},
                            .repeated = done.repeated,
                            .write_units = done.write_units,
                            .unfinished = done.unfinished};
  if (done.entity != nullptr) result.returned = named(*done.entity, std::move(done.fields));
  return result;
}

const std::string* refusal_of(const Error& error) {
  if (const auto* refusal = error.detail<design::Refusal>()) return &refusal->name;
  const auto* violation = error.detail<design::Violation>();
  return violation == nullptr ? nullptr : &violation->name;
}

const std::string* bad_parameter_of(const Error& error) {
  const auto* parameter = error.detail<design::BadParameter>();
  return parameter == nullptr ? nullptr : &parameter->name;
}

}  // namespace tavola
