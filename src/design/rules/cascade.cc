#include "design/rules/cascade.h"

#include "design/items/entity_item.h"

namespace tavola::design {
namespace {

void delete_along(const Item& key, std::size_t cause, RequestImages& images) {
  PackedItem packed = packed_key(key);
  if (images.contains(packed)) return;
  const std::optional<Item>* const stored = images.stored(packed);
  if (stored == nullptr || !*stored) return;
  images.add({.key = std::move(packed), .before = *stored, .cause = cause, .is_written = true});
}

}  // namespace

Result<void> add_cascades(const Design& design, const RequestImage& deleted, RequestImages& images,
                          std::vector<RuledWrites::Remainder>& remainders) {
  const Entity& entity = *deleted.governed.entity;
  if (entity.on_delete.empty()) return {};
  const Item fields = decode(design, *deleted.before).fields;
  for (const Cascade& cascade : entity.on_delete) {
    const Pattern& pattern = *design.find_pattern(cascade.pattern.text);
    TAVOLA_TRY(const std::optional<FoundItems> found, images.ask(pattern, fields, kDependentWritesMax));
    if (!found) {
      images.wait();
      continue;
    }
    for (const Item& item : found->items) {
      if (const std::optional<Item> key = gone_along(design, cascade, item))
        delete_along(*key, deleted.cause, images);
    }
    if (!found->is_all) {
      remainders.push_back({.source = deleted.key, .copies = {}, .gone = &entity, .fields = fields});
    }
  }
  return {};
}

std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found) {
  const Decoded decoded = decode(design, found);
  const std::string& expected = design.find_pattern(cascade.pattern.text)->entity.text;
  if (decoded.entity == nullptr || decoded.entity->name != expected) return std::nullopt;
  Result<Item> key = key_of(design, *design.find_entity(cascade.entity.text), decoded.fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

}  // namespace tavola::design
