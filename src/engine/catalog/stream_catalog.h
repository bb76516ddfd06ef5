// The catalog of streams. An active stream is part of its table's record; one that was switched off has its own record,
// until none of it can be read any more: 24 hours later.
//
// A stream is a part of its table's change log (change_log.h): everything from `start` on, and below `end` once it is
// switched off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/streams.h>

#include "base/clock.h"
#include "database/stream_names.h"
#include "engine/records/schema.h"
#include "store/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

struct StreamPart {
  StreamName name;
  TableId table;
  StreamView view = StreamView::KeysOnly;
  std::vector<KeySchemaElement> key;
  std::uint64_t start = 0;
  std::optional<std::uint64_t> end;  // of one that was switched off
};

// Returns all current streams, by table and age; only those of one table if a name is given.
Result<std::vector<StreamPart>> all_streams(const store::Store& store, std::string_view table_name);
// Returns nullopt if there is none of that name.
Result<std::optional<StreamPart>> find_stream(const store::Store& store, const StreamName& name);

// The next three are called by rules that hold the table's catalog record, so that no write to the table is running. If `reads` waits
// afterwards, their results are not to be used.
// Returns the smallest number above all in the table's log.
std::uint64_t end_of_log(store::RuleReads& reads, TableId table);
// Sets the time and the position at which the stream in the description starts.
struct StreamSwitch {
  store::RuleReads& reads;
  TableId table;
  WallTime now;
};
Result<void> begin_stream(const StreamSwitch& on, TableRecord& description);
// Appends the record of the description's current stream, if it has one.
Result<void> end_stream(const StreamSwitch& off, const TableRecord& description,
                        std::vector<store::Write>& writes);

// Erases the records and policies of streams that were switched off before that time. An unreadable record is reported
// after the others were erased.
Result<void> forget_closed_streams(store::Store& store, WallTime closed_before);

}  // namespace tavola::engine
