// Injected faults: rules, written as a line of text.
//
//   throttle=0.05                    one request of twenty
//   conflict@orders/PutItem=0.5      of a table, of an operation
//   latency=p99:80ms,seed=7          the delay of responses; the seed of the random sequence
//   gsi-lag@orders=200ms             global indexes show the state of that time ago
//
// If several rules of one kind match a request, the last one counts: "throttle=0.1,throttle@users=0" exempts one table.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "base/enum_names.h"

namespace tavola::server {

enum class FaultKind : std::uint8_t {
  Throttle,
  Conflict,
  Unprocessed,
  Error500,
  Lost,  // the write is performed, and its answer says Error500
  Latency,
  IndexLag
};

// The operations on items. Statements of PartiQL count as the operations that they are performed as.
enum class ItemOperation : std::uint8_t {
  BatchGetItem,
  BatchWriteItem,
  DeleteItem,
  GetItem,
  PutItem,
  Query,
  Scan,
  TransactGetItems,
  TransactWriteItems,
  UpdateItem,
};

// AWS knows this failure of this operation.
bool can_meet(FaultKind kind, ItemOperation operation);

struct FaultRule {
  FaultKind kind = FaultKind::Throttle;
  std::string table{};                       // empty: of all tables
  std::optional<ItemOperation> operation{};  // nothing: of all that can meet it
  double probability = 0;                    // not of Latency and IndexLag
  // Latency: every answer is `delay` late; with a percentile, that part of them is less late than that.
  // IndexLag: what was there that long ago is seen.
  std::chrono::milliseconds delay{0};
  std::optional<double> percentile{};
  friend bool operator==(const FaultRule&, const FaultRule&) = default;
};

struct FaultPlan {
  std::vector<FaultRule> rules{};
  std::uint64_t seed = 1;
  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;
};

inline constexpr std::size_t kRulesMax = 1000;
inline constexpr std::size_t kIndexLagsMax = 16;  // distinct ones: each keeps views of the database
// A stopping server waits this long for pending responses (http/server.h).
inline constexpr std::chrono::milliseconds kDelayMax = std::chrono::seconds(10);

// Returns the index lags of the plan, each once.
std::vector<std::chrono::milliseconds> index_lags(const FaultPlan& plan);

// Fails with Validation and names the wrong part. An empty text is the plan without faults.
Result<FaultPlan> parse_fault_plan(std::string_view text);
// Returns a text that parse_fault_plan() reads as the same plan.
std::string to_text(const FaultPlan& plan);

}  // namespace tavola::server

namespace tavola {

template <>
struct EnumNames<server::FaultKind> {
  static constexpr EnumName<server::FaultKind> kAll[] = {{"throttle", server::FaultKind::Throttle},
                                                         {"conflict", server::FaultKind::Conflict},
                                                         {"unprocessed", server::FaultKind::Unprocessed},
                                                         {"error500", server::FaultKind::Error500},
                                                         {"lost", server::FaultKind::Lost},
                                                         {"latency", server::FaultKind::Latency},
                                                         {"gsi-lag", server::FaultKind::IndexLag}};
};

template <>
struct EnumNames<server::ItemOperation> {
  static constexpr EnumName<server::ItemOperation> kAll[] = {
      {"BatchGetItem", server::ItemOperation::BatchGetItem},
      {"BatchWriteItem", server::ItemOperation::BatchWriteItem},
      {"DeleteItem", server::ItemOperation::DeleteItem},
      {"GetItem", server::ItemOperation::GetItem},
      {"PutItem", server::ItemOperation::PutItem},
      {"Query", server::ItemOperation::Query},
      {"Scan", server::ItemOperation::Scan},
      {"TransactGetItems", server::ItemOperation::TransactGetItems},
      {"TransactWriteItems", server::ItemOperation::TransactWriteItems},
      {"UpdateItem", server::ItemOperation::UpdateItem}};
};

}  // namespace tavola
