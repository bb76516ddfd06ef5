#include "systems/text-analyzer/backend/file_rules.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/joined.h"

namespace tavola::text_analyzer {
namespace {

constexpr int kTooLarge = 413;
constexpr int kWrongType = 415;
constexpr std::size_t kNameBytesMax = 1024;  // as the design says

}  // namespace

std::string readable_size(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + " " + std::string(kUnits[unit]);
}

std::optional<FileRefusal> refuse(const FileRules& rules, const OfferedFile& file) {
  if (file.name.empty() || file.name.size() > kNameBytesMax)
    return FileRefusal{.status = 400, .why = "A file's name has 1 to 1024 bytes"};
  if (file.size_bytes > rules.size_bytes_max) {
    return FileRefusal{.status = kTooLarge,
                       .why = "The file has " + readable_size(file.size_bytes) + "; " +
                              readable_size(rules.size_bytes_max) + " are allowed"};
  }
  const std::size_t dot = file.name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string type = lower_case(file.name.substr(dot + 1));
  if (std::ranges::find(rules.types, type) != rules.types.end()) return std::nullopt;
  return FileRefusal{.status = kWrongType,
                     .why = "A file ." + type + " is not taken for text; allowed are " + joined(rules.types)};
}

}  // namespace tavola::text_analyzer
