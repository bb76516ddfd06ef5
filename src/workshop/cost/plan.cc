#include "workshop/cost/plan.h"

#include <algorithm>

#include "design/requests/pattern_request.h"
#include "value/limits.h"
#include "workshop/cost/estimate.h"

namespace tavola::workshop {
namespace {

using design::CapacitySize;
using design::Design;
using design::Entity;
using design::Pattern;

constexpr std::int64_t kDaysOfMonth = 30;
constexpr std::int64_t kHoursOfMonth = 24 * kDaysOfMonth;
// The busiest hour has a tenth of a day's units, spread over its 3600 seconds; utilization is 70 %.
constexpr std::int64_t kUnitsOfDayByPeakUnit = 10 * 3600 * 7 / 10;
// The requests that a capacity unit serves in an hour, at a utilization of 70 %.
constexpr std::int64_t kUnitsByUnitHour = 3600 * 7 / 10;
constexpr std::int64_t kQueryItems = 20;
constexpr std::int64_t kSlice = 10;
constexpr std::int64_t kOwnBytes = 100;  // Developer Guide, "DynamoDB item sizes and formats"

// ---- Numbers ----

Number number_of(Units units) {
  return Number::from_parts(false, static_cast<Number::Digits>(units.halves) * 5, -1);
}

// Returns the quotient, rounded up.
Result<std::int64_t> divided_up(const Number& number, std::int64_t by) {
  const std::string text = number.to_string();
  const std::size_t point = text.find('.');
  TAVOLA_TRY(const Number whole, Number::parse(text.substr(0, point)));
  const auto count = whole.to_int64();
  if (!count) return fail(Error::validation("a number of the capacity is too large: " + text));
  const std::int64_t rest = (*count % by != 0 || point != std::string::npos) ? 1 : 0;
  return *count / by + rest;
}

Result<Number> product(const Number& a, const Number& b, const Number& c) {
  TAVOLA_TRY(const Number first, a* b);
  return first * c;
}

// ---- How many items a query reads ----

Number count_of(const CapacitySize& size, std::string_view entity) {
  for (const auto& [name, count] : size.items) {
    if (name.text == entity) return count;
  }
  return {};
}

// Returns the entity with one item for each partition: its key has the fields of the partition key.
const Entity* partition_of(const Design& design, const Pattern& pattern) {
  if (!pattern.hash) return nullptr;
  std::vector<std::string> fields = pattern.hash->fields();
  std::ranges::sort(fields);
  for (const Entity& entity : design.entities) {
    std::vector<std::string> key = entity.key_fields();
    std::ranges::sort(key);
    if (key == fields && entity.name != pattern.entity.text) return &entity;
  }
  return nullptr;
}

bool is_slice(const Design& design, const Pattern& pattern) {
  const bool is_bounded = pattern.range && (!pattern.range->first.is_literal() ||
                                            (pattern.range->second && !pattern.range->second->is_literal()));
  const Entity* const entity = design.find_entity(pattern.entity.text);
  const design::IndexEntry* const entry = entity == nullptr ? nullptr : entity->find_index(pattern.via.text);
  return is_bounded || (entry != nullptr && entry->when);
}

// The items that one run of a pattern reads.
struct ListRead {
  std::int64_t items = 1;
  std::int64_t pages = 1;
};

Result<ListRead> list_read(const Design& design, const CapacitySize& size, const Pattern& pattern) {
  if (pattern.form != Pattern::Form::Query || !pattern.hash) return ListRead{};
  TAVOLA_TRY(std::int64_t items, divided_up(count_of(size, pattern.entity.text), 1));
  const Entity* const partition = partition_of(design, pattern);
  TAVOLA_TRY(const std::int64_t partitions,
             divided_up(partition == nullptr ? Number() : count_of(size, partition->name), 1));
  items = partitions > 0 ? items / partitions : std::min(items, kQueryItems);
  if (is_slice(design, pattern)) items /= kSlice;
  items = std::max<std::int64_t>(1, items);
  const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(1, bytes_read(design, pattern)));
  const std::int64_t on_page =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(limits::kPageBytesMax) / bytes);
  if (pattern.limit) return ListRead{.items = std::min({items, on_page, *pattern.limit})};
  return ListRead{.items = items, .pages = (items + on_page - 1) / on_page};
}

