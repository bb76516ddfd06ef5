// A first draft of a design, from a table as it is: its items are told apart by the shape of their keys, key parts that
// always equal an attribute are named after it, and attributes have the narrowest type that all their values have.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>
#include <tavola/value.h>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {

// The text of the design. What the items do not tell is left out; what they leave open is said in comments.
std::string infer(const TableDescription& table, const std::vector<Item>& items);

// What the table itself tells: names, keys and indexes. Has no entities yet.
Draft draft_of(const TableDescription& table);

// The kinds of item, and their names, that `items` of the draft's table show. Finds the draft's entity attribute, too.
std::vector<DraftEntity> infer_entities(Draft& draft, const std::vector<Item>& items);

}  // namespace tavola::workshop
