// `tavola design explain`.
#include <span>

#include "base/random.h"
#include "cli/design_arguments.h"
#include "cli/design_commands.h"
#include "cli/output/command_output.h"
#include "design/model/arguments.h"
#include "server/design_file.h"
#include "server/fixed_clock.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/json.h"
#include "workshop/cost/explain.h"
#include "workshop/texts/indented_json.h"

namespace tavola::cli {
namespace {

Error not_found_items(const std::string& file) {
  return Error::validation(file + " must be a JSON list with, for each read, the list of the items it found");
}

// [[{"PK": {"S": "SHOP#s1"}, …}], []]: what each read found, as DynamoDB has it.
Result<design::ReadItems> read_found(const std::string& file) {
  TAVOLA_TRY(const std::string text, server::read_text(file));
  TAVOLA_TRY(const wire::JsonDocument document, wire::JsonDocument::parse(text));
  if (document.root().type() != wire::JsonType::List) return fail(not_found_items(file));
  wire::Problems problems;
  design::ReadItems found;
  for (const wire::JsonValue& of_read : document.root().elements()) {
    if (of_read.type() != wire::JsonType::List) return fail(not_found_items(file));
    std::vector<Item>& items = found.emplace_back();
    for (const wire::JsonValue& item : of_read.elements()) {
      if (item.type() != wire::JsonType::Object) return fail(not_found_items(file));
      items.push_back(wire::read_item(item, problems).unpack());
    }
  }
  TAVOLA_CHECK(problems.check());
  return found;
}

std::string readable(const std::string& json) { return workshop::indented(json) + "\n"; }

std::string text_of(const workshop::Sent& sent) { return sent.operation + "\n" + readable(sent.request); }

// Describes the effect of a write, for people.
std::string text_of(const workshop::ExplainedWrites& writes) {
  if (!writes.unread.empty()) {
    std::string out;
    for (const workshop::Sent& sent : writes.unread) out += text_of(sent);
    return out + "The writes also depend on the results of these reads: add them to --found.\n";
  }
  if (!writes.sent) return "The operation writes nothing.\n";
  std::string out = text_of(*writes.sent);
  for (const auto& [action, cause] : writes.causes) {
    if (!cause.name.empty()) {
      out += "action " + std::to_string(action + 1) + ": refused as " + cause.name + " unless " +
             cause.condition + "\n";
    }
  }
  return out;
}

Result<Output> explain_operation(const ExplainOptions& options, const design::Design& design,
                                 const design::Operation& operation) {
  const bool as_json = options.format == "json";
  if (options.arguments.empty() && options.found.empty()) {
    return Output{.out = as_json ? readable(workshop::to_json(design, operation))
                                 : workshop::to_text(design, operation)};
  }
  TAVOLA_TRY(const Texts texts, read_arguments(options.arguments));
  TAVOLA_TRY(const Item given, design::from_texts(operation.parameters, texts));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  const design::Ambient ambient{.now = clock->now(), .random = &Random::system()};
  if (options.found.empty()) {
    TAVOLA_TRY(const std::vector<workshop::Sent> reads,
               workshop::explain_reads(design, operation, given, ambient));
    if (as_json) return Output{.out = readable(workshop::to_json(reads))};
    std::string out;
    for (const workshop::Sent& sent : reads) out += text_of(sent);
    if (!reads.empty()) {
      return Output{.out =
                        out + "The writes depend on the results of these reads: give them with --found.\n"};
    }
  }
  design::ReadItems found;
  if (!options.found.empty()) {
    TAVOLA_TRY(found, read_found(options.found));
  }
  TAVOLA_TRY(const workshop::ExplainedWrites writes,
             workshop::explain_writes(design, operation, given, ambient, found));
  return Output{.out = as_json ? readable(workshop::to_json(writes)) : text_of(writes)};
}

Result<Output> explain_pattern(const ExplainOptions& options, const design::Design& design,
                               const design::Pattern& pattern) {
  TAVOLA_TRY(const Texts texts, read_arguments(options.arguments));
  TAVOLA_TRY(const Item given, design::from_texts(pattern.parameters, texts));
  TAVOLA_TRY(const std::shared_ptr<const Clock> clock, server::clock_of(options.clock));
  TAVOLA_TRY(const workshop::Explanation explained, workshop::explain(design, pattern, given, clock->now()));
  return Output{.out = options.format == "json" ? readable(workshop::to_json(explained))
                                                : workshop::to_text(explained)};
}

Result<Output> explain_upstream(const ExplainOptions& options, const design::Design& design,
                                std::span<const design::Operation> operations) {
  TAVOLA_TRY(const workshop::Prices prices, workshop::parse_prices(workshop::standard_prices()));
  return Output{.out = options.format == "json"
                           ? readable(workshop::upstream_json(design, operations, prices))
                           : workshop::upstream_text(design, operations, prices)};
}

Result<Output> explained(const ExplainOptions& options) {
  TAVOLA_TRY(const design::Design design, server::runnable_design(options.file, options.table));
  if (options.name.empty() && options.upstream) return explain_upstream(options, design, design.operations);
  if (options.name.empty()) return without_name(design, "tavola design explain");
  TAVOLA_CHECK(check_name(design, options.name));
  if (const design::Pattern* pattern = design.find_pattern(options.name)) {
    if (options.upstream)
      return fail(Error::validation(options.name +
                                    " only reads, which costs the same through a server with --upstream"));
    return explain_pattern(options, design, *pattern);
  }
  const design::Operation& operation = *design.find_operation(options.name);
  if (options.upstream) return explain_upstream(options, design, std::span(&operation, 1));
  return explain_operation(options, design, operation);
}

}  // namespace

Output run(const ExplainOptions& options) {
  const Result<Output> output = explained(options);
  return output ? *output : failed(output.error());
}

}  // namespace tavola::cli
