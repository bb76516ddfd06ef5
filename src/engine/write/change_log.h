// The change log: what was done to the items of a table, one record for each change, written with the change. Streams are read
// from it (streams.h), and it says what a table was at any time that it reaches back to.
//
//   PutItem ──▶ stored_change.cc ──▶ item, index entries … and a record ──▶ one commit, which gives the record its number
//
// A record holds the images that somebody may read, so a log for keys only costs next to nothing. Point-in-time recovery, which
// undoes changes, needs the image before, whatever the stream shows.
//
//   record   [01] [what] [by] [key: size u32, packed item] [before: size u32, packed item] [after: packed item]
//
// What is 1 an insertion, 2 a modification, 3 a removal; by is 0 a client, 1 the item's time to live, 2 ourselves, 3 ourselves in
// an internal record (keys.h): streams do not show the last two. An image that is not kept is empty. The key is there when no
// image is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/streams.h>

#include "base/assert.h"
#include "engine/records/schema.h"
#include "engine/write/stored_change.h"
#include "store/store.h"

namespace tavola::engine {

// Records live so long, at least.
inline constexpr std::chrono::hours kChangeLifetime{24};

struct KeptImages {
  bool before = false;
  bool after = false;
};
KeptImages kept_images(StreamView view);  // that a stream shows

// Returns whether a change of this table's items is logged at all: for its stream, or to be undone.
inline bool keeps_log(const TableDescription& table) { return table.stream || table.recovery; }

// Appends the record of a change of an item. The table keeps a log.
void append_change(const StoredChange& change, std::vector<store::Write>& writes);

// A record as it was stored; in its bytes.
struct LoggedChange {
  ChangeKind kind = ChangeKind::Insert;
  bool by_time_to_live = false;
  bool is_ours = false;         // streams do not show it
  bool is_record = false;       // an internal record
  std::optional<ItemView> key;  // when there is no image
  std::optional<ItemView> before;
  std::optional<ItemView> after;

  // One that has all attributes of the key.
  const ItemView& item() const {
    if (after) return *after;
    if (before) return *before;
    TAVOLA_ASSERT(key.has_value());
    return *key;
  }
};
Result<LoggedChange> decode_change(std::string_view record);

}  // namespace tavola::engine
