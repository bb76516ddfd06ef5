// The commands on designs that are about data: samples, and drafts from tables.
#include <tavola/database.h>

#include "cli/command/open_database.h"
#include "cli/design_arguments.h"
#include "cli/design_commands.h"
#include "cli/output/command_output.h"
#include "design/items/entity_item.h"
#include "design/model/plain_json.h"
#include "server/design_file.h"
#include "workshop/exchange/infer.h"
#include "workshop/sample/sample.h"

namespace tavola::cli {
namespace {

// One line: {"entity": "Product", "fields": {…}}
std::string entity_line(const design::Entity& entity, const Item& fields) {
  std::string line;
  json::Writer json(line);
  json.begin_object();
  json.name("entity").text(entity.name);
  json.name("fields");
  design::write_plain(json, Value(fields));
  json.end_object();
  return line + "\n";
}

// Enough to see every kind of item, and not so many that a large table takes long.
constexpr std::size_t kLookedAtMax = 100'000;

Result<std::vector<Item>> look_at(Database& database, const std::string& table) {
  std::vector<Item> items;
  ScanRequest request{.table_name = table};
  do {
    TAVOLA_TRY(ScanResponse page, database.scan(request));
    for (const PackedItem& item : page.items) items.push_back(item.unpack());
    request.exclusive_start_key = std::move(page.last_evaluated_key);
  } while (request.exclusive_start_key && items.size() < kLookedAtMax);
  return items;
}

Result<std::string> inferred(const InferOptions& options) {
  if (options.data.empty() == options.endpoint.empty()) {
    return fail(bad_parameter("data", "give --data or --endpoint: where the table is"));
  }
  TAVOLA_TRY(const std::unique_ptr<Database> database,
             open_database({.data = options.data, .endpoint = options.endpoint, .create = false}));
  TAVOLA_TRY(const DescribeTableResponse described, database->describe_table({.table_name = options.table}));
  TAVOLA_TRY(const std::vector<Item> items, look_at(*database, options.table));
  return workshop::infer(described.table, items);
}

// Samples lie before this moment, whenever they are made: the same seed gives the same data.
constexpr WallTime kSampleTime{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};

}  // namespace

Output run(const SampleOptions& options) {
  const Result<design::Design> design = server::runnable_design(options.file);
  if (!design) return failed(design.error());
  Output output;
  const auto sink = [&](const design::Entity& entity, const Item& fields) -> Result<void> {
    if (options.format == "entities") {
      output.out += entity_line(entity, fields);
      return {};
    }
    TAVOLA_TRY(const Item item, design::to_item(*design, entity, fields));
    output.out += to_json(item) + "\n";
    return {};
  };
  const workshop::SampleOptions wanted{
      .size = workshop::parse_size(options.size).value_or(workshop::Size::Small),
      .seed = options.seed,
      .now = kSampleTime};
  const Result<void> made = workshop::sample(*design, wanted, sink);
  return made ? output : failed(made.error());
}

Output run(const InferOptions& options) {
  Result<std::string> text = inferred(options);
  return text ? Output{.out = *std::move(text)} : failed(text.error());
}

}  // namespace tavola::cli
