// A first draft of a design, inferred from an existing table: items are grouped by the shape of their keys, key parts
// that always equal an attribute are named after it, and attributes have the narrowest type of all their values.
#pragma once

#include <string>
#include <vector>

#include <tavola/requests.h>
#include <tavola/value.h>

#include "workshop/exchange/draft.h"

namespace tavola::workshop {

// Returns the text of the design. Leaves out what the items do not show; comments name the open questions.
std::string infer(const TableDescription& table, const std::vector<Item>& items);

// Returns the design before it is written.
Draft inferred(const TableDescription& table, const std::vector<Item>& items);

// Returns the names, keys and indexes of the table, without entities.
Draft draft_of(const TableDescription& table);

// Returns the kinds of item, with names, that `items` of the draft's table show. Also finds the draft's entity
// attribute.
std::vector<DraftEntity> infer_entities(Draft& draft, const std::vector<Item>& items);

}  // namespace tavola::workshop
