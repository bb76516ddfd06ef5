// The history of an item: its versions in the change log that point-in-time recovery keeps (backups.h). Not DynamoDB's.
//
//   item  ◀── change 3 ── before ◀── change 2 ── before ◀── change 1 ── (nothing: change 1 inserted it)
//
// Only tables with point-in-time recovery have one, for as long as it reaches back. The log is ordered by time and not by
// item: a page reads a bounded part of it, so it may have no change and still a `next`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/packed.h>
#include <tavola/streams.h>
#include <tavola/time.h>

namespace tavola {

enum class ChangedBy : std::uint8_t {
  Client,
  TimeToLive,  // the item had expired
  Database,    // the design of a governed table: copies, deletions that follow, repairs
};

// A change of an item. The version that it made is the `before` of the next newer change, and after the newest one the item
// as it is.
struct PastChange {
  std::uint64_t number = 0;  // grows with time
  WallTime at{};
  ChangeKind kind = ChangeKind::Insert;
  ChangedBy by = ChangedBy::Client;
  std::optional<PackedItem> before{};  // nullopt: there was no item
};

struct ItemHistoryRequest {
  std::string table_name{};
  PackedItem key{};
  std::optional<std::uint64_t> before{};  // only changes with smaller numbers: `next` of the previous page
  std::optional<int> limit{};             // 1 to 100; default 25
};
struct ItemHistoryResponse {
  std::optional<PackedItem>
      item{};  // as it is; only on the first page (no `before`), nullopt also if there is none
  std::vector<PastChange> changes{};  // newest first
  WallTime reached{};                 // all changes since then were returned, on this page or on earlier ones
  WallTime earliest{};                // the start of the history
  std::optional<std::uint64_t> next{};  // nullopt: nothing older is known
};

struct ItemAsOfRequest {
  std::string table_name{};
  PackedItem key{};
  WallTime moment{};  // with the changes of this millisecond; one that is not over means now
  std::optional<std::uint64_t> after{};  // `next` of the previous response to the same request
};
struct ItemAsOfResponse {
  std::optional<PackedItem> item{};     // nullopt: there was no item, or `next` is set
  std::optional<WallTime> until{};      // when the item became another; nullopt: it is the same now
  std::optional<std::uint64_t> next{};  // unknown so far: ask again with this as `after`
};

}  // namespace tavola
