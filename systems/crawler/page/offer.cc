#include "page/offer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "page/classify.h"
#include "web/url.h"

namespace crawler {
namespace {

// Capitals, spaces, hyphens and underscores make no difference: "in stock" is InStock. The first group is AH17's, the second is
// Open Graph's and what shops write.
constexpr std::array<std::pair<std::string_view, Availability>, 20> kAvailabilities = {
    {{"instock", Availability::Available},
     {"instoreonly", Availability::Available},
     {"onlineonly", Availability::Available},
     {"limitedavailability", Availability::Available},
     {"madetoorder", Availability::Available},
     {"presale", Availability::Available},
     {"backorder", Availability::Listed},
     {"preorder", Availability::Listed},
     {"soldout", Availability::Sold},
     {"outofstock", Availability::Sold},
     {"discontinued", Availability::Removed},
     {"reserved", Availability::Reserved},
     {"available", Availability::Available},
     {"availablefororder", Availability::Available},
     {"oos", Availability::Sold},
     {"sold", Availability::Sold},
     {"pending", Availability::Listed},
     {"listed", Availability::Listed},
     {"backordered", Availability::Listed},
     {"removed", Availability::Removed}}};

std::optional<Price> price_of(const Thing& offer) {
  std::optional<Price> price;
  for (const char* const name : {"price", "lowPrice"}) {
    if (!price) price = read_exact_price(offer.text_at(name));
  }
  for (const Thing* const specification : offer.things_at("priceSpecification")) {
    if (price) break;
    price = price_of(*specification);
  }
  if (!price) return std::nullopt;
  if (std::string currency = currency_of(offer.text_at("priceCurrency")); !currency.empty())
    price->currency = std::move(currency);
  if (const auto high = read_exact_price(offer.text_at("highPrice")); high && high->amount > price->amount)
    price->highest = high->amount;
  return price;
}

// Adds the offers of a thing, those within aggregate offers and of variants among them.
void add_offers(const Thing& thing, std::vector<Offer>& offers, int depth) {
  constexpr int kOfferDepthMax = 4;
  if (depth > kOfferDepthMax) return;
  for (const Thing* const offer : thing.things_at("offers")) {
    const std::size_t before = offers.size();
    add_offers(*offer, offers, depth + 1);
    const bool has_more_exact_ones = offers.size() > before;
    const std::string availability = offer->text_at("availability");
    if (!has_more_exact_ones) offers.push_back({availability_of(availability), price_of(*offer)});
  }
  for (const char* const name : {"hasVariant", "itemListElement", "itemOffered"}) {
    for (const Thing* const inner : thing.things_at(name)) add_offers(*inner, offers, depth + 1);
  }
}

Offer best_of(const std::vector<Offer>& offers) {
  Offer best;
  for (const Offer& offer : offers) {
    const bool is_better = offer.availability < best.availability;
    const bool is_cheaper = offer.availability == best.availability && offer.price &&
                            (!best.price || offer.price->amount < best.price->amount);
    if (is_better || is_cheaper) best = offer;
  }
  return best;
}

std::optional<Offer> graph_offer(const Thing& graph) {
  const std::string type = small_letters(graph.text_at("og:type"));
  const auto first_text = [&graph](std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (std::string text = graph.text_at(name); !text.empty()) return text;
    }
    return std::string();
  };
  auto price = read_exact_price(first_text({"product:price:amount", "og:price:amount"}));
  if (!price && !type.contains("product")) return std::nullopt;
  Offer offer{availability_of(first_text({"product:availability", "og:availability"})), std::move(price)};
  const std::string currency = currency_of(first_text({"product:price:currency", "og:price:currency"}));
  if (offer.price && !currency.empty()) offer.price->currency = currency;
  return offer;
}

}  // namespace

std::string_view name_of(Availability availability) {
  constexpr std::array<std::string_view, 6> kNames = {"available", "listed",  "reserved",
                                                      "sold",      "removed", "unknown"};
  return kNames[static_cast<std::size_t>(availability)];
}

Availability availability_of(std::string_view text) {
  std::string word;
  for (const char c : small_letters(short_name(text))) {
    if (c != ' ' && c != '-' && c != '_') word += c;
  }
  const auto* const found = std::ranges::find(kAvailabilities, std::string_view(word),
                                              &std::pair<std::string_view, Availability>::first);
  return found == kAvailabilities.end() ? Availability::Unknown : found->second;
}

std::optional<Offer> read_offer(const StructuredData& data) {
  const auto products = main_products(data);
  if (products.empty()) return graph_offer(data.graph);
  std::vector<Offer> offers;
  for (const Thing* const product : products) add_offers(*product, offers, 0);
  Offer best = best_of(offers);
  if (const auto graph = graph_offer(data.graph)) {  // it completes what the product does not say
    if (!best.price) best.price = graph->price;
    if (best.availability == Availability::Unknown) best.availability = graph->availability;
  }
  return best;
}

}  // namespace crawler