// ---- Storage ----

// Returns the size of an item of the entity and its entries.
std::int64_t stored_bytes(const Design& design, const Entity& entity) {
  auto bytes = static_cast<std::int64_t>(item_bytes(design, entity)) + kOwnBytes;
  for (const design::Index& index : design.indexes) {
    const design::IndexEntry* const entry = entity.find_index(index.name);
    if (entry == nullptr) continue;
    const auto own = static_cast<std::int64_t>(entry_bytes(design, entity, index)) + kOwnBytes;
    bytes += entry->when ? own / kSlice : own;
  }
  return bytes;
}

// ---- Internal records ----

struct InternalRecords {
  Number count;
  Number bytes;

  Result<void> add(const Number& records, std::size_t bytes_of_each) {
    TAVOLA_TRY(const Number more, records* Number(static_cast<std::int64_t>(bytes_of_each) + kOwnBytes));
    TAVOLA_TRY(bytes, bytes + more);
    TAVOLA_TRY(count, count + records);
    return {};
  }
};

Result<InternalRecords> internal_records(const Design& design, const CapacitySize& size) {
  InternalRecords records;
  for (const Entity& entity : design.entities) {
    for (const design::Attribute& field : entity.fields) {
      if (field.unique) TAVOLA_CHECK(records.add(count_of(size, entity.name), kGuardBytes));
    }
  }
  for (const design::Operation& operation : design.operations) {
    if (operation.idempotent_by.empty()) continue;
    Number most;
    for (const design::Step& step : operation.steps) {
      if (step.kind == design::Step::Kind::Put) most = std::max(most, count_of(size, step.entity.text));
    }
    TAVOLA_CHECK(records.add(most, kOnceBytes));
  }
  return records;
}

Result<Number> stored_bytes(const Design& design, const CapacitySize& size) {
  Number all;
  for (const auto& [name, count] : size.items) {
    const Entity* const entity = design.find_entity(name.text);
    if (entity == nullptr) continue;
    TAVOLA_TRY(const Number bytes, count* Number(stored_bytes(design, *entity)));
    TAVOLA_TRY(all, all + bytes);
  }
  return all;
}

// ---- Loads ----

// Adds the units and the pages of one part of a pattern.
Result<Number> units_of(const Design& design, const SizePlan& plan, const CapacitySize& size,
                        const Pattern& part, std::int64_t& pages) {
  if (part.form == Pattern::Form::Scan) {
    TAVOLA_TRY(const std::int64_t blocks, divided_up(plan.stored_bytes, 4096));
    return Number::from_parts(false, static_cast<Number::Digits>(blocks) * (part.consistent ? 10 : 5), -1);
  }
  TAVOLA_TRY(const ListRead list, list_read(design, size, part));
  pages += list.pages;
  return number_of(units_to_read(design, part, list.items));
}

Result<DailyLoad> load_of(const Design& design, const SizePlan& plan, const CapacitySize& size,
                          const std::pair<design::Word, Number>& daily) {
  DailyLoad load{.name = daily.first.text, .times = daily.second, .read_units = {}, .write_units = {}};
  Number reads;
  Number writes;
  if (const Pattern* pattern = design.find_pattern(load.name)) {
    std::int64_t pages = 0;
    for (const Pattern* part : design::parts_of(design, *pattern)) {
      TAVOLA_TRY(const Number units, units_of(design, plan, size, *part, pages));
      TAVOLA_TRY(reads, reads + units);
    }
    load.pages = std::max<std::int64_t>(1, pages);
  } else if (const design::Operation* operation = design.find_operation(load.name)) {
    const OperationEstimate cost = estimate(design, *operation);
    reads = number_of(cost.read_units);
    writes = number_of(cost.write_units);
  }
  TAVOLA_TRY(load.read_units, reads * load.times);
  TAVOLA_TRY(load.write_units, writes * load.times);
  return load;
}

