#include "page/price.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "web/url.h"

namespace crawler {
namespace {

using tavola::Number;

// Longer symbols come before those that they contain.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kSymbols = {
    {{"US$", "USD"}, {"CA$", "CAD"}, {"AU$", "AUD"}, {"NZ$", "NZD"}, {"HK$", "HKD"}, {"NT$", "TWD"},
     {"MX$", "MXN"}, {"R$", "BRL"},  {"S$", "SGD"},  {"C$", "CAD"},  {"A$", "AUD"},  {"CN¥", "CNY"},
     {"JP¥", "JPY"}, {"€", "EUR"},   {"£", "GBP"},   {"¥", "JPY"},   {"元", "CNY"},  {"円", "JPY"},
     {"₹", "INR"},   {"₽", "RUB"},   {"₺", "TRY"},   {"₩", "KRW"},   {"₪", "ILS"},   {"฿", "THB"},
     {"₫", "VND"},   {"₴", "UAH"},   {"₦", "NGN"},   {"₱", "PHP"},   {"₡", "CRC"},   {"₲", "PYG"},
     {"₸", "KZT"},   {"₾", "GEL"},   {"zł", "PLN"},  {"Kč", "CZK"},  {"Ft", "HUF"},  {"lei", "RON"},
     {"лв", "BGN"},  {"руб", "RUB"}, {"Fr.", "CHF"}, {"$", "USD"}}};

// ISO 4217, the codes in use.
constexpr std::string_view kCodes =
    " AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF CHF CLP CNY COP CRC CUP "
    "CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS "
    "INR IQD IRR ISK JMD JOD "
    "JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR "
    "MWK MXN MYR MZN NAD NGN "
    "NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS "
    "SRD SSP STN SVC SYP SZL "
    "THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW "
    "ZWG ";

bool is_code(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         kCodes.contains(" " + std::string(text) + " ");
}

bool is_ascii_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the first code that is a word of its own.
std::string_view code_in(std::string_view text) {
  for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
    const bool begins = i == 0 || !is_ascii_letter(text[i - 1]);
    const bool ends = i + 3 == text.size() || !is_ascii_letter(text[i + 3]);
    if (begins && ends && is_code(text.substr(i, 3))) return text.substr(i, 3);
  }
  return {};
}

// Replaces the spaces and quotation marks that group digits somewhere (U+00A0, U+202F, U+2009, U+2019) by plain ones.
std::string with_plain_separators(std::string_view text) {
  std::string out(text);
  for (const auto& [from, to] : {std::pair<std::string_view, char>("\xC2\xA0", ' '),
                                 {"\xE2\x80\xAF", ' '},
                                 {"\xE2\x80\x89", ' '},
                                 {"\xE2\x80\x99", '\''}}) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at))
      out.replace(at, from.size(), 1, to);
  }
  return out;
}

// The digits of a number with what stands between them: "1.299,00", "1 299".
struct Digits {
  std::string_view text;
  std::size_t end = 0;  // in the whole text
};

bool is_separator(char c) { return c == '.' || c == ',' || c == '\'' || c == ' '; }

std::optional<Digits> next_digits(std::string_view text, std::size_t from) {
  const auto begin = std::ranges::find_if(text.substr(std::min(from, text.size())), is_ascii_digit);
  const std::size_t first = static_cast<std::size_t>(begin - text.begin());
  if (first >= text.size()) return std::nullopt;
  std::size_t end = first;
  while (end < text.size()) {
    if (is_ascii_digit(text[end])) {
      ++end;
      continue;
    }
    // A space groups digits only before three of them: "2 12 €" are two numbers.
    const auto count_after =
        std::ranges::find_if_not(text.substr(end + 1), is_ascii_digit) - text.substr(end + 1).begin();
    const bool joins = is_separator(text[end]) && count_after > 0 && (text[end] != ' ' || count_after == 3);
    if (!joins) break;
    ++end;
  }
  return Digits{text.substr(first, end - first), end};
}

