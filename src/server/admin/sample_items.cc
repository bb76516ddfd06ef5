#include "server/admin/sample_items.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <vector>

#include "database/as_is_database.h"
#include "design/items/entity_item.h"
#include "transfer/walk/put_items.h"
#include "workshop/sample/sample.h"

namespace tavola::server {
namespace {

constexpr std::size_t kItemsMax = 1'000'000;
constexpr std::chrono::seconds kCheckWaitMax{60};

Result<workshop::SampleOptions> sample_options(const std::string& size) {
  if (const auto named = workshop::parse_size(size)) return workshop::SampleOptions{.size = *named};
  std::size_t items = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), items);
  if (error != std::errc() || end != size.data() + size.size() || items == 0 || items > kItemsMax) {
    return fail(Error::validation("--sample must be small, medium, large or a number of items from 1 to " +
                                  std::to_string(kItemsMax) + " (was " + size + ")"));
  }
  return workshop::SampleOptions{.items = items};
}

Result<std::uint64_t> fill(const design::Design& design, const workshop::SampleOptions& options,
                           Database& database) {
  std::vector<PackedItem> items;
  TAVOLA_CHECK(workshop::sample(design, options,
                                [&](const design::Entity& entity, const Item& fields) -> Result<void> {
                                  TAVOLA_TRY(const Item item, design::to_item(design, entity, fields));
                                  TAVOLA_TRY(items.emplace_back(), pack(item));
                                  return {};
                                }));
  AsIsDatabase as_is(database);
  const transfer::Pause pause = transfer::sleep();
  return transfer::put_items({.database = as_is, .table_name = design.table.name, .pause = pause}, items,
                             [](const PackedItem&, const Error& error) { return fail(error); });
}

}  // namespace

Result<void> check_sample_size(const std::string& size) {
  if (!size.empty()) TAVOLA_CHECK(sample_options(size));
  return {};
}

Result<void> fill_with_samples(const DesignService& service, const std::string& size,
                               const SampleParts& parts) {
  if (size.empty()) return {};
  TAVOLA_TRY(workshop::SampleOptions options, sample_options(size));
  options.now = parts.clock.now();
  for (const design::Design& design : service.designs()) {
    TAVOLA_TRY(const DescribeTableResponse found,
               parts.database.describe_table({.table_name = design.table.name}));
    if (found.table.item_count > 0) {
      parts.log.info("the table has items, and gets no sample data", {{"table", design.table.name}});
      continue;
    }
    TAVOLA_TRY(const std::uint64_t items, fill(design, options, parts.database));
    parts.log.info("the table has sample data",
                   {{"table", design.table.name}, {"items", std::to_string(items)}});
    parts.adoptions.check(design);
  }
  parts.adoptions.wait(kCheckWaitMax);
  return {};
}

}  // namespace tavola::server
