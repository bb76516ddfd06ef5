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

namespace tavola::faults {

enum class Kind : std::uint8_t { Throttle, Conflict, Unprocessed, Error500, Latency, IndexLag };

// The operations on items. Statements of PartiQL count as the operations that perform them.
enum class Operation : std::uint8_t {
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

// Returns whether AWS documents this failure for this operation.
bool can_meet(Kind kind, Operation operation);

struct FaultRule {
  Kind kind = Kind::Throttle;
  std::string table{};                   // empty: all tables
  std::optional<Operation> operation{};  // nullopt: all operations that can fail so
  double probability = 0;                // unused by Latency and IndexLag
  // Latency: every response is `delay` late; with a percentile, that share of them is less late. IndexLag:
  // indexes show the state of that time ago.
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

}  // namespace tavola::faults

namespace tavola {

template <>
struct EnumNames<faults::Kind> {
  static constexpr EnumName<faults::Kind> kAll[] = {
      {"throttle", faults::Kind::Throttle},       {"conflict", faults::Kind::Conflict},
      {"unprocessed", faults::Kind::Unprocessed}, {"error500", faults::Kind::Error500},
      {"latency", faults::Kind::Latency},         {"gsi-lag", faults::Kind::IndexLag}};
};

template <>
struct EnumNames<faults::Operation> {
  static constexpr EnumName<faults::Operation> kAll[] = {
      {"BatchGetItem", faults::Operation::BatchGetItem},
      {"BatchWriteItem", faults::Operation::BatchWriteItem},
      {"DeleteItem", faults::Operation::DeleteItem},
      {"GetItem", faults::Operation::GetItem},
      {"PutItem", faults::Operation::PutItem},
      {"Query", faults::Operation::Query},
      {"Scan", faults::Operation::Scan},
      {"TransactGetItems", faults::Operation::TransactGetItems},
      {"TransactWriteItems", faults::Operation::TransactWriteItems},
      {"UpdateItem", faults::Operation::UpdateItem}};
};

}  // namespace tavola