// Returns the position of the separator before the decimals; npos if there are none.
std::size_t decimal_separator(std::string_view digits) {
  const std::size_t last = digits.find_last_of(".,");
  if (last == std::string_view::npos) return last;
  const char separator = digits[last];
  const char other = separator == '.' ? ',' : '.';
  const std::size_t decimals = digits.size() - last - 1;
  if (std::ranges::count(digits, separator) > 1) return std::string_view::npos;  // 1.299.000
  if (digits.contains(other)) return last;                                       // 1.299,00 and 1,299.00
  if (digits.find_first_of(" '") < last) return last;                            // 1 299,00
  const bool groups = decimals == 3 && !digits.starts_with('0') && last <= 3;
  return groups ? std::string_view::npos : last;
}

std::optional<Number> number_of(std::string_view digits) {
  const std::size_t point = decimal_separator(digits);
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == point) plain += '.';
    if (is_ascii_digit(digits[i])) plain += digits[i];
  }
  const auto number = Number::parse(plain);
  return number ? std::optional(*number) : std::nullopt;
}

// Returns whether nothing but a dash or "to", and currencies, is between two numbers.
bool is_range(std::string_view between) {
  std::string rest;
  for (const char c : between) {
    if (c != ' ') rest += c;
  }
  for (const auto& [symbol, code] : kSymbols) {
    for (std::size_t at = rest.find(symbol); at != std::string::npos; at = rest.find(symbol))
      rest.erase(at, symbol.size());
  }
  if (const std::string_view code = code_in(rest); !code.empty())
    rest.erase(static_cast<std::size_t>(code.data() - rest.data()), 3);
  constexpr std::array<std::string_view, 7> kWords = {
      "-", "\xE2\x80\x93", "\xE2\x80\x94", "to", "bis", "\xC3\xA0", "a"};
  return std::ranges::find(kWords, rest) != kWords.end();
}

}  // namespace

std::string currency_of(std::string_view text) {
  text = trimmed(text);
  std::string capital(text);
  std::ranges::transform(capital, capital.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (is_code(capital)) return capital;
  if (const std::string_view code = code_in(text); !code.empty()) return std::string(code);
  for (const auto& [symbol, code] : kSymbols) {
    const std::size_t at = text.find(symbol);
    if (at == std::string_view::npos) continue;
    // A symbol of letters is a word of its own: "lei", and not the one in "Kleid".
    const bool is_word = !is_ascii_letter(symbol.front()) || symbol.contains('$') ||
                         ((at == 0 || !is_ascii_letter(text[at - 1])) &&
                          (at + symbol.size() == text.size() || !is_ascii_letter(text[at + symbol.size()])));
    if (is_word) return std::string(code);
  }
  return {};
}

std::optional<Price> read_price(std::string_view text) {
  const std::string plain = with_plain_separators(text.substr(0, 500));
  const auto first = next_digits(plain, 0);
  if (!first) return std::nullopt;
  const auto amount = number_of(first->text);
  if (!amount) return std::nullopt;
  Price price{.amount = *amount, .currency = currency_of(plain)};
  const auto second = next_digits(plain, first->end);
  if (!second) return price;
  const std::size_t second_begin = static_cast<std::size_t>(second->text.data() - plain.data());
  if (!is_range(std::string_view(plain).substr(first->end, second_begin - first->end))) return price;
  price.highest = number_of(second->text);
  if (price.highest && *price.highest < price.amount) std::swap(*price.highest, price.amount);
  return price;
}

std::optional<Price> read_exact_price(std::string_view text) {
  text = trimmed(text);
  const bool begins_as_number = !text.empty() && (is_ascii_digit(text.front()) || text.front() == '-');
  const bool is_exact = begins_as_number && std::ranges::all_of(text, [](char c) {
                          return is_ascii_digit(c) || std::string_view(".eE+-").contains(c);
                        });
  if (!is_exact) return read_price(text);
  const auto number = Number::parse(text);
  if (!number) return read_price(text);
  return text.front() == '-' ? std::nullopt : std::optional(Price{.amount = *number});
}

}  // namespace crawler
