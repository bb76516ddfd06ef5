#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "design/language/validate.h"
#include "design/language/validate_references.h"

namespace tavola::design {
namespace {

// One key of an entity, in the table or in an index.
struct Key {
  const Entity* entity = nullptr;
  const KeyAttribute* attribute = nullptr;
  const Template* text = nullptr;
  Span at;
};

bool is_usable(const Template& text) { return !text.parts().empty(); }  // if not, bad-template was reported

void check_raw(const Key& key, Problems& problems) {
  const FieldForms forms = key.entity->forms();
  const auto& parts = key.text->parts();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto* placeholder = std::get_if<Placeholder>(&parts[i]);
    if (placeholder == nullptr || !forms(placeholder->field).raw) continue;
    problems.error("raw-placeholder",
                   span_within(key.at, key.text->text(), placeholder->offset, placeholder->field.size() + 2),
                   "`" + placeholder->field + "` may contain '#', and text follows it",
                   "Put it last, or use another field.");
  }
}

// A key that is not text must be one placeholder of the key's type.
void check_type(const Key& key, Problems& problems) {
  const auto& parts = key.text->parts();
  const auto* only = parts.size() == 1 ? std::get_if<Placeholder>(&parts.front()) : nullptr;
  const Type type = key.attribute->type;
  if (type == Type::String) {
    if (only != nullptr && only->format == Placeholder::Format::Number) {
      problems.error(
          "key-type", key.at, "`" + key.attribute->name + "` is a text key, and the template gives a number",
          "Declare it as { name: " + key.attribute->name + ", type: number }, or leave out `:number`.");
    }
    return;
  }
  const Attribute* field = only == nullptr ? nullptr : key.entity->find_field(only->field);
  if (only != nullptr && field == nullptr) return;  // unknown-field was reported
  if (field == nullptr || stored_type(field->type) != type) {
    problems.error("key-type", key.at,
                   "`" + key.attribute->name + "` is a " + (type == Type::Number ? "number" : "binary") +
                       " key: it is one placeholder of a field of that type",
                   "Use one field of that type, or make the key a string.");
  }
}

void check_template(const Key& key, Problems& problems) {
  if (!is_usable(*key.text)) return;
  require_key_fields(*key.entity, *key.text, key.at, problems);
  check_raw(key, problems);
  check_type(key, problems);
}

// Detects attributes with two values: as a key, an attribute must equal its field, or its value as the key of
// another index.
class Writers {
 public:
  explicit Writers(Problems& problems) : problems_(problems) {}

  void add(const Key& key) {
    const std::string& attribute = key.attribute->name;
    const auto [writer, first] = texts_.emplace(attribute, key.text->text());
    if (!first && writer->second != key.text->text())
      clash(key, "another key gives it the value " + std::string(writer->second));
    const Attribute* field = key.entity->find_field(attribute);
    if (field == nullptr || !field->stored || !is_usable(*key.text)) return;
    if (key.text->text() != "<" + attribute + ">" && !(field->value && *field->value == *key.text)) {
      clash(key, "it is a field of the entity, too");
    } else if (stored_type(field->type) != key.attribute->type && key.attribute->type == Type::String) {
      problems_.error("key-type", key.at, "`" + attribute + "` is a text key, and the field is not a text",
                      "Declare the key as { name: " + attribute + ", type: number }.");
    }
  }

 private:
  void clash(const Key& key, const std::string& why) {
    problems_.error("duplicate-name", key.at,
                    "`" + key.attribute->name + "` cannot be " + key.text->text() + ": " + why,
                    "Use the same template, or another key attribute.");
  }

