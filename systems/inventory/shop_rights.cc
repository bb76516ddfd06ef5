#include "systems/inventory/shop_rights.h"

#include <algorithm>

#include "access/identity/canonical_request.h"
#include "json/reader.h"
#include "server/v1/problem.h"

namespace tavola::inventory {
namespace {

constexpr std::string_view kShopGroup = "shop:";

bool names_shop(std::string_view parameter) {
  return parameter == "shopId" || parameter == "fromShopId" || parameter == "toShopId";
}

// The subjects of a request: the shops that its parameters name, the owner, who did it.
struct Asked {
  std::vector<std::string> shops;
  std::optional<std::string> owner;
  std::optional<std::string> performer;
};

void note(Asked& asked, std::string_view name, const std::string& value) {
  if (names_shop(name)) asked.shops.push_back(value);
  if (name == "ownerId") asked.owner = value;
  if (name == "performedBy") asked.performer = value;
}

// Returns nullopt for a body that is not an object: /v1 must not read more into it than this.
std::optional<Asked> read_asked(const http::Request& request) {
  Asked asked;
  if (request.method == "POST") {
    const auto body = json::parse(request.body);
    if (!body || !body->is_object()) return std::nullopt;
    for (const auto& [name, value] : body->members) note(asked, name, value.text);
    return asked;
  }
  std::string plain;
  for (const char c : request.query) plain += c == '+' ? std::string("%20") : std::string(1, c);
  for (const auto& [name, value] : access::query_parameters(plain)) note(asked, name, value);
  return asked;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<std::vector<std::string>> ShopRights::shops_of(const design::Identity& who) const {
  std::vector<std::string> shops;
  for (const std::string& group : who.groups) {
    if (group.starts_with(kShopGroup)) shops.push_back(group.substr(kShopGroup.size()));
  }
  if (std::ranges::find(who.groups, "owner") != who.groups.end()) {
    for (const auto& shop : inventory_.shopsByOwner({.ownerId = who.sub})) {
      TAVOLA_CHECK(shop);
      shops.push_back(shop->shopId);
    }
  }
  std::ranges::sort(shops);
  shops.erase(std::ranges::unique(shops).begin(), shops.end());
  return shops;
}

std::expected<std::string, http::Response> ShopRights::shop_of(const systems::Visit& visit) const {
  const std::optional<Asked> asked = read_asked(visit.request);
  if (!asked || asked->shops.size() != 1)
    return std::unexpected(server::problem_answer(400, "Name one of your shops (shopId)"));
  const Result<std::vector<std::string>> mine = shops_of(visit.who);
  if (!mine) return std::unexpected(server::problem_answer(503, mine.error().message()));
  if (std::ranges::find(*mine, asked->shops.front()) == mine->end())
    return std::unexpected(
        server::problem_answer(403, "You do not work in the shop " + asked->shops.front()));
  return asked->shops.front();
}

std::optional<http::Response> ShopRights::refuse(const systems::Visit& visit) const {
  const std::optional<Asked> asked = read_asked(visit.request);
  if (!asked) return server::problem_answer(400, "The body must be a JSON object");
  const std::string_view name = last_part(visit.request.path);
  if (asked->owner && *asked->owner != visit.who.sub) {
    return server::problem_answer(403,
                                  "These are the shops of " + *asked->owner + "; you are " + visit.who.sub);
  }
  if (asked->performer && *asked->performer != visit.who.sub) {
    return server::problem_answer(
        403, "performedBy is who sends the request, " + visit.who.sub + "; leave it out or send that");
  }
  if (name == "shopsByOwner" && asked->owner) return std::nullopt;
  // A new shop belongs to nobody yet, and becomes its creator's.
  if (name == "createShop") {
    if (asked->owner) return std::nullopt;
    return server::problem_answer(403, "A new shop needs its owner: send ownerId, your user");
  }
  const Result<std::vector<std::string>> mine = shops_of(visit.who);
  if (!mine) return server::problem_answer(503, mine.error().message());
  for (const std::string& shop : asked->shops) {
    if (std::ranges::find(*mine, shop) == mine->end())
      return server::problem_answer(403, "You do not work in the shop " + shop);
  }
  if (asked->shops.empty()) return server::problem_answer(403, "Name one of your shops (shopId)");
  return std::nullopt;
}

}  // namespace tavola::inventory
