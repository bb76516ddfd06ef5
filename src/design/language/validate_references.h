// What checks of references share: each says what is wrong at its place and, where a name is near, what may be meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/place.h"
#include "design/language/problems.h"
#include "design/model/model.h"
#include "design/model/vocabulary.h"

namespace tavola::design {

template <class Part>
std::vector<std::string> names_of(const std::vector<Part>& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(part.name);
  return names;
}

// `what` with its article: "the index".
void refuse_unknown(std::string_view code, const Word& word, std::string_view what,
                    const std::vector<std::string>& known, Problems& problems);

// Null when there is none, which is then reported.
const Entity* require_entity(const Design& design, const Word& name, Problems& problems);
// A field, or a state that is known by its lifecycle's name.
bool require_field(const Entity& entity, const Word& name, Problems& problems);
// What is always the same must be a value of its field.
void require_suitable(const Entity& entity, const Assignment& constant, Problems& problems);
// Every placeholder names a field.
void require_fields(const Entity& entity, const Template& text, const Span& at, Problems& problems);
void require_lowered(const Rule& rule, const Span& at, Problems& problems);

}  // namespace tavola::design
