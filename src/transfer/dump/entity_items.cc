#include "transfer/dump/entity_items.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.h"
#include "base/joined.h"
#include "base/random.h"
#include "design/items/entity_item.h"
#include "design/model/field_value.h"
#include "design/model/nearest.h"
#include "design/model/plain_json.h"
#include "transfer/formats/item_reader.h"

namespace tavola::transfer {
namespace {

constexpr std::string_view kEntity = "entity";
constexpr std::string_view kFields = "fields";

// Returns whether it is a value in DynamoDB JSON: {"S": "x"}.
bool is_typed(const Value& value) {
  constexpr std::array<std::string_view, 10> kTypes{"S",  "N",  "B",  "BOOL", "NULL",
                                                    "SS", "NS", "BS", "L",    "M"};
  return value.type() == Type::Map && value.map().size() == 1 &&
         std::ranges::find(kTypes, value.map().begin()->first) != kTypes.end();
}

bool is_dynamodb_json(const Item& object) {
  const auto is_item = [](const Item& item) {
    return !item.empty() &&
           std::ranges::all_of(item, [](const auto& member) { return is_typed(member.second); });
  };
  const auto wrapped = object.size() == 1 ? object.find("Item") : object.end();
  return is_item(object) ||
         (wrapped != object.end() && wrapped->second.type() == Type::Map && is_item(wrapped->second.map()));
}

Result<const design::Entity*> find_entity(const design::Design& design, const std::string& name) {
  if (name.empty()) {
    return fail(Error::validation(
        "the object does not name its entity; add a member \"entity\", or say --entity for all objects"));
  }
  if (const design::Entity* const found = design.find_entity(name)) return found;
  std::vector<std::string> known;
  for (const design::Entity& entity : design.entities) known.push_back(entity.name);
  return fail(Error::validation("the design " + design.name + " has no entity " + name + ". " +
                                design::did_you_mean(name, known, "Its entities are " + joined(known))));
}

Result<void> check_names(const design::Entity& entity, const Item& fields) {
  std::vector<std::string> known;
  for (const design::Attribute& field : entity.fields) known.push_back(field.name);
  for (const design::Lifecycle& lifecycle : entity.lifecycles) known.push_back(lifecycle.field());
  for (const auto& [name, value] : fields) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(Error::validation(entity.name + " has no field " + name + ". " +
                                  design::did_you_mean(name, known, "Its fields are " + joined(known))));
  }
  return {};
}

}  // namespace

Result<PackedItem> item_of_object(const design::Design& design, const std::string& entity,
                                  std::string_view object) {
  TAVOLA_TRY(const Value parsed, design::parse_plain_json(object));
  if (parsed.type() != Type::Map) return fail(Error::validation("it is not a JSON object"));
  Item fields = parsed.map();
  if (is_dynamodb_json(fields)) return item_of_line(object);
  std::string name = entity;
  if (const auto named = fields.find(kEntity); named != fields.end() && named->second.is_string()) {
    const bool is_field = !entity.empty();  // then it may be a field of that name
    if (!is_field || design.find_entity(named->second.string()) != nullptr) {
      name = named->second.string();
      fields.erase(named);
    }
  }
  TAVOLA_TRY(const design::Entity* const found, find_entity(design, name));
  const auto nested = fields.size() == 1 ? fields.find(kFields) : fields.end();
  if (nested != fields.end() && nested->second.type() == Type::Map && found->find_field(kFields) == nullptr) {
    Item inner = nested->second.map();
    fields = std::move(inner);
  }
  TAVOLA_CHECK(check_names(*found, fields));
  design::FieldNames given;
  for (const design::Attribute& field : found->fields) {
    const auto value = fields.find(field.name);
    if (field.automatic == design::Attribute::Auto::No || value == fields.end()) continue;
    TAVOLA_TRY(value->second, design::from_plain(field, value->second));
    given.insert(field.name);
  }
  const design::Ambient ambient{.now = Clock::system().now(), .random = &Random::system()};
  Result<Item> whole =
      design::complete(*found, std::move(fields), design::Occasion::Creation, ambient, given);
  if (!whole) return fail(Error(whole.error().code(), found->name + ": " + whole.error().message()));
  TAVOLA_TRY(const Item item, design::to_item(design, *found, *whole));
  return pack(item);
}

}  // namespace tavola::transfer
