// The entries that say when items are stuck in a state of their design, written with the items (records/keys.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Appends the writes that turn the entry of `before` into that of `after`. The table has rules.
void change_watch(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                  const std::optional<ItemView>& after, std::vector<store::Write>& writes);

}  // namespace tavola::engine
