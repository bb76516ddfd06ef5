#include "lens/references.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "design/items/entity_item.h"
#include "design/items/references.h"
#include "design/model/placeholder_text.h"
#include "json/writer.h"
#include "lens/key_readers.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

using design::Attribute;
using design::Decoded;
using design::Design;
using design::Entity;
using design::Placeholder;
using design::Template;

constexpr std::size_t kNamedMax = 100;
constexpr std::int64_t kNamingMax = 2'000;
constexpr std::size_t kNamingSamplesMax = 5;

std::vector<Value> each_of(const Value& value) {
  std::vector<Value> all;
  std::visit(Overloaded{[&](const List& list) { all = list; },
                        [&](const StringSet& set) { all.assign(set.begin(), set.end()); },
                        [&](const NumberSet& set) { all.assign(set.begin(), set.end()); },
                        [&](const auto&) { all.push_back(value); }},
             value.variant());
  return all;
}

bool names_key(const Design& design, const Decoded& decoded, const Attribute& field, const Item& key) {
  const auto value = decoded.fields.find(field.name);
  if (value == decoded.fields.end()) return false;
  return std::ranges::any_of(each_of(value->second), [&](const Value& one) {
    return design::referenced_key(design, *decoded.entity, field, one, decoded.fields) == key;
  });
}

// ---- The items that it names ----

Result<void> write_named(json::Writer& json, const Subject& subject, const Decoded& decoded) {
  std::size_t written = 0;
  for (const Attribute& field : decoded.entity->fields) {
    const auto value = field.ref.empty() ? decoded.fields.end() : decoded.fields.find(field.name);
    if (value == decoded.fields.end()) continue;
    for (const Value& one : each_of(value->second)) {
      const auto key = design::referenced_key(subject.design, *decoded.entity, field, one, decoded.fields);
      if (!key) continue;
      if (written++ == kNamedMax) return {};
      TAVOLA_TRY(const std::optional<Item> item, read_item(subject, *key));
      json.begin_object();
      json.name("field").text(field.name);
      json.name("entity").text(field.ref);
      json.name("key").raw() += to_json(*key);
      json.name("exists").boolean(item.has_value());
      json.end_object();
    }
  }
  return {};
}

// ---- The items that name it ----

// A place where the items of an entity with certain fields lie together.
struct Place {
  std::string index;
  Value hash;
  std::string prefix;  // of the sort key
};

