#include "workshop/texts/words.h"

#include <array>
#include <cctype>

namespace tavola::workshop {
namespace {

using namespace std::string_view_literals;

constexpr std::array kFirstNames{"Mira"sv,  "Jonas"sv,  "Aylin"sv, "Tomas"sv, "Ingrid"sv,  "Paulo"sv,
                                 "Salma"sv, "Henrik"sv, "Chloe"sv, "Ravi"sv,  "Noemi"sv,   "Oskar"sv,
                                 "Lucia"sv, "Kenji"sv,  "Frida"sv, "Marek"sv, "Zainab"sv,  "Elias"sv,
                                 "Hanna"sv, "Diego"sv,  "Yuna"sv,  "Anton"sv, "Beatriz"sv, "Milan"sv,
                                 "Sofia"sv, "Karim"sv,  "Wanda"sv, "Leon"sv,  "Amara"sv,   "Felix"sv};
constexpr std::array kLastNames{"Lindqvist"sv, "Okafor"sv,   "Brandt"sv,   "Moreau"sv,   "Tanaka"sv,
                                "Novak"sv,     "Ferreira"sv, "Haddad"sv,   "Keller"sv,   "Jansen"sv,
                                "Rossi"sv,     "Petrov"sv,   "Silva"sv,    "Kowalski"sv, "Demir"sv,
                                "Eriksen"sv,   "Vogel"sv,    "Martinez"sv, "Nguyen"sv,   "Byrne"sv,
                                "Schreiber"sv, "Costa"sv,    "Marino"sv,   "Iversen"sv};
constexpr std::array kCities{"Leipzig"sv, "Lyon"sv,   "Porto"sv,  "Gdansk"sv,  "Ghent"sv,   "Graz"sv,
                             "Turin"sv,   "Bergen"sv, "Malmo"sv,  "Utrecht"sv, "Seville"sv, "Cork"sv,
                             "Brno"sv,    "Basel"sv,  "Aarhus"sv, "Tartu"sv};
constexpr std::array kCountries{"DE"sv, "FR"sv, "AT"sv, "NL"sv, "IT"sv, "PL"sv, "GB"sv, "SE"sv};
constexpr std::array kStreets{"Mill Lane"sv,     "Harbour Street"sv, "Station Road"sv, "Linden Avenue"sv,
                              "Market Square"sv, "Castle Hill"sv,    "Rose Alley"sv,   "Bridge Street"sv};
constexpr std::array kMaterials{"Copper"sv, "Oak"sv,     "Brass"sv,   "Linen"sv, "Walnut"sv,    "Enamel"sv,
                                "Silver"sv, "Leather"sv, "Ceramic"sv, "Glass"sv, "Stoneware"sv, "Wool"sv};
constexpr std::array kProducts{"Kettle"sv,  "Lamp"sv,    "Clock"sv,   "Chair"sv,   "Mirror"sv,      "Vase"sv,
                               "Teapot"sv,  "Cabinet"sv, "Compass"sv, "Blanket"sv, "Candlestick"sv, "Tray"sv,
                               "Bookend"sv, "Stool"sv,   "Radio"sv,   "Camera"sv};
constexpr std::array kCategories{"Kitchen"sv,  "Lighting"sv, "Furniture"sv, "Electronics"sv,
                                 "Textiles"sv, "Garden"sv,   "Toys"sv,      "Stationery"sv};
constexpr std::array kShopKinds{"Antiques"sv, "Trading"sv, "Supplies"sv, "Collectibles"sv,
                                "Home"sv,     "Market"sv,  "Gallery"sv,  "Workshop"sv};
constexpr std::array kSubdomains{""sv, ""sv, ""sv, ""sv, "www."sv, "shop."sv};
constexpr std::array kTopics{"javascript"sv, "databases"sv,  "design"sv,      "security"sv,
                             "cooking"sv,    "cycling"sv,    "photography"sv, "history"sv,
                             "gardening"sv,  "testing"sv,    "music"sv,       "maps"sv,
                             "typography"sv, "statistics"sv, "networks"sv,    "travel"sv};
constexpr std::array kGroups{"editors"sv,    "reviewers"sv, "translators"sv, "moderators"sv, "curators"sv,
                             "librarians"sv, "auditors"sv,  "volunteers"sv,  "partners"sv,   "teachers"sv};
constexpr std::array kPermissions{"sites:read"sv,      "sites:write"sv, "comments:read"sv,
                                  "comments:delete"sv, "groups:read"sv, "reports:read"sv};
constexpr std::array kRemarks{
    "Works as promised."sv,         "Checked by hand last week."sv,   "A little slow, but reliable."sv,
    "Better than I expected."sv,    "The second part needs work."sv,  "Ask before you change this."sv,
    "Arrived with a small dent."sv, "Recommended by a friend."sv,     "Will come back to it later."sv,
    "Clear and well made."sv,       "Not what the picture showed."sv, "Kept for the spring sale."sv};
constexpr std::array kTroubles{"The file is not valid UTF-8."sv, "The file is empty."sv,
                               "The worker ran out of time."sv, "The object was not found in its bucket."sv,
                               "The upload ended early."sv};
constexpr std::array kFileNames{"meeting-notes"sv, "chapter-one"sv, "report"sv,  "letter"sv,
                                "transcript"sv,    "essay"sv,       "minutes"sv, "reading-list"sv,
                                "interview"sv,     "draft"sv};
constexpr std::array kPlainWords{"amber"sv,   "basin"sv,  "cedar"sv,  "delta"sv,  "ember"sv,
                                 "fjord"sv,   "grove"sv,  "heron"sv,  "islet"sv,  "juniper"sv,
                                 "kestrel"sv, "lagoon"sv, "meadow"sv, "north"sv,  "orchid"sv,
                                 "pebble"sv,  "quartz"sv, "river"sv,  "summit"sv, "thicket"sv};

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

Words first_names() { return kFirstNames; }
Words last_names() { return kLastNames; }
Words cities() { return kCities; }
Words countries() { return kCountries; }
Words streets() { return kStreets; }
Words materials() { return kMaterials; }
Words products() { return kProducts; }
Words categories() { return kCategories; }
Words shop_kinds() { return kShopKinds; }
Words subdomains() { return kSubdomains; }
Words topics() { return kTopics; }
Words groups() { return kGroups; }
Words permissions() { return kPermissions; }
Words remarks() { return kRemarks; }
Words troubles() { return kTroubles; }
Words file_names() { return kFileNames; }
Words plain_words() { return kPlainWords; }

std::vector<std::string> words_of(std::string_view identifier) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    const char c = identifier[i];
    if (!is_alnum(c)) {
      inside = false;
      continue;
    }
    const bool after_small = i > 0 && is_alnum(identifier[i - 1]) && !is_upper(identifier[i - 1]);
    if (!inside || (is_upper(c) && after_small)) words.emplace_back();
    words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    inside = true;
  }
  return words;
}

}  // namespace tavola::workshop
