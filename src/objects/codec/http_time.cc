#include "objects/codec/http_time.h"

#include <array>
#include <ctime>

namespace tavola::objects {
namespace {

constexpr const char* kHttpTimeForm = "%a, %d %b %Y %H:%M:%S GMT";

}  // namespace

std::string http_time(WallTime moment) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), kHttpTimeForm, &parts)};
}

std::optional<WallTime> parse_http_time(std::string_view text) {
  const std::string ended(text);
  std::tm parts{};
  const char* end = ::strptime(ended.c_str(), kHttpTimeForm, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

}  // namespace tavola::objects
