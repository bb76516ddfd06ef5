// The names in generated code, and the possible results of an operation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// "fus-main" → "FusMain", "recordSale" → "RecordSale", "last_crawled" → "LastCrawled".
std::string pascal_case(std::string_view name);
// "InventorySystem" → "inventory_system", "fus-main" → "fus_main".
std::string snake_case(std::string_view name);
// "fus-main" → "fusMain", "Shop" → "shop".
std::string camel_case(std::string_view name);
// Returns the counters that other copies keep on an item that this one creates: they begin with it, at zero.
std::vector<std::string> other_counters(const design::Design& design, const design::Copy& copy);
// Returns the rows of all aggregates.
std::vector<const design::Entity*> rows_of(const design::Design& design);
// Returns the fields of the key of the item that a pattern follows a reference to, each with the field that it is taken from.
std::vector<std::pair<std::string, std::string>> followed_key(const design::Pattern& pattern,
                                                              const design::Entity& from,
                                                              const design::Entity& target);
// Returns the attribute that marks soft-deleted items; empty if the entity has none.
std::string mark_of_deleted(const design::Design& design, const design::Entity& entity);
// Returns the name with '_' for characters that cannot stand in an identifier, and after a keyword.
std::string cpp_identifier(std::string_view name);
std::string ts_identifier(std::string_view name);
bool is_identifier(std::string_view name);

// Returns the form of a parameter, by its name; one with a default is not required.
design::Attribute field_of(const design::Parameter& parameter);
// Returns the refusals of an operation, in the order of its steps, each once; or those that /v1 answers with this status.
std::vector<std::string> refusals_of(const design::Design& design, const design::Operation& operation);
std::vector<std::string> refusals_of(const design::Design& design, const design::Operation& operation,
                                     int status);
// Returns the attribute of softly deleted items of the entity; empty if there is none.
std::string deleted_by(const design::Design& design, const design::Entity& entity);
// Returns the entity an operation returns; null if it returns nothing.
const design::Entity* returned_by(const design::Design& design, const design::Operation& operation);
// Returns the entity of all items of a pattern; null if a union has several.
const design::Entity* answered_by(const design::Design& design, const design::Pattern& pattern);
// Returns whether every item has a value: key fields and required ones do.
bool is_always_there(const design::Entity& entity, const design::Attribute& field);
// Returns whether every item that the design writes has a value: also defaults, ids, times, states, and what is computed
// from such fields.
bool is_always_stored(const design::Entity& entity, const design::Attribute& field);
// Returns the fields that a pattern reads from an index that does not project all of them: those that are always
// stored, and projected or in a key. Returns nullopt if it reads whole items.
std::optional<std::vector<std::string>> always_projected(const design::Design& design,
                                                         const design::Pattern& pattern);
// Returns the title and the doc, as one sentence after the other.
std::string said_about(const design::Notes& notes);

// Returns the paths of sensitive fields: {{"password"}, {"owner", "phone"}}.
std::vector<std::vector<std::string>> hidden_paths(const std::vector<design::Attribute>& fields);

}  // namespace tavola::workshop
