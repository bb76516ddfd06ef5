// Whether keys and items fit a table's schema, in AWS's words.
#pragma once

#include <tavola/error.h>
#include <tavola/packed.h>

#include "engine/records/schema.h"
#include "expr/evaluate/compile.h"

namespace tavola::engine {

// One value against one key attribute: type, emptiness, length. `role` decides which limit and words apply.
Result<void> check_key_value(const KeyAttribute& attribute, ValueView value, KeyType role);

// A request's Key: exactly the table's key attributes.
Result<void> check_key(const KeyShape& key, const ItemView& values);

// An item to be put: it has the table's key, in the right types.
Result<void> check_item_key(const TableSchema& table, const ItemView& item);

// The index keys of an item about to be stored. Absent ones are fine (sparse indexes).
enum class WrittenBy : std::uint8_t { Put, Update };
Result<void> check_index_keys(const TableSchema& table, const ItemView& item, WrittenBy written_by);
// Of what was made of a stored item: what it had already may be older than the index, and not fit it.
Result<void> check_changed_index_keys(const TableSchema& table, const std::optional<ItemView>& before,
                                      const ItemView& item);
// Of an update, which answers for the attributes that it names: others may be older than the index, and not fit it.
Result<void> check_updated_index_keys(const TableSchema& table, const ItemView& item,
                                      const std::vector<std::string>& updated);

// An update whose expression alone gives an index key another type is refused before the item is looked at,
// in the words of a put.
Result<void> check_known_types(const TableSchema& table, const std::vector<expr::Update::KnownType>& known);

// Key attributes are scalars: no document path may reach into one. `nested` are the attributes paths reach
// into.
Result<void> check_nested_paths(const TableSchema& table, const std::vector<std::string>& nested);

}  // namespace tavola::engine
