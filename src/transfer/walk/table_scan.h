// All items of a table, read in segments by several threads. Each segment is read page by page, by one thread.
//
//   TAVOLA_CHECK(scan_table(from, {.table_name = "music", .places = std::vector<SegmentPlace>(16)}, one_at_a_time([&](SegmentPage page) {
//     ...                                                        // page.items, and where the segment continues: page.next
//   })));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "transfer/walk/patience.h"

namespace tavola::transfer {

// A database that items come from or go to. A remote database answers one request after the other, so each thread connects once.
struct Side {
  std::string name{};  // in messages
  std::function<Result<std::shared_ptr<Database>>()> connect{};
};
// One database for all threads, which must outlive them.
Side shared_by_all(Database& database);

// How far a segment was read.
struct SegmentPlace {
  bool is_done = false;
  std::optional<PackedItem> start{};  // ExclusiveStartKey; empty at the beginning
  friend bool operator==(const SegmentPlace&, const SegmentPlace&) = default;
};

struct SegmentPage {
  std::size_t segment = 0;
  std::vector<PackedItem> items{};
  std::uint64_t count = 0;
  SegmentPlace next{};  // where the segment continues
};

struct TableScan {
  std::string table_name{};
  std::vector<SegmentPlace> places{};  // one for each segment, at least one
  std::size_t threads = 4;             // at most; never more than segments
  bool consistent_read = false;
  std::optional<Select> select{};
  Pause pause = sleep();
  // Called several times a second by the thread that waits.
  std::function<void()> tick{};
};

using UsePage = std::function<Result<void>(SegmentPage page)>;
// Called once by each thread, which may connect to something of its own; the thread passes its pages to the result.
using BeginThread = std::function<Result<UsePage>()>;

// Passes the pages of all threads to one function, one page at a time, and no more once it has failed.
BeginThread one_at_a_time(UsePage use);

// Reads every segment from its place to its end. The first error, of a scan or of the use of a page, stops all threads and is returned;
// a page that was already read is still used.
Result<void> scan_table(const Side& from, const TableScan& scan, const BeginThread& begin);

}  // namespace tavola::transfer
