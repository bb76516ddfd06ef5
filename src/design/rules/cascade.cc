#include "design/rules/cascade.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/assert.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/model/plain_json.h"
#include "design/model/refusal.h"

namespace tavola::design {
namespace {

// Returns an item as a message may show it, without sensitive values: "Group {"name":"editors"}".
std::string shown(const Design& design, const Item& item) {
  const Decoded decoded = decode(design, item);
  Item key_fields;
  if (decoded.entity == nullptr) {
    for (const KeySchemaElement& element : key_schema_of(design)) {
      const auto part = item.find(element.name);
      if (part != item.end()) key_fields.insert(*part);
    }
    return "item " + to_plain_json(key_fields);
  }
  for (const std::string& name : decoded.entity->key_fields()) {
    const auto field = decoded.fields.find(name);
    if (field != decoded.fields.end()) key_fields.insert(*field);
  }
  return decoded.entity->name + " " + to_plain_json(key_fields);
}

// Returns a deleted item as it was.
const Item& item_of(const RequestImage& deleted) {
  TAVOLA_ASSERT(deleted.before.has_value());
  return *deleted.before;
}

}  // namespace

Item cascade_parameters(const Design& design, const Cascade& cascade, const Gone& gone) {
  Item parameters = gone.fields;
  if (cascade.field.empty()) return parameters;
  const Entity& entity = *design.find_entity(cascade.entity.text);
  const auto held = gone.fields.find(referenced_field(entity, cascade.field.text, gone.entity));
  if (held != gone.fields.end()) parameters.insert_or_assign(cascade.field.text, held->second);
  return parameters;
}

std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found) {
  const Decoded decoded = decode(design, found);
  const std::string& expected = design.find_pattern(cascade.pattern.text)->entity.text;
  if (decoded.entity == nullptr || decoded.entity->name != expected) return std::nullopt;
  Result<Item> key = key_of(design, *design.find_entity(cascade.entity.text), decoded.fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

bool names_gone(const Design& design, const Cascade& cascade, const Gone& gone, const Item& item) {
  const Decoded decoded = decode(design, item);
  if (decoded.entity == nullptr || decoded.entity->name != cascade.entity.text) return false;
  if (cascade.field.empty()) return true;
  const Attribute& reference = *decoded.entity->find_field(cascade.field.text);
  const auto value = decoded.fields.find(reference.name);
  if (value == decoded.fields.end()) return false;
  const Result<Item> key = key_of(design, gone.entity, gone.fields);
  return key && referenced_key(design, *decoded.entity, reference, value->second, decoded.fields) == *key;
}

std::optional<Item> after_deletion(const Cascade& cascade, Item item) {
  if (cascade.action == Cascade::Action::Delete) return std::nullopt;
  item.erase(cascade.field.text);
  return item;
}

Result<void> Cascades::add(const RequestImage& deleted) {
  const Entity& entity = *deleted.governed.entity;
  if (entity.on_delete.empty()) return {};
  const Item fields = decode(design_, item_of(deleted)).fields;
  for (const Cascade& cascade : entity.on_delete) {
    if (cascade.action != Cascade::Action::Restrict) {
      TAVOLA_CHECK(follow(deleted, {entity, fields}, cascade));
    } else if (!deleted.expires && (restricted_.empty() || restricted_.back() != &deleted)) {
      restricted_.push_back(&deleted);
    }
  }
  return {};
}

Result<void> Cascades::follow(const RequestImage& deleted, const Gone& gone, const Cascade& cascade) {
  if (!images_.room().follows_deletions) {
    result_.remainders.push_back(
        {.source = deleted.key, .copies = {}, .gone = &gone.entity, .fields = gone.fields});
    return {};
  }
  const Pattern& pattern = *design_.find_pattern(cascade.pattern.text);
  TAVOLA_TRY(const std::optional<FoundItems> found,
             images_.ask(pattern, cascade_parameters(design_, cascade, gone), kDependentWritesMax));
  if (!found) {
    images_.wait();
    return {};
  }
  for (const Item& item : found->items) {
    if (const std::optional<Item> key = gone_along(design_, cascade, item))
      change_along(packed_key(*key), deleted, gone, cascade);
  }
  if (!found->is_all) {
    result_.remainders.push_back(
        {.source = deleted.key, .copies = {}, .gone = &gone.entity, .fields = gone.fields});
  }
  return {};
}

void Cascades::change_along(PackedItem key, const RequestImage& deleted, const Gone& gone,
                            const Cascade& cascade) {
  if (!images_.contains(key)) {
    const std::optional<Item>* const stored = images_.stored(key);
    if (stored == nullptr || !*stored || !names_gone(design_, cascade, gone, **stored)) return;
    std::optional<Item> after = after_deletion(cascade, **stored);
    images_.add({.key = std::move(key),
                 .before = *stored,
                 .wanted = after,
                 .now = std::move(after),
                 .cause = deleted.cause,
                 .is_written = true});
    return;
  }
  RequestImage& image = images_.at(key);
  if (image.write) {
    followed_.push_back({std::move(key), &deleted, &cascade});
  } else if (image.wanted) {  // it loses another reference
    image.wanted = after_deletion(cascade, *std::move(image.wanted));
    image.now = image.wanted;
  }
}

Result<void> Cascades::check() {
  for (const Followed& one : followed_) {
    const RequestImage& image = images_.at(one.key);
    const Item fields = decode(design_, item_of(*one.deleted)).fields;
    const Gone gone{*one.deleted->governed.entity, fields};
    if (!image.now || one.deleted->now || !names_gone(design_, *one.cascade, gone, *image.now)) continue;
    result_.violate(image.cause, refusal(design_,
                                         shown(design_, *image.now) + " names the " +
                                             shown(design_, item_of(*one.deleted)) +
                                             ", which the same request deletes; write the item in another "
                                             "request, or delete it in this one",
                                         one.cascade->entity.at));
  }
  for (const RequestImage* const deleted : restricted_) {
    for (const Cascade& cascade : deleted->governed.entity->on_delete) {
      if (cascade.action == Cascade::Action::Restrict) TAVOLA_CHECK(check_restricted(*deleted, cascade));
    }
  }
  return {};
}

Result<void> Cascades::check_restricted(const RequestImage& deleted, const Cascade& cascade) {
  const Item fields = decode(design_, item_of(deleted)).fields;
  const Gone gone{*deleted.governed.entity, fields};
  const Pattern& pattern = *design_.find_pattern(cascade.pattern.text);
  const Item parameters = cascade_parameters(design_, cascade, gone);
  std::optional<Item> left;
  std::optional<FoundItems> found;
  // Some of the items found may be deleted by the same request, or be copies without a source.
  for (const std::size_t others : {std::size_t{1}, kDependentWritesMax}) {
    TAVOLA_TRY(found, images_.ask(pattern, parameters, images_.size() + others));
    if (!found) {
      images_.wait();
      return {};
    }
    left = first_left(found->items, gone, cascade);
    if (images_.is_waiting() || (!left && found->is_all)) return {};
    if (left) break;
  }
  const auto refused = [&](const std::string& why) {
    return refusal(design_,
                   std::string(kStillReferenced) + ": the " + shown(design_, item_of(deleted)) +
                       " cannot be deleted: " + why,
                   cascade.entity.at, ErrorCode::ConditionalCheckFailed);
  };
  if (left) {
    const Error hiding = refused("a " + cascade.entity.text + " still names it");
    result_.violate(deleted.cause, with_detail(refused("the " + shown(design_, *left) + " still names it"),
                                               std::make_shared<StillReferenced>(*left, hiding.message())));
  } else {
    result_.violate(deleted.cause,
                    with_detail(refused("the pattern " + cascade.pattern.text +
                                        " passes over too many items to know that none names it"),
                                std::make_shared<Violation>(std::string(kStillReferenced), "")));
  }
  return {};
}

std::optional<Item> Cascades::first_left(const std::vector<Item>& found, const Gone& gone,
                                         const Cascade& cascade) {
  for (const Item& item : found) {
    const std::optional<Item> key = gone_along(design_, cascade, item);
    if (!key) continue;
    const PackedItem packed = packed_key(*key);
    const std::optional<Item>* const now =
        images_.contains(packed) ? &images_.at(packed).now : images_.stored(packed);
    if (now != nullptr && *now && names_gone(design_, cascade, gone, **now)) return *now;
  }
  return std::nullopt;
}

}  // namespace tavola::design
