// Checks OnDemandThroughput and WarmThroughput of tables and indexes, in AWS's words. They are stored and shown, but
// limit and warm nothing.
#pragma once

#include <optional>
#include <string>

#include <tavola/requests.h>

namespace tavola::engine {

// The settings of a table, or of one of its global indexes.
struct CapacityOf {
  BillingMode mode = BillingMode::PayPerRequest;
  std::optional<Throughput> throughput{};
  std::string index{};  // empty: of the table
};

// Returns whether an update changes anything: {} does not.
bool says_anything(const std::optional<OnDemandLimits>& limits);
bool says_anything(const std::optional<WarmThroughput>& warmth);

// For a new table or index.
Result<void> check_new_limits(const CapacityOf& whose, std::optional<OnDemandLimits>& limits);
Result<void> check_new_warmth(const CapacityOf& whose, std::optional<WarmThroughput>& warmth);

// For an existing one: -1 removes a limit; missing members stay.
Result<void> change_limits(const CapacityOf& whose, const std::optional<OnDemandLimits>& wanted,
                           std::optional<OnDemandLimits>& limits);
// Warmth never decreases: it is at least the highest provisioned throughput. `before` and `after` are for the whole
// update.
Result<void> change_warmth(const CapacityOf& before, const CapacityOf& after,
                           const std::optional<WarmThroughput>& wanted,
                           std::optional<WarmThroughput>& warmth);

// Initial warmth is not stored; DescribeTable always shows it.
void show_warmth(TableDescription& table);

}  // namespace tavola::engine
