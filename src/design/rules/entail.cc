#include "design/rules/entail.h"

#include <algorithm>
#include <set>
#include <utility>

#include "design/items/dependent_writes.h"
#include "design/items/entailed_items.h"
#include "design/model/refusal.h"
#include "design/rules/entity_change.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

struct Following {
  EntailedItem one;
  std::size_t cause;
};

bool same_field(const Item& a, const Item& b, std::string_view field) {
  return same(find_value(a, field), find_value(b, field));
}

// Returns whether the rule gives another value each time.
bool is_fresh(const Rule& rule) {
  const std::string& text = rule.text();
  return rule.gives_moment() || rule.uses_caller() || text.contains("now(") || text.contains("uuid(") ||
         text.contains("ulid(");
}

// Returns the fields whose values differ each time they are computed.
std::set<std::string, std::less<>> free_fields(const EntailedItem& entailed) {
  std::set<std::string, std::less<>> free;
  for (const Attribute& field : entailed.entity->fields) {
    if (field.is_computed() || field.generate != Attribute::Generate::No) free.insert(field.name);
  }
  for (const Assignment& one : entailed.consequence->set) {
    if (is_fresh(one.value)) free.insert(one.field);
  }
  return free;
}

class Entailing {
 public:
  Entailing(const Design& design, const Ambient& ambient, RequestImages& images, RuledWrites& result)
      : design_(design), ambient_(ambient), images_(images), result_(result) {}

  void run() {
    for (RequestImage& image : images_) {
      const bool is_internal = is_record(design_.table, image.key.view());
      if (!is_internal && image.before != image.now) look_at(image);
    }
    if (images_.is_waiting()) return;
    for (Following& one : following_) {
      if (!is_written_along(one)) add(std::move(one));
    }
  }

 private:
  // An item that takes the place of one of another entity is new, and the other is deleted.
  void look_at(const RequestImage& image) {
    const Decoded before = image.before ? decode(design_, *image.before) : Decoded();
    const Decoded after = image.now ? decode(design_, *image.now) : Decoded();
    if (before.entity == after.entity) {
      if (after.entity != nullptr) find({*after.entity, &before.fields, &after.fields}, image.cause);
      return;
    }
    if (before.entity != nullptr) find({*before.entity, &before.fields, nullptr}, image.cause);
    if (after.entity != nullptr) find({*after.entity, nullptr, &after.fields}, image.cause);
  }

  void find(const FieldChange& change, std::size_t cause) {
    const FindRelated stored = [this](const Entity&, const Item& key) {
      const std::optional<Item>* const found = images_.find(packed_key(key));
      if (found == nullptr) images_.wait();
      return found;
    };
    Result<EntailedItems> found = entailed_by(design_, change, ambient_, stored);
    if (!found) return result_.violate(cause, found.error());
    for (EntailedItem& one : found->items) following_.push_back({std::move(one), cause});
  }

  // Returns whether the request writes the item itself. Adds the caller if the client did not.
  bool is_written_along(const Following& following) {
    const std::set<std::string, std::less<>> free = free_fields(following.one);
    for (RequestImage& image : images_) {
      const bool is_new = image.write && !image.before && image.now && !counted_.contains(&image);
      if (!is_new || image.governed.entity != following.one.entity) continue;
      if (!is_same(following.one, decode(design_, *image.now).fields, free)) continue;
      counted_.insert(&image);
      add_caller(following.one, *image.now);
      return true;
    }
    return false;
  }

  static bool is_same(const EntailedItem& entailed, const Item& written,
                      const std::set<std::string, std::less<>>& free) {
    return std::ranges::all_of(entailed.entity->fields, [&](const Attribute& field) {
      if (!free.contains(field.name)) return same_field(entailed.fields, written, field.name);
      const Assignment* const by = assigned(entailed, field.name);
      const bool is_caller = by != nullptr && by->value.uses_caller();
      return !is_caller || !written.contains(field.name) || same_field(entailed.fields, written, field.name);
    });
  }

  static const Assignment* assigned(const EntailedItem& entailed, std::string_view field) {
    const auto found = std::ranges::find(entailed.consequence->set, field, &Assignment::field);
    return found == entailed.consequence->set.end() ? nullptr : &*found;
  }

  static void add_caller(const EntailedItem& entailed, Item& item) {
    for (const Assignment& one : entailed.consequence->set) {
      const Value* const value = find_value(entailed.fields, one.field);
      const bool is_stored = entailed.entity->find_field(one.field)->stored;
      if (one.value.uses_caller() && value != nullptr && is_stored) item.try_emplace(one.field, *value);
    }
  }

  void add(Following following) {
    const auto& [consequence, entity, fields] = following.one;
    const Result<Item> item = to_item(design_, *entity, fields);
    const Result<Item> key = key_of(design_, *entity, fields);
    if (!item || !key)
      return refuse(following, Error::validation((item ? key.error() : item.error()).message()));
    const Result<PackedItem> packed = pack(*item);
    if (!packed || item_size(packed->view()) > limits::kItemBytesMax)
      return refuse(following, Error::validation("the item would be larger than 400 KB"));
    PackedItem at = packed_key(*key);
    const std::optional<Item>* const stored = images_.contains(at) ? &images_.at(at).now : images_.stored(at);
    if (stored == nullptr) return;
    if (*stored) {
      return refuse(following, Error::validation("there is already a " + entity->name + " " + to_json(*key) +
                                                 "; a ulid() or uuid() in its key makes it unique"));
    }
    if (images_.contains(at)) {
      return refuse(following,
                    Error::validation("the request deletes the " + entity->name + " " + to_json(*key)));
    }
    images_.add({.key = std::move(at),
                 .wanted = *item,
                 .now = *item,
                 .cause = following.cause,
                 .is_written = true,
                 .consequence = consequence});
  }

  void refuse(const Following& following, const Error& why) {
    const Consequence& consequence = *following.one.consequence;
    result_.violate(following.cause, not_entailed(design_, consequence, why));
  }

  const Design& design_;
  const Ambient& ambient_;
  RequestImages& images_;
  RuledWrites& result_;
  std::vector<Following> following_;
  std::set<const RequestImage*> counted_;
};

}  // namespace

void add_entailed(const Design& design, const Ambient& ambient, RequestImages& images, RuledWrites& result) {
  if (!design.consequences.empty()) Entailing(design, ambient, images, result).run();
}

}  // namespace tavola::design
