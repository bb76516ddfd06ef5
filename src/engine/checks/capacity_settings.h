// OnDemandThroughput and WarmThroughput of tables and indexes: what they may be, in AWS's words. Nothing is limited or made warm
// here; they are kept and shown.
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

// Whether an update says anything: {} says nothing.
bool says_anything(const std::optional<OnDemandLimits>& limits);
bool says_anything(const std::optional<WarmThroughput>& warmth);

// Of what is created.
Result<void> check_new_limits(const CapacityOf& whose, std::optional<OnDemandLimits>& limits);
Result<void> check_new_warmth(const CapacityOf& whose, std::optional<WarmThroughput>& warmth);

// Of what is there: -1 takes a limit away, what is not said stays.
Result<void> change_limits(const CapacityOf& whose, const std::optional<OnDemandLimits>& wanted,
                           std::optional<OnDemandLimits>& limits);
// Warmth never goes down: it is at least what was ever provisioned. `before` and `after` the update as a whole.
Result<void> change_warmth(const CapacityOf& before, const CapacityOf& after,
                           const std::optional<WarmThroughput>& wanted,
                           std::optional<WarmThroughput>& warmth);

// What is stored has no warmth where it is the first one; DescribeTable always shows it.
void show_warmth(TableDescription& table);

}  // namespace tavola::engine
