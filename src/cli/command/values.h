// Reads the values of options into the members they belong to. Each fails with the rest of a sentence that begins with the
// option's name: "must be a number from 0 to 65535".
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::cli {

Error not_a_number(std::uint64_t min, std::uint64_t max);

template <std::integral Number>
struct Range {
  Number min = 0;
  Number max = std::numeric_limits<Number>::max();
};

template <std::integral Number>
Result<void> read_number(const std::string& text, Number& into, Range<Number> range) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < range.min || number > range.max) {
    return fail(not_a_number(static_cast<std::uint64_t>(range.min), static_cast<std::uint64_t>(range.max)));
  }
  into = number;
  return {};
}

// Strings, paths, and lists of strings, to which each value is added.
Result<void> read_value(const std::string& text, std::string& into);
Result<void> read_value(const std::string& text, std::filesystem::path& into);
Result<void> read_value(const std::string& text, std::vector<std::string>& into);
// "true" or "false".
Result<void> read_value(const std::string& text, bool& into);

// "512MB", "4g", "1048576": bytes. A unit is 1,024 times the one before it.
Result<std::size_t> read_size(const std::string& text);

// The word among `choices` that `text` is, in any case. Fails naming them all.
Result<std::size_t> read_choice(const std::string& text, const std::vector<std::string>& choices);

// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

}  // namespace tavola::cli
