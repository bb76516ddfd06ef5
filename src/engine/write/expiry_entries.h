// The entries with the expiry times of items, written with the items (records/keys.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// Returns when the item expires, in seconds since 1970; nullopt if it never expires: its attribute is missing or not a
// number. The table has a time to live.
std::optional<std::uint64_t> expiry_of(const TableSchema& table, const std::optional<ItemView>& item);

// Appends the writes that turn the entry of `before` into that of `after`. The table has a time to live.
void change_expiry(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                   const std::optional<ItemView>& after, std::vector<store::Write>& writes);

}  // namespace tavola::engine
