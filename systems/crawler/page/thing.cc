#include "page/thing.h"

#include <algorithm>

#include "web/url.h"

namespace crawler {

bool Thing::is_a(std::string_view type) const { return std::ranges::find(types, type) != types.end(); }

std::vector<const Thing*> Thing::things_at(std::string_view property) const {
  std::vector<const Thing*> found;
  for (const ThingProperty& one : properties) {
    if (one.name == property && !one.thing.empty()) found.push_back(&one.thing.front());
  }
  return found;
}

std::string Thing::text_at(std::string_view property) const {
  for (const ThingProperty& one : properties) {
    if (one.name != property) continue;
    if (one.thing.empty()) {
      if (!one.text.empty()) return one.text;
      continue;
    }
    const Thing& thing = one.thing.front();
    if (std::string text = thing.text_at("name"); !text.empty()) return text;
    if (!thing.id.empty()) return thing.id;
  }
  return {};
}

std::string short_name(std::string_view name) {
  name = trimmed(name);
  std::string_view rest = name;
  for (const std::string_view scheme : {"http://", "https://", "//"}) {
    if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size());
  }
  if (rest.starts_with("www.")) rest.remove_prefix(4);
  if (rest.starts_with("schema.org/")) return std::string(rest.substr(11));
  if (name.starts_with("schema:")) return std::string(name.substr(7));
  return std::string(name);
}

}  // namespace crawler
