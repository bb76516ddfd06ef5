#include <algorithm>
#include <array>

#include "design/lint/lints.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;

// Returns the maximum size of a value as far as the design bounds it; unbounded parts count as nothing.
std::uint64_t bytes_max(const Attribute& field);

std::uint64_t element_bytes_max(const Attribute& field) {
  constexpr std::uint64_t kUsualElement = 64;
  std::uint64_t bytes = 0;
  for (const Attribute& inner : field.of) bytes += inner.name.size() + bytes_max(inner);
  return std::max(bytes, field.max_length ? bytes : kUsualElement);
}

std::uint64_t bytes_max(const Attribute& field) {
  constexpr std::uint64_t kBytesPerCharacter = 4;
  if (field.type.kind == Kind::List || field.type.kind == Kind::Set) {
    return field.max_items.value_or(0) * element_bytes_max(field);
  }
  if (field.type.kind == Kind::Url) return field.max_length.value_or(0);
  return field.max_length.value_or(0) * kBytesPerCharacter;
}

void lint_size(Lints& lints, const Entity& entity) {
  std::uint64_t bytes = 0;
  for (const Attribute& field : entity.fields) {
    if (field.stored) bytes += field.name.size() + bytes_max(field);
  }
  if (bytes <= limits::kItemBytesMax) return;
  lints.add("item-size", entity.at, {&entity.notes},
            "an item of " + entity.name + " may have " + std::to_string(bytes / 1024) + " KB",
            "Lower max_length or max_items, or keep the large part elsewhere.");
}

void lint_words(Lints& lints, const Entity& entity) {
  constexpr std::array kWords{"add", "and",  "between", "delete", "false", "in",  "not",
                              "now", "null", "or",      "remove", "set",   "true"};
  for (const Attribute& field : entity.fields) {
    std::string lower = field.name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (std::ranges::find(kWords, lower) == kWords.end()) continue;
    lints.add(
        "reserved-word", field.at, {&field.notes, &entity.notes},
        "the field " + field.name + " of " + entity.name + " has the name of a reserved word of expressions",
        "Give it another name.");
  }
}

}  // namespace

void lint_entities(Lints& lints) {
  for (const Entity& entity : lints.design().entities) {
    lint_size(lints, entity);
    lint_words(lints, entity);
  }
  for (const Copy& copy : lints.design().copies) {
    if (copy.mode != Copy::Mode::Async) continue;
    lints.add("stale-copy", copy.at, {&copy.notes},
              "the copy " + copy.name + " of " + copy.from.text + " is written after its source",
              "Write it in the same transaction (`mode: transaction`), or accept that readers see it late.");
  }
}

}  // namespace tavola::design
