// What the generators of code share: how names of a design become names of a language, and what an operation may answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// "fus-main" → "FusMain", "recordSale" → "RecordSale", "last_crawled" → "LastCrawled".
std::string pascal_case(std::string_view name);
// "InventorySystem" → "inventory_system", "fus-main" → "fus_main".
std::string snake_case(std::string_view name);
// "fus-main" → "fusMain", "Shop" → "shop".
std::string camel_case(std::string_view name);
// The name with '_' for whatever cannot stand in an identifier, and behind what would be a keyword.
std::string cpp_identifier(std::string_view name);
std::string ts_identifier(std::string_view name);
bool is_identifier(std::string_view name);

// By which names an operation may be refused, in the order of its steps, each once.
std::vector<std::string> refusals_of(const design::Design& design, const design::Operation& operation);
// The entity an operation returns; null when it returns nothing.
const design::Entity* returned_by(const design::Design& design, const design::Operation& operation);
// The entity that all answers of a pattern are; null when a union has several.
const design::Entity* answered_by(const design::Design& design, const design::Pattern& pattern);
// Whether there is a request for it.
bool is_served(const design::Pattern& pattern);
// Whether each entity has a value: its key does, and what is required.
bool is_always_there(const design::Entity& entity, const design::Attribute& field);
// What people call it: its title, and its doc behind, as one sentence after the other.
std::string said_about(const design::Notes& notes);

}  // namespace tavola::workshop
