// The keys of a table and its indexes, and the patterns that read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/model/model.h"
#include "lens/question.h"

namespace tavola::lens {

// Returns the member `index` of a question; empty: the table. Fails if the design has no such index.
Result<std::string> index_of_question(const design::Design& design, const Question& question);

// Return the keys of an index, or of the table if its name is empty.
const design::KeyAttribute& hash_of(const design::Design& design, std::string_view index);
const design::KeyAttribute* range_of(const design::Design& design, std::string_view index);

// Returns the patterns whose requests on an index, or on the table, return items of the entity, wanted or not, in the order of the design.
std::vector<const design::Pattern*> readers_of(const design::Design& design, const design::Entity& entity,
                                               std::string_view index);

}  // namespace tavola::lens
