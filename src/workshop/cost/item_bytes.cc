// Estimates the sizes of items: see estimate.h for the rule.
#include <algorithm>
#include <map>
#include <numeric>

#include "workshop/cost/estimate.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using design::Design;
using design::Entity;
using Kind = AttributeType::Kind;

constexpr std::size_t kTextBytes = 20;
constexpr std::size_t kElements = 3;
constexpr std::size_t kNumberBytes = 4;
constexpr std::size_t kCollectionBytes = 3;
constexpr std::size_t kElementBytes = 1;

std::size_t text_bytes(const Attribute& field) {
  if (!field.values.empty()) {
    const std::size_t all =
        std::accumulate(field.values.begin(), field.values.end(), std::size_t{0},
                        [](std::size_t sum, const auto& value) { return sum + value.size(); });
    return (all + field.values.size() - 1) / field.values.size();
  }
  if (!field.max_length) return std::max<std::size_t>(kTextBytes, field.min_length.value_or(0));
  return std::min<std::size_t>(*field.max_length, std::max<std::size_t>(kTextBytes, *field.max_length / 4));
}

std::size_t value_bytes(const Attribute& field);

std::size_t scalar_bytes(const Attribute& field, const AttributeType& type) {
  switch (type.kind) {
    case Kind::Boolean:
      return 1;
    case Kind::Number:
    case Kind::Integer:
      return kNumberBytes;
    case Kind::Uuid:
      return 36;
    case Kind::Ulid:
      return 26;
    case Kind::Url:
      return 60;
    case Kind::Phone:
      return 14;
    case Kind::Date:
      return 10;
    case Kind::TimestampIso:
      return type.digits == 0 ? 20 : 21 + type.digits;
    case Kind::TimestampMs:
      return 8;  // 13 digits
    case Kind::TimestampS:
      return 6;
    case Kind::Sha256:
      return 64;
    case Kind::Md5:
      return 32;
    default:
      return text_bytes(field);
  }
}

std::size_t map_bytes(const std::vector<Attribute>& fields) {
  if (fields.empty()) return kCollectionBytes + kElements * (kElementBytes + 2 * kTextBytes);
  std::size_t bytes = kCollectionBytes;
  for (const Attribute& field : fields) bytes += kElementBytes + field.name.size() + value_bytes(field);
  return bytes;
}

std::size_t value_bytes(const Attribute& field) {
  if (field.value && field.value->is_literal()) return field.value->text().size();
  const Kind kind = field.type.kind;
  if (kind == Kind::Map) return map_bytes(field.of);
  if (kind != Kind::List && kind != Kind::Set) return scalar_bytes(field, field.type);
  const std::size_t count = field.max_items ? std::max<std::size_t>(1, *field.max_items / 4) : kElements;
  const AttributeType element = field.type.element.empty() ? AttributeType{} : field.type.element.front();
  const std::size_t each = element.kind == Kind::Map ? map_bytes(field.of) : scalar_bytes({}, element);
  return kind == Kind::Set ? count * each : kCollectionBytes + count * (kElementBytes + each);
}

// Returns the size of a field's value in the text of a key.
std::size_t bytes_in_key(const Entity& entity, const design::Placeholder& placeholder) {
  const Attribute* const field = entity.find_field(placeholder.field);
  if (field == nullptr) return kTextBytes;
  if (placeholder.format == design::Placeholder::Format::Padded) return placeholder.width;
  const bool is_digits = field->type.kind == Kind::TimestampMs || field->type.kind == Kind::TimestampS;
  return is_digits ? 13 : value_bytes(*field);
}

std::size_t template_bytes(const Entity& entity, const design::Template& key) {
  std::size_t bytes = 0;
  for (const auto& part : key.parts()) {
    const auto* const literal = std::get_if<std::string>(&part);
    bytes += literal != nullptr ? literal->size() : bytes_in_key(entity, std::get<design::Placeholder>(part));
  }
  return bytes;
}

std::size_t source_bytes(const Entity& entity, const design::KeySource& source) {
  if (source.from) return template_bytes(entity, *source.from);
  const design::Lifecycle* const lifecycle = entity.find_lifecycle(source.lifecycle);
  if (lifecycle == nullptr) return kTextBytes;
  std::size_t most = 0;
  for (const design::State& state : lifecycle->states) {
    if (state.key) most = std::max(most, template_bytes(entity, *state.key));
  }
  return most;
}

// The attributes of an item with their sizes, including names. Each occurs once: a key may be data as well.
using Sizes = std::map<std::string, std::size_t, std::less<>>;

void add(Sizes& sizes, const std::string& name, std::size_t bytes) {
  sizes.try_emplace(name, name.size() + bytes);
}

void add_table_keys(Sizes& sizes, const Design& design, const Entity& entity) {
  add(sizes, design.table.hash.name, template_bytes(entity, entity.hash));
  if (design.table.range && entity.range) {
    add(sizes, design.table.range->name, template_bytes(entity, *entity.range));
  }
}

void add_index_keys(Sizes& sizes, const design::Index& index, const Entity& entity) {
  const design::IndexEntry* const entry = entity.find_index(index.name);
  if (entry == nullptr) return;
  add(sizes, index.hash.name, source_bytes(entity, entry->hash));
  if (index.range && entry->range) add(sizes, index.range->name, source_bytes(entity, *entry->range));
}

void add_fields(Sizes& sizes, const Entity& entity) {
  for (const Attribute& field : entity.fields) {
    if (!field.stored) continue;
    const std::size_t bytes = field.name.size() + value_bytes(field);
    const bool is_sure = field.required || field.is_computed() || field.otherwise;
    sizes.try_emplace(field.name, is_sure ? bytes : (bytes + 1) / 2);
  }
}

Sizes sizes_of(const Design& design, const Entity& entity) {
  Sizes sizes;
  add_table_keys(sizes, design, entity);
  for (const design::Index& index : design.indexes) add_index_keys(sizes, index, entity);
  add_fields(sizes, entity);
  if (!design.table.entity_attribute.empty()) add(sizes, design.table.entity_attribute, entity.name.size());
  return sizes;
}

std::size_t sum(const Sizes& sizes) {
  std::size_t bytes = 0;
  for (const auto& [name, size] : sizes) bytes += size;
  return bytes;
}

}  // namespace

std::size_t item_bytes(const Design& design, const Entity& entity) { return sum(sizes_of(design, entity)); }

std::size_t entry_bytes(const Design& design, const Entity& entity, const design::Index& index) {
  if (index.projection.type == ProjectionType::All) return item_bytes(design, entity);
  Sizes projected;
  add_table_keys(projected, design, entity);
  add_index_keys(projected, index, entity);
  const Sizes all = sizes_of(design, entity);
  for (const std::string& name : index.projection.attributes) {
    if (const auto found = all.find(name); found != all.end()) projected.insert(*found);
  }
  return sum(projected);
}

std::size_t bytes_read(const Design& design, const design::Pattern& pattern) {
  const Entity* const entity = design.find_entity(pattern.entity.text);
  if (entity == nullptr) return 0;
  const design::Index* const index = design.find_index(pattern.via.text);
  return index == nullptr ? item_bytes(design, *entity) : entry_bytes(design, *entity, *index);
}

}  // namespace tavola::workshop