// ---- Money ----

// Returns the smallest capacity that can be provisioned: one unit for the table and for each global index.
std::int64_t capacity_min(const Design& design) {
  return 1 + std::ranges::count(design.indexes, false, &design::Index::local);
}

// Returns the cost of a month with auto scaling: the units of each hour, but at least `units_min`.
Result<Number> scaled_cost(const Number& units_of_day, std::int64_t units_min, const Number& unit_hour) {
  TAVOLA_TRY(const std::int64_t unit_hours, divided_up(units_of_day, kUnitsByUnitHour));
  return product(Number(std::max<std::int64_t>(24 * units_min, unit_hours)), kDaysOfMonth, unit_hour);
}

Result<void> add_costs(SizePlan& plan, std::int64_t units_min, const Prices& prices) {
  const Number millionth = Number::from_parts(false, 1, -6);
  const Number billionth = Number::from_parts(false, 1, -9);
  TAVOLA_TRY(plan.storage, product(plan.stored_bytes, prices.storage_gb_month, billionth));
  TAVOLA_TRY(const Number month, millionth* Number(kDaysOfMonth));
  TAVOLA_TRY(const Number reads, product(plan.read_units, prices.read_million, month));
  TAVOLA_TRY(const Number writes, product(plan.write_units, prices.write_million, month));
  TAVOLA_TRY(plan.on_demand, reads + writes);
  TAVOLA_TRY(const Number fixed_reads, product(plan.read_capacity, prices.read_unit_hour, kHoursOfMonth));
  TAVOLA_TRY(const Number fixed_writes, product(plan.write_capacity, prices.write_unit_hour, kHoursOfMonth));
  TAVOLA_TRY(plan.provisioned, fixed_reads + fixed_writes);
  TAVOLA_TRY(const Number scaled_reads, scaled_cost(plan.read_units, units_min, prices.read_unit_hour));
  TAVOLA_TRY(const Number scaled_writes, scaled_cost(plan.write_units, units_min, prices.write_unit_hour));
  TAVOLA_TRY(plan.auto_scaled, scaled_reads + scaled_writes);
  plan.is_on_demand_cheapest = plan.on_demand <= plan.auto_scaled;
  return {};
}

Result<SizePlan> plan_size(const Design& design, const CapacitySize& size, const Prices& prices) {
  SizePlan plan;
  plan.name = size.name;
  plan.mode = size.mode;
  TAVOLA_TRY(plan.stored_bytes, stored_bytes(design, size));
  TAVOLA_TRY(const InternalRecords internal, internal_records(design, size));
  plan.internal_records = internal.count;
  TAVOLA_TRY(plan.stored_bytes, plan.stored_bytes + internal.bytes);
  for (const auto& daily : size.daily) {
    TAVOLA_TRY(DailyLoad load, load_of(design, plan, size, daily));
    TAVOLA_TRY(plan.read_units, plan.read_units + load.read_units);
    TAVOLA_TRY(plan.write_units, plan.write_units + load.write_units);
    plan.loads.push_back(std::move(load));
  }
  TAVOLA_TRY(const std::int64_t reads, divided_up(plan.read_units, kUnitsOfDayByPeakUnit));
  TAVOLA_TRY(const std::int64_t writes, divided_up(plan.write_units, kUnitsOfDayByPeakUnit));
  const std::int64_t units_min = capacity_min(design);
  plan.read_capacity = std::max(units_min, reads);
  plan.write_capacity = std::max(units_min, writes);
  TAVOLA_CHECK(add_costs(plan, units_min, prices));
  return plan;
}

}  // namespace

Result<CapacityPlan> plan_capacity(const Design& design, const Prices& prices) {
  CapacityPlan plan{.prices = prices, .sizes = {}};
  for (const CapacitySize& size : design.capacity) {
    TAVOLA_TRY(SizePlan one, plan_size(design, size, prices));
    plan.sizes.push_back(std::move(one));
  }
  return plan;
}

}  // namespace tavola::workshop
