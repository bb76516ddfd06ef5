// Patterns of any text, before the first line feed, and texts after it: a pattern without a problem is readable, a
// refusal has a reason and advice, and nothing takes long.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "design/model/text_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tavola::design::TextPattern;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  const TextPattern pattern(std::string(input.substr(0, end)));
  const std::string_view text = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  const auto problem = pattern.problem();
  if (problem) TAVOLA_ASSERT(!problem->message.empty() && !problem->advice.empty());
  TAVOLA_ASSERT(problem || pattern.is_readable());
  TAVOLA_ASSERT(!pattern.matches(text) || pattern.is_readable());
  return 0;
}
