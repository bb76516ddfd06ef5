#include "page/structured_data.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "web/url.h"

namespace crawler {
namespace {

// Moves the things that say something to the page's, and returns whether there were any.
bool take_things(std::vector<Thing> found, std::vector<Thing>& things) {
  std::erase_if(found, [](const Thing& thing) { return thing.types.empty() && thing.properties.empty(); });
  std::ranges::move(found, std::back_inserter(things));
  return !found.empty();
}

bool is_offer(const Thing& thing) { return thing.is_a("Offer") || thing.is_a("AggregateOffer"); }

// An offer that names its product is an offer of the product: of schema.org's `itemOffered` and `offers` each says the other.
void turn_around(Thing& offer) {
  const auto named = std::ranges::find_if(offer.properties, [](const ThingProperty& property) {
    return property.name == "itemOffered" && !property.thing.empty();
  });
  if (!is_offer(offer) || named == offer.properties.end()) return;
  Thing product = std::move(named->thing.front());
  offer.properties.erase(named);
  product.properties.push_back({"offers", {}, {std::move(offer)}});
  offer = std::move(product);
}

bool is_json_ld(const Element& element) {
  const std::string_view type = element.attribute("type").value_or("");
  return element.name() == "script" &&
         same_letters(trimmed(type.substr(0, type.find(';'))), "application/ld+json");
}

}  // namespace

Thing read_open_graph(const Document& document) {
  Thing graph;
  for_each_element(document.root(), [&graph](const Element& element) {
    if (element.name() != "meta") return;
    const auto content = element.attribute("content");
    // The protocol says `property`; many pages say `name`.
    const std::string name = small_letters(
        trimmed(element.attribute("property").value_or(element.attribute("name").value_or(""))));
    const bool is_known = name.starts_with("og:") || name.starts_with("product:");
    if (is_known && content) graph.properties.push_back({name, std::string(trimmed(*content)), {}});
  });
  return graph;
}

StructuredData read_structured_data(const Document& document) {
  StructuredData data;
  bool has_json_ld = false;
  bool has_items = false;  // most pages have at most one of these: the others need no second look
  bool has_types = false;
  for_each_element(document.root(), [&](const Element& element) {
    has_items = has_items || element.has("itemscope");
    has_types = has_types || element.has("typeof");
    if (is_json_ld(element))
      has_json_ld = take_things(read_json_ld(element.raw_text()), data.things) || has_json_ld;
  });
  if (has_json_ld) data.standards.emplace_back("json-ld");
  if (has_items && take_things(read_microdata(document), data.things))
    data.standards.emplace_back("microdata");
  if (has_types && take_things(read_rdfa(document), data.things)) data.standards.emplace_back("rdfa");
  std::ranges::for_each(data.things, turn_around);
  data.graph = read_open_graph(document);
  if (!data.graph.properties.empty()) data.standards.emplace_back("opengraph");
  return data;
}

}  // namespace crawler
