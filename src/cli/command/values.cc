#include "cli/command/values.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tavola::cli {
namespace {

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Error not_a_size() { return Error::validation("must be a size like 512MB or 4GB"); }

}  // namespace

Error not_a_number(std::uint64_t min, std::uint64_t max) {
  // An upper limit that only the type has is of no interest to people.
  constexpr std::uint64_t kNotable = std::numeric_limits<std::uint32_t>::max();
  return Error::validation("must be a number from " + std::to_string(min) +
                           (max < kNotable ? " to " + std::to_string(max) : " up"));
}

Result<void> read_value(const std::string& text, std::string& into) {
  into = text;
  return {};
}

Result<void> read_value(const std::string& text, std::filesystem::path& into) {
  into = text;
  return {};
}

Result<void> read_value(const std::string& text, std::vector<std::string>& into) {
  into.push_back(text);
  return {};
}

Result<void> read_value(const std::string& text, bool& into) {
  if (text != "true" && text != "false") return fail(Error::validation("must be true or false"));
  into = text == "true";
  return {};
}

Result<std::size_t> read_size(const std::string& text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc()) return fail(not_a_size());
  std::string unit = in_lower_case(std::string(read.ptr, end));
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  if (unit.ends_with("ib") || (unit.size() == 2 && unit.ends_with('b'))) unit.resize(1);
  constexpr std::string_view kUnits = "bkmgtp";
  const std::size_t power = unit.empty() ? 0 : kUnits.find(unit);
  if (unit.size() > 1 || power == std::string_view::npos) return fail(not_a_size());
  const std::size_t shift = 10 * power;
  if (shift > 0 && number > (std::numeric_limits<std::size_t>::max() >> shift)) return fail(not_a_size());
  return number << shift;
}

Result<std::size_t> read_choice(const std::string& text, const std::vector<std::string>& choices) {
  const auto found = std::ranges::find(choices, in_lower_case(text));
  if (found == choices.end()) return fail(Error::validation("must be " + alternatives(choices)));
  return static_cast<std::size_t>(found - choices.begin());
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

}  // namespace tavola::cli
