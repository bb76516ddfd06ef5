#include "engine/checks/capacity_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/checks/messages.h"

namespace tavola::engine {
namespace {

// The initial capacity of a table on demand (DeveloperGuide, "Initial throughput for on-demand capacity mode").
constexpr std::int64_t kFirstReads = 12'000;
constexpr std::int64_t kFirstWrites = 4'000;
constexpr std::string_view kFirstThroughputPage =
    " See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "on-demand-capacity-mode.html#on-demand-capacity-mode-initial";

// The two members of OnDemandThroughput, in the order in which AWS checks them.
using Unit = std::pair<std::string_view, std::optional<std::int64_t>>;

std::array<Unit, 2> units_of(const OnDemandLimits& limits) {
  return {Unit{"MaxReadRequestUnits", limits.read_units}, Unit{"MaxWriteRequestUnits", limits.write_units}};
}

std::array<Unit, 2> units_of(const WarmThroughput& warmth) {
  return {Unit{"ReadUnitsPerSecond", warmth.read_units}, Unit{"WriteUnitsPerSecond", warmth.write_units}};
}

Error limit_out_of_range(std::string_view unit, const std::string& index) {
  return invalid_parameter("Requested " + std::string(unit) + " for OnDemandThroughput for " +
                           (index.empty() ? "table" : "index : " + index) + " is outside of valid range");
}

Error too_cold(std::string_view unit, const std::string& index, std::string_view lower_than) {
  return invalid_parameter("Requested " + std::string(unit) + " for WarmThroughput for " +
                           (index.empty() ? "table" : "index " + index) + " is lower than " +
                           std::string(lower_than));
}

WarmThroughput first_warmth(const CapacityOf& whose) {
  if (whose.mode == BillingMode::PayPerRequest) return {kFirstReads, kFirstWrites};
  const Throughput provisioned = whose.throughput.value_or(Throughput{});
  return {provisioned.read_units, provisioned.write_units};
}

WarmThroughput warmer(const WarmThroughput& a, const WarmThroughput& b) {
  return {std::max(a.read_units, b.read_units), std::max(a.write_units, b.write_units)};
}

WarmThroughput warmth_of(const CapacityOf& whose, const std::optional<WarmThroughput>& stored) {
  return warmer(first_warmth(whose), stored.value_or(WarmThroughput{}));
}

// Returns the first unit of `wanted` that is lower than that of `least`.
std::optional<std::string_view> first_lower(const WarmThroughput& wanted, const WarmThroughput& least) {
  const auto asked = units_of(wanted);
  const auto lowest = units_of(least);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& [unit, value] = asked[i];
    if (value && value < lowest[i].second) return unit;
  }
  return std::nullopt;
}

// Stores nothing if it is the initial one, which follows the throughput.
void store_warmth(const CapacityOf& whose, const WarmThroughput& warm,
                  std::optional<WarmThroughput>& warmth) {
  warmth = warm == first_warmth(whose) ? std::nullopt : std::optional(warm);
}

}  // namespace

bool says_anything(const std::optional<OnDemandLimits>& limits) {
  return limits && *limits != OnDemandLimits{};
}
bool says_anything(const std::optional<WarmThroughput>& warmth) {
  return warmth && *warmth != WarmThroughput{};
}

Result<void> check_new_limits(const CapacityOf& whose, std::optional<OnDemandLimits>& limits) {
  if (!says_anything(limits)) limits.reset();
  for (const auto& [unit, value] : units_of(limits.value_or(OnDemandLimits{}))) {
    if (!value) continue;
    if (whose.mode == BillingMode::Provisioned) {
      return fail(invalid_parameter(std::string(unit) + " for OnDemandThroughput" +
                                    (whose.index.empty() ? "" : " for index: " + whose.index) +
                                    " cannot be specified when table BillingMode is PROVISIONED."));
    }
    if (*value < 1) return fail(limit_out_of_range(unit, whose.index));
  }
  return {};
}

Result<void> check_new_warmth(const CapacityOf& whose, std::optional<WarmThroughput>& warmth) {
  const WarmThroughput wanted = warmth.value_or(WarmThroughput{});
  const WarmThroughput least = first_warmth(whose);
  if (const auto unit = first_lower(wanted, least)) {
    const bool is_read = *unit == units_of(wanted)[0].first;
    const std::string provisioned =
        std::string(is_read ? "Read" : "Write") + "CapacityUnits of ProvisionedThroughput";
    return fail(too_cold(*unit, whose.index,
                         whose.mode == BillingMode::Provisioned
                             ? provisioned
                             : "initial throughput for OnDemand." + std::string(kFirstThroughputPage)));
  }
  store_warmth(whose, warmer(wanted, least), warmth);
  return {};
}

Result<void> change_limits(const CapacityOf& whose, const std::optional<OnDemandLimits>& wanted,
                           std::optional<OnDemandLimits>& limits) {
  const OnDemandLimits asked = wanted.value_or(OnDemandLimits{});
  for (const auto& [unit, value] : units_of(asked)) {
    if (!value) continue;
    if (whose.mode == BillingMode::Provisioned) {
      return fail(invalid_parameter(std::string(unit) + " for OnDemandThroughput" +
                                    (whose.index.empty() ? "" : " for index : " + whose.index) +
                                    " cannot be specified when the table BillingMode is PROVISIONED"));
    }
    if (*value < 1 && *value != -1) return fail(limit_out_of_range(unit, whose.index));
  }
  OnDemandLimits merged = limits.value_or(OnDemandLimits{});
  const auto merge = [](const std::optional<std::int64_t>& value, std::optional<std::int64_t>& into) {
    if (value) into = *value == -1 ? std::nullopt : value;
  };
  merge(asked.read_units, merged.read_units);
  merge(asked.write_units, merged.write_units);
  limits = merged;
  if (whose.mode == BillingMode::Provisioned || !says_anything(limits)) limits.reset();
  return {};
}

Result<void> change_warmth(const CapacityOf& before, const CapacityOf& after,
                           const std::optional<WarmThroughput>& wanted,
                           std::optional<WarmThroughput>& warmth) {
  WarmThroughput warm = warmth_of(before, warmth);
  if (wanted) {
    if (const auto unit = first_lower(*wanted, warm)) {
      return fail(
          too_cold(*unit, after.index, "current WarmThroughput, decreasing WarmThroughput is not supported"));
    }
    warm = warmer(warm, *wanted);
  }
  store_warmth(after, warmer(warm, first_warmth(after)), warmth);
  return {};
}

void show_warmth(TableDescription& table) {
  table.warm_throughput =
      warmth_of({.mode = table.billing_mode, .throughput = table.throughput}, table.warm_throughput);
  for (GlobalIndex& index : table.global_indexes) {
    index.warm_throughput =
        warmth_of({.mode = table.billing_mode, .throughput = index.throughput}, index.warm_throughput);
  }
}

}  // namespace tavola::engine
