#include "lens/key_readers.h"

#include <algorithm>

#include "design/lint/overlapping_entities.h"
#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"

namespace tavola::lens {
namespace {

using design::Design;
using design::Entity;
using design::Pattern;

bool reads(const Design& design, const Pattern& part, const Entity& entity, std::string_view index) {
  const bool is_of_index = design.find_index(part.via.text) != nullptr;
  if (is_of_index ? part.via.text != index : !index.empty()) return false;
  if (part.entity.text == entity.name) return true;
  const std::vector<const Entity*> also = design::also_read(design, part);
  return std::ranges::find(also, &entity) != also.end();
}

}  // namespace

Result<std::string> index_of_question(const Design& design, const Question& question) {
  TAVOLA_TRY(std::string name, question.text("index"));
  if (!name.empty() && design.find_index(name) == nullptr)
    return fail(Error::validation("the design has no index " + name));
  return name;
}

const design::KeyAttribute& hash_of(const Design& design, std::string_view index) {
  const design::Index* const found = design.find_index(index);
  return found == nullptr ? design.table.hash : found->hash;
}

const design::KeyAttribute* range_of(const Design& design, std::string_view index) {
  const design::Index* const found = design.find_index(index);
  const auto& range = found == nullptr ? design.table.range : found->range;
  return range ? &*range : nullptr;
}

std::vector<const Pattern*> readers_of(const Design& design, const Entity& entity, std::string_view index) {
  std::vector<const Pattern*> readers;
  for (const Pattern& pattern : design.patterns) {
    if (!design::is_served(pattern)) continue;
    const bool some = std::ranges::any_of(design::parts_of(design, pattern), [&](const Pattern* part) {
      return reads(design, *part, entity, index);
    });
    if (some) readers.push_back(&pattern);
  }
  return readers;
}

}  // namespace tavola::lens
