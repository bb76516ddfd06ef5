// The checks of references: each reports the mistake at its position and suggests a similar name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/problems.h"
#include "design/language/text_span.h"
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

// Reports an unknown name. `what` has its article: "the index".
void refuse_unknown(std::string_view code, const Word& word, std::string_view what,
                    const std::vector<std::string>& known, Problems& problems);

// Returns null, and reports it, if there is no such entity.
const Entity* require_entity(const Design& design, const Word& name, Problems& problems);
// Accepts a field, or a state that goes by its lifecycle's name.
bool require_field(const Entity& entity, const Word& name, Problems& problems);
// Checks that a constant is a valid value of its field.
void require_suitable(const Entity& entity, const Assignment& constant, Problems& problems);
// Checks that every placeholder names a field.
void require_fields(const Entity& entity, const Template& text, const Span& at, Problems& problems);
// Checks in addition that the fields may stand in a key.
void require_key_fields(const Entity& entity, const Template& key, const Span& at, Problems& problems);
void require_lowered(const Rule& rule, const Span& at, Problems& problems);

}  // namespace tavola::design
