#include "transfer/walk/put_items.h"

#include <algorithm>
#include <vector>

#include "value/limits.h"

namespace tavola::transfer {
namespace {

// Whether the item is at fault: other items may be taken. Serialization is among these errors, because a server that cannot read one
// item (a number or a nesting that it does not know) can read the others; if it can read none, every item is reported.
bool is_of_the_item(const Error& error) {
  switch (error.code()) {
    case ErrorCode::Validation:
    case ErrorCode::ConditionalCheckFailed:
    case ErrorCode::TransactionCanceled:
    case ErrorCode::ItemCollectionSizeLimitExceeded:
    case ErrorCode::Serialization:
      return true;
    default:
      return false;
  }
}

// The error that ends the writing. After a passing one it is worth while to try again later.
Error ended_by(const Error& error) {
  if (!is_passing(error)) return error;
  return {error.code(), error.message() + " (try again later: the same command resumes where it stopped)"};
}

Result<std::uint64_t> put_one_by_one(const PutTarget& target, const std::vector<BatchWrite>& writes,
                                     const Refuse& refuse) {
  std::uint64_t put = 0;
  for (const BatchWrite& write : writes) {
    const auto response = patiently(target.pause, [&] {
      return target.database.put_item({.table_name = target.table_name, .item = write.item});
    });
    if (response) {
      ++put;
      continue;
    }
    if (!is_of_the_item(response.error())) return fail(ended_by(response.error()));
    TAVOLA_CHECK(refuse(write.item, response.error()));
  }
  return put;
}

Result<std::uint64_t> put_batch(const PutTarget& target, std::span<const PackedItem> items,
                                const Refuse& refuse) {
  BatchWriteItemRequest request;
  std::vector<BatchWrite>& writes =
      request.tables.emplace_back(TableWrites{.table_name = target.table_name}).writes;
  for (const PackedItem& item : items) writes.push_back({.item = item});
  std::uint64_t put = 0;
  Patience patience(target.pause);
  while (!writes.empty()) {
    Result<BatchWriteItemResponse> response = target.database.batch_write_item(request);
    if (!response) {
      if (is_of_the_item(response.error())) {
        TAVOLA_TRY(const std::uint64_t some, put_one_by_one(target, writes, refuse));
        return put + some;
      }
      if (!patience.wait_after(response.error())) return fail(ended_by(response.error()));
      continue;
    }
    std::vector<BatchWrite> left;
    for (TableWrites& table : response->unprocessed_items) {
      std::ranges::move(table.writes, std::back_inserter(left));
    }
    if (left.size() < writes.size()) patience.made_progress();
    put += writes.size() - left.size();
    writes = std::move(left);
    if (!writes.empty() && !patience.wait()) {
      return fail(ended_by(Error(ErrorCode::Throttling, "the table " + target.table_name +
                                                            " accepts no more items at this time; give it "
                                                            "more capacity, or wait")));
    }
  }
  return put;
}

}  // namespace

Result<std::uint64_t> put_items(const PutTarget& target, std::span<const PackedItem> items,
                                const Refuse& refuse) {
  std::uint64_t put = 0;
  while (!items.empty()) {
    const std::size_t count = std::min(items.size(), limits::kBatchWritesMax);
    TAVOLA_TRY(const std::uint64_t some, put_batch(target, items.first(count), refuse));
    put += some;
    items = items.subspan(count);
  }
  return put;
}

}  // namespace tavola::transfer
