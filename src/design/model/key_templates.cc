#include "design/model/key_templates.h"

#include <utility>

namespace tavola::design {
namespace {

// Returns the template with constant fields written out: <entityType> is SITE if entityType is always SITE.
Template with_fixed_values(const Entity& entity, const Template& key) {
  std::string text;
  for (const Template::Part& part : key.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      text += *literal;
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(part);
    const Attribute* field = entity.find_field(placeholder.field);
    const bool is_fixed = field != nullptr && field->value &&
                          placeholder.format == Placeholder::Format::Plain &&
                          field->value->text().find("<" + placeholder.field + ">") == std::string::npos;
    text += is_fixed ? field->value->text()
                     : key.text().substr(placeholder.offset,
                                         key.text().find('>', placeholder.offset) + 1 - placeholder.offset);
  }
  const auto fixed = Template::parse(text);
  return fixed ? *fixed : key;
}

// Returns how often the template has the field, and how often as a day.
std::pair<int, int> mentions_of(const Template& key, std::string_view field) {
  std::pair<int, int> found;
  for (const Template::Part& part : key.parts()) {
    const auto* const placeholder = std::get_if<Placeholder>(&part);
    if (placeholder == nullptr || placeholder->field != field) continue;
    ++found.first;
    found.second += placeholder->format == Placeholder::Format::Date ? 1 : 0;
  }
  return found;
}

}  // namespace

bool is_shown_as_day(const Entity& entity, std::string_view field) {
  const auto [in_hash, as_day] = mentions_of(entity.hash, field);
  const auto [in_range, also_as_day] = entity.range ? mentions_of(*entity.range, field) : std::pair(0, 0);
  const int all = in_hash + in_range;
  return all > 0 && as_day + also_as_day == all;
}

KeyTemplates keys_in(const Design& design, const Entity& entity, std::string_view table_or_index) {
  KeyTemplates keys;
  const auto add = [&](const KeySource& source, std::vector<Template>& to) {
    if (source.from) {
      if (!source.from->parts().empty()) to.push_back(with_fixed_values(entity, *source.from));
    } else if (const Lifecycle* lifecycle = entity.find_lifecycle(source.lifecycle)) {
      for (const State& state : lifecycle->states) {
        if (state.key) to.push_back(*state.key);
      }
    }
  };
  if (design.find_index(table_or_index) == nullptr) {
    add({.from = entity.hash, .lifecycle = {}, .at = {}}, keys.hash);
    if (entity.range) add({.from = entity.range, .lifecycle = {}, .at = {}}, keys.range);
    return keys;
  }
  const IndexEntry* entry = entity.find_index(table_or_index);
  if (entry == nullptr) return keys;
  add(entry->hash, keys.hash);
  if (entry->range) add(*entry->range, keys.range);
  return keys;
}

}  // namespace tavola::design
