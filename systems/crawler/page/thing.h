// Structured data in one form, whatever the standard it was written in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crawler {

struct ThingProperty;

// An item with types and properties. Types and properties of schema.org have their short names ("Product", "offers"); others keep what
// the page says.
struct Thing {
  std::vector<std::string> types;
  std::string id;
  std::vector<ThingProperty> properties;

  bool is_a(std::string_view type) const;
  std::vector<const Thing*> things_at(std::string_view property) const;
  // Returns the first text of a property, also where it is the name or the id of a thing; empty if missing.
  std::string text_at(std::string_view property) const;
};

// A property whose value is a text (or an address) or a thing.
struct ThingProperty {
  std::string name;
  std::string text;
  std::vector<Thing> thing;  // none or one
};

// "https://schema.org/InStock" → "InStock"; other text stays.
std::string short_name(std::string_view name);

// Calls `visit(thing, depth)` for all things and those within them.
template <class Visit>
void for_each_thing(const std::vector<Thing>& things, const Visit& visit, int depth = 0) {
  for (const Thing& thing : things) {
    visit(thing, depth);
    for (const ThingProperty& property : thing.properties) for_each_thing(property.thing, visit, depth + 1);
  }
}

}  // namespace crawler
