#include "page/classify.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "web/url.h"

namespace crawler {
namespace {

constexpr std::array<std::string_view, 8> kProductTypes = {
    "Product", "ProductGroup", "ProductModel", "IndividualProduct", "SomeProducts", "Vehicle", "Car", "Book"};
constexpr std::array<std::string_view, 3> kListTypes = {"ItemList", "OfferCatalog", "SearchResultsPage"};
constexpr std::array<std::string_view, 2> kCollectionTypes = {"CollectionPage", "ProductCollection"};

template <std::size_t N>
bool is_one_of(const Thing& thing, const std::array<std::string_view, N>& types) {
  return std::ranges::any_of(types, [&thing](std::string_view type) { return thing.is_a(type); });
}

// A product is described by more than its name: recommendations elsewhere on the page often have nothing else.
bool has_offers(const Thing& thing) {
  return !thing.things_at("offers").empty() || !thing.things_at("hasVariant").empty();
}

// Two descriptions of one product have the same identity: its name, or a number.
std::string identity_of(const Thing& product) {
  for (const char* const name : {"name", "sku", "gtin13", "url"}) {
    if (const std::string text = product.text_at(name); !text.empty()) return small_letters(trimmed(text));
  }
  return product.id;
}

// Returns the products that are not part of another product or of a list: top-level ones, and those that a page names as its main entity.
void add_products(const Thing& thing, std::vector<const Thing*>& products, int depth) {
  constexpr int kProductDepthMax = 4;
  if (is_one_of(thing, kProductTypes)) {
    products.push_back(&thing);
    return;
  }
  if (depth == kProductDepthMax || is_one_of(thing, kListTypes)) return;
  for (const ThingProperty& property : thing.properties) {
    if (property.name != "mainEntity" && property.name != "mainEntityOfPage" && property.name != "about")
      continue;
    for (const Thing& inner : property.thing) add_products(inner, products, depth + 1);
  }
}

}  // namespace

std::string_view name_of(PageKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"product", "category", "listing", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<const Thing*> main_products(const StructuredData& data) {
  std::vector<const Thing*> products;
  for (const Thing& thing : data.things) add_products(thing, products, 0);
  if (std::ranges::any_of(products, [](const Thing* product) { return has_offers(*product); })) {
    std::erase_if(products, [](const Thing* product) { return !has_offers(*product); });
  }
  std::set<std::string> identities;
  for (const Thing* const product : products) identities.insert(identity_of(*product));
  if (identities.size() > 1) products.clear();
  return products;
}

PageKind classify(const StructuredData& data) {
  if (!main_products(data).empty()) return PageKind::Product;
  std::size_t products = 0;
  bool is_list = false;
  bool is_collection = false;
  for_each_thing(data.things, [&](const Thing& thing, int) {
    products += is_one_of(thing, kProductTypes) ? 1U : 0U;
    is_list = is_list || is_one_of(thing, kListTypes);
    is_collection = is_collection || is_one_of(thing, kCollectionTypes);
  });
  if (products > 1 || is_list) return PageKind::Listing;
  const std::string graph_type = small_letters(data.graph.text_at("og:type"));
  if (graph_type == "product.group" || is_collection) return PageKind::Category;
  if (graph_type == "product" || graph_type == "og:product" || graph_type == "product.item")
    return PageKind::Product;
  return PageKind::Other;
}

}  // namespace crawler
