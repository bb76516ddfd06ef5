#include "transfer/walk/retry.h"

#include <algorithm>
#include <iterator>

#include "base/random.h"

namespace tavola::transfer {
namespace {

Error gives_up(const std::string& table) {
  return {ErrorCode::Throttling, "the table " + table +
                                     " takes no more for now: everything was left unprocessed " +
                                     std::to_string(kTriesMax) + " times. Give it more capacity, or wait"};
}

// How often nothing at all got on.
class Idle {
 public:
  // False when it was too often.
  bool go_on(std::size_t left, std::size_t before, const Pause& pause) {
    tries_ = left < before ? 1 : tries_ + 1;
    if (tries_ == kTriesMax) return false;
    pause(pause_after(tries_));
    return true;
  }

 private:
  int tries_ = 0;
};

}  // namespace

bool is_passing(const Error& error) {
  switch (error.code()) {
    case ErrorCode::ProvisionedThroughputExceeded:
    case ErrorCode::Throttling:
    case ErrorCode::TransactionConflict:
    case ErrorCode::TransactionInProgress:
    case ErrorCode::Internal:
    case ErrorCode::Io:
      return true;
    default:
      return false;
  }
}

std::chrono::milliseconds pause_after(int tries) {
  constexpr std::uint64_t kMost = 10'000;
  constexpr int kDoublings = 8;
  const std::uint64_t most =
      std::min(kMost, std::uint64_t{50} << static_cast<unsigned>(std::clamp(tries - 1, 0, kDoublings)));
  return std::chrono::milliseconds(most / 2 + Random::system().next() % (most / 2));
}

Result<void> write_all(Database& database, TableWrites writes, const Pause& pause) {
  BatchWriteItemRequest request;
  request.tables.push_back(std::move(writes));
  Idle idle;
  while (true) {
    const std::size_t before = request.tables.front().writes.size();
    TAVOLA_TRY(BatchWriteItemResponse response,
               patiently(pause, [&] { return database.batch_write_item(request); }));
    if (response.unprocessed_items.empty()) return {};
    request.tables = std::move(response.unprocessed_items);
    if (!idle.go_on(request.tables.front().writes.size(), before, pause))
      return fail(gives_up(request.tables.front().table_name));
  }
}

Result<std::vector<PackedItem>> get_all(Database& database, KeysToGet keys, const Pause& pause) {
  std::vector<PackedItem> items;
  BatchGetItemRequest request;
  request.tables.push_back(std::move(keys));
  Idle idle;
  while (true) {
    const std::size_t before = request.tables.front().keys.size();
    TAVOLA_TRY(BatchGetItemResponse response,
               patiently(pause, [&] { return database.batch_get_item(request); }));
    for (TableItems& table : response.tables) std::ranges::move(table.items, std::back_inserter(items));
    if (response.unprocessed_keys.empty()) return items;
    request.tables = std::move(response.unprocessed_keys);
    if (!idle.go_on(request.tables.front().keys.size(), before, pause))
      return fail(gives_up(request.tables.front().table_name));
  }
}

}  // namespace tavola::transfer
