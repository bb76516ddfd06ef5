#include "design/model/text_forms.h"

#include <algorithm>
#include <idn2.h>
#include <memory>

#include "base/ascii.h"
#include "base/url_host.h"

namespace tavola::design {
namespace {

// The officially assigned alpha-2 codes of ISO 3166-1, each followed by a blank, in ascending order.
constexpr std::string_view kCountries =
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV "
    "BW BY "
    "BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI "
    "FJ FK "
    "FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO "
    "IQ IR "
    "IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG "
    "MH MK "
    "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK "
    "PL PM "
    "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC "
    "TD TF "
    "TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW ";

// Returns whether a host is followed by nothing, or by a port.
bool ends_as_host(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  return colon == std::string_view::npos || std::ranges::all_of(authority.substr(colon + 1), is_digit);
}

bool is_label(std::string_view label) {
  constexpr std::size_t kLabelMax = 63;  // RFC 1035
  const auto is_allowed = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !label.empty() && label.size() <= kLabelMax && std::ranges::all_of(label, is_allowed) &&
         !label.starts_with('-') && !label.ends_with('-');
}

// Returns whether the name has two labels or more, and the last one is not a number: that would be an IP address.
bool is_domain(std::string_view name) {
  constexpr std::size_t kNameMax = 253;
  const std::size_t last = name.rfind('.');
  if (name.size() > kNameMax || last == std::string_view::npos) return false;
  if (std::ranges::all_of(name.substr(last + 1), is_digit)) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<std::string> normal_domain(std::string_view text) {
  const std::string host(host_in(text));
  constexpr std::size_t kHostMax = 1024;  // in UTF-8; a name has at most 253 characters
  if (host.empty() || host.size() > kHostMax || host.contains('\0') || !ends_as_host(authority_in(text)))
    return std::nullopt;
  std::uint8_t* ascii = nullptr;
  const int result = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(host.c_str()), &ascii,
                                    IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (result != IDN2_OK) return std::nullopt;
  const std::unique_ptr<std::uint8_t, decltype([](std::uint8_t* bytes) { idn2_free(bytes); })> owner(ascii);
  std::string name = lower_case(reinterpret_cast<const char*>(ascii));
  return is_domain(name) ? std::optional(std::move(name)) : std::nullopt;
}

std::optional<std::string> normal_country(std::string_view text) {
  // A code begins at every third character.
  for (std::size_t at = 0; at < kCountries.size(); at += 3) {
    const std::string_view code = kCountries.substr(at, 2);
    if (same_text(code, text)) return std::string(code);
  }
  return std::nullopt;
}

}  // namespace tavola::design
