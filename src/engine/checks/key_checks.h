// Checks whether keys and items fit a table's schema, in AWS's words.
#pragma once

#include <tavola/error.h>
#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "expr/evaluate/compile.h"

namespace tavola::engine {

// Checks one value against one key attribute: type, emptiness, length. `role` decides the limit and the message.
Result<void> check_key_value(const KeyAttribute& attribute, ValueView value, KeyType role);

// Checks a request's Key: exactly the table's key attributes.
Result<void> check_key(const KeyShape& key, const ItemView& values);

// Checks that an item to be put has the table's key, in the right types.
Result<void> check_item_key(const TableSchema& table, const ItemView& item);

// Checks the index keys of an item about to be stored. They may be missing (sparse indexes).
enum class WrittenBy : std::uint8_t { Put, Update };
Result<void> check_index_keys(const TableSchema& table, const ItemView& item, WrittenBy written_by);
// Checks the index keys that a write changed. Unchanged attributes may predate the index and are not checked.
Result<void> check_changed_index_keys(const TableSchema& table, const std::optional<ItemView>& before,
                                      const ItemView& item);
// Checks the index keys that an update names. Other attributes may predate the index and are not checked.
Result<void> check_updated_index_keys(const TableSchema& table, const ItemView& item,
                                      const std::vector<std::string>& updated);

// Refuses an update whose expression alone gives an index key another type, before the item is read and in the words of
// a put.
Result<void> check_known_types(const TableSchema& table, const std::vector<expr::Update::KnownType>& known);

// Key attributes are scalars: no document path may reach into one. `nested` are the attributes that paths reach into.
Result<void> check_nested_paths(const TableSchema& table, const std::vector<std::string>& nested);

}  // namespace tavola::engine