  Problems& problems_;
  std::map<std::string_view, std::string_view> texts_;
};

void check_source(const Entity& entity, const KeyAttribute& attribute, const KeySource& source,
                  Writers& writers, Problems& problems) {
  if (source.from) {
    const Key key{.entity = &entity, .attribute = &attribute, .text = &*source.from, .at = source.at};
    check_template(key, problems);
    writers.add(key);
  } else if (!source.lifecycle.empty() && entity.find_lifecycle(source.lifecycle) == nullptr) {
    refuse_unknown("unknown-lifecycle", {source.lifecycle, source.at}, "the lifecycle",
                   names_of(entity.lifecycles), problems);
  }
}

void check_entry(const Design& design, const Entity& entity, const IndexEntry& entry, Writers& writers,
                 Problems& problems) {
  const Index* index = design.find_index(entry.index);
  if (index == nullptr) {
    return refuse_unknown("unknown-index", {entry.index, entry.at}, "the index", names_of(design.indexes),
                          problems);
  }
  check_source(entity, index->hash, entry.hash, writers, problems);
  if (!entry.hash.lifecycle.empty()) {
    problems.error("lifecycle-place", entry.hash.at, "a state can be a sort key, not a partition key",
                   "Use a template for the partition key.");
  }
  if (index->range && !entry.range) {
    problems.error("missing-key-template", entry.at,
                   "`" + entity.name + "` has no template for the sort key of `" + index->name + "`",
                   "Add `range`.");
  }
  if (!index->range && entry.range) {
    problems.error("unknown-key-attribute", entry.range->at, "`" + index->name + "` has no sort key",
                   "Leave out `range`, or add one to the index.");
  }
  if (index->range && entry.range) check_source(entity, *index->range, *entry.range, writers, problems);
}

// Returns the templates of all keys of an entity, those of its states included.
std::vector<const Template*> templates_of_keys(const Entity& entity) {
  std::vector<const Template*> all{&entity.hash};
  if (entity.range) all.push_back(&*entity.range);
  for (const IndexEntry& entry : entity.indexes) {
    if (entry.hash.from) all.push_back(&*entry.hash.from);
    if (entry.range && entry.range->from) all.push_back(&*entry.range->from);
  }
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    for (const State& state : lifecycle.states) {
      if (state.key) all.push_back(&*state.key);
    }
  }
  return all;
}

// An id that is in no key would be stored nowhere. Reports nothing while a template is wrong or missing, because the id may
// be meant there.
void check_ids(const Design& design, const Entity& entity, Problems& problems) {
  if (design.table.range && !entity.range) return;
  std::set<std::string> held;
  for (const Template* const key : templates_of_keys(entity)) {
    if (!is_usable(*key)) return;
    for (std::string& name : key->fields()) held.insert(std::move(name));
  }
  const auto is_field = [&](const std::string& name) { return entity.find_field(name) != nullptr; };
  if (!std::ranges::all_of(held, is_field)) return;
  for (const Attribute& field : entity.fields) {
    if (field.stored || field.value || field.derive || held.contains(field.name)) continue;
    problems.error("lost-id", field.at, "`" + field.name + "` is an id, and no key contains it",
                   "Put <" + field.name + "> into `key`, or declare it under `attributes`.");
  }
}

void check_entity(const Design& design, const Entity& entity, Problems& problems) {
  Writers writers(problems);
  const Key hash{
      .entity = &entity, .attribute = &design.table.hash, .text = &entity.hash, .at = entity.hash_at};
  check_template(hash, problems);
  writers.add(hash);
  if (entity.range && design.table.range) {
    const Key range{
        .entity = &entity, .attribute = &*design.table.range, .text = &*entity.range, .at = entity.range_at};
    check_template(range, problems);
    writers.add(range);
  }
  for (const IndexEntry& entry : entity.indexes) check_entry(design, entity, entry, writers, problems);
  check_ids(design, entity, problems);
}

bool keys_overlap(const Entity& a, const Entity& b) {
  if (!is_usable(a.hash) || !is_usable(b.hash)) return false;
  if (!a.hash.overlaps(b.hash, a.forms(), b.forms())) return false;
  if (!a.range || !b.range) return !a.range && !b.range;
  return is_usable(*a.range) && is_usable(*b.range) && a.range->overlaps(*b.range, a.forms(), b.forms());
}

}  // namespace

void validate_keys(const Design& design, Problems& problems) {
  for (std::size_t i = 0; i < design.entities.size(); ++i) {
    const Entity& entity = design.entities[i];
    check_entity(design, entity, problems);
    for (std::size_t j = 0; j < i; ++j) {
      if (keys_overlap(design.entities[j], entity)) {
        problems.error("overlapping-keys", entity.range ? entity.range_at : entity.hash_at,
                       "one key can belong to `" + entity.name + "` and to `" + design.entities[j].name + "`",
                       "Begin their keys with different words.");
      }
    }
  }
}

}  // namespace tavola::design