// Returns the beginning of a key, up to the first placeholder without a value.
std::string beginning_of(const Entity& entity, const Template& key, const Item& fields) {
  const design::FieldForms forms = entity.forms();
  std::string text;
  for (const Template::Part& part : key.parts()) {
    if (const auto* const literal = std::get_if<std::string>(&part)) {
      text += *literal;
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(part);
    const auto value = fields.find(placeholder.field);
    if (value == fields.end()) break;
    const auto written = design::write_placeholder(placeholder, forms(placeholder.field), value->second);
    if (!written) break;
    text += *written;
  }
  return text;
}

std::optional<Place> place_in(const Design& design, const Entity& entity, std::string_view index,
                              const Item& known) {
  const Template* const hash = hash_template(entity, index, known);
  if (hash == nullptr || hash->is_literal()) return std::nullopt;
  const auto rendered = hash->render(known, entity.forms(), hash_of(design, index).type);
  const std::optional<Value> value = rendered.value_or(std::nullopt);
  if (!value) return std::nullopt;
  const design::KeyAttribute* const range = range_of(design, index);
  const Template* const below = range_template(entity, index, known);
  const bool is_text = range != nullptr && range->type == Type::String && below != nullptr;
  return Place{std::string(index), *value, is_text ? beginning_of(entity, *below, known) : ""};
}

// Returns the place with the longest known beginning of the sort key, which has the fewest other items.
std::optional<Place> place_of(const Design& design, const Entity& entity, const Item& known) {
  std::optional<Place> best = place_in(design, entity, "", known);
  for (const design::IndexEntry& entry : entity.indexes) {
    if (entry.when) continue;  // the index lacks some of them
    std::optional<Place> place = place_in(design, entity, entry.index, known);
    if (place && (!best || place->prefix.size() > best->prefix.size())) best = std::move(place);
  }
  return best;
}

// Returns the fields of an entity that a reference to an item with these fields determines.
Item known_fields(const Entity& entity, const Attribute& reference, const Entity& target,
                  const Item& target_fields) {
  Item known;
  const std::string held = design::referenced_field(entity, reference.name, target);
  for (const std::string& name : target.key_fields()) {
    const auto value = target_fields.find(name);
    if (value == target_fields.end()) continue;
    if (name == held) {
      known.insert_or_assign(reference.name, value->second);
    } else if (entity.find_field(name) != nullptr) {
      known.emplace(name, value->second);
    }
  }
  return known;
}

// A field that may name the item, and the item.
struct Naming {
  const Entity& entity;
  const Attribute& field;
  const Decoded& named;
  const Item& key;
};

Result<void> write_count(json::Writer& json, const Subject& subject, const Naming& naming,
                         const Place& place) {
  const Value prefix(place.prefix);
  TAVOLA_TRY(QueryRequest request,
             query_of(subject.design, place.index, place.hash, place.prefix.empty() ? nullptr : &prefix));
  std::int64_t count = 0;
  std::vector<Item> samples;
  const auto look = [&](const Item& item) -> Result<void> {
    const Decoded decoded = design::decode(subject.design, item);
    if (decoded.entity != &naming.entity || !names_key(subject.design, decoded, naming.field, naming.key))
      return {};
    ++count;
    if (samples.size() < kNamingSamplesMax) samples.push_back(key_of_item(subject.design, item));
    return {};
  };
  TAVOLA_TRY(const Reading reading, read_pages(subject, std::move(request), kNamingMax, look));
  json.name("index").text(place.index);
  json.name("hash").raw() += to_json(place.hash);
  json.name("range").text(place.prefix);
  json.name("count").integer(count);
  json.name("more").boolean(reading.next.has_value());
  json.name("samples").begin_list();
  for (const Item& key : samples) json.raw() += to_json(key);
  json.end_list();
  json.name("patterns").begin_list();
  for (const design::Pattern* pattern : readers_of(subject.design, naming.entity, place.index))
    json.text(pattern->name);
  json.end_list();
  return {};
}

Result<void> write_naming(json::Writer& json, const Subject& subject, const Naming& naming) {
  json.begin_object();
  json.name("entity").text(naming.entity.name);
  json.name("field").text(naming.field.name);
  const Item known = known_fields(naming.entity, naming.field, *naming.named.entity, naming.named.fields);
  if (const std::optional<Place> place = place_of(subject.design, naming.entity, known)) {
    TAVOLA_CHECK(write_count(json, subject, naming, *place));
  } else {
    json.name("why").text("no key of " + naming.entity.name + " begins with what `" + naming.field.name +
                          "` says: only a scan finds them");
  }
  json.end_object();
  return {};
}

}  // namespace

Result<std::string> references(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item asked, question.needed_item("key"));
  TAVOLA_TRY(const Item item, read_needed_item(subject, asked));
  const Decoded decoded = design::decode(subject.design, item);
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("item").begin_object();
  write_item_members(json, subject, decoded, item);
  json.end_object();
  json.name("names").begin_list();
  if (decoded.entity != nullptr) TAVOLA_CHECK(write_named(json, subject, decoded));
  json.end_list();
  json.name("namedBy").begin_list();
  const Item key = key_of_item(subject.design, item);
  for (const Entity& entity : subject.design.entities) {
    for (const Attribute& field : entity.fields) {
      if (decoded.entity == nullptr || field.ref != decoded.entity->name) continue;
      TAVOLA_CHECK(write_naming(json, subject, {entity, field, decoded, key}));
    }
  }
  json.end_list();
  json.end_object();
  return answer;
}

}  // namespace tavola::lens
