// Counts that outlive the item they are kept on. When an item with counters is deleted, the items that it counted stay, and are counted
// on in an internal record. When the item is put again, it gets its counters from that record.
#pragma once

#include <optional>
#include <vector>

#include <tavola/packed.h>

#include "design/items/dependent_writes.h"
#include "design/model/model.h"
#include "design/rules/request_images.h"

namespace tavola::design {

// Returns the key of the record that counts for the item with this key after its deletion.
PackedItem kept_counts_key(const Table& table, const PackedItem& key);

class KeptCounts {
 public:
  KeptCounts(const Design& design, RequestImages& images)
      : design_(design), images_(images) {}  // borrows both

  // Notes a new item with counters, which may have a record. Returns, for a deleted one, the addition of its counts to its record.
  std::optional<DependentWrite> keep(const RequestImage& image);
  // Adds the images of the records of new items.
  void look_up_records();
  // Moves the counts of the records to the new items, before anything is added to them.
  void restore();
  // Drops a record of counts that are all zero.
  void drop_empty(RequestImage& image) const;

 private:
  // A new item that has counters, and the record that may have counted for it before it existed.
  struct Returning {
    PackedItem key;
    PackedItem record_key;
  };

  const Design& design_;
  RequestImages& images_;
  std::vector<Returning> returning_;
};

}  // namespace tavola::design
