#include "objects/storage/key_path.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/encoding.h"

namespace tavola::objects {
namespace {

constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kOddNameDigits = 200;

}  // namespace

bool is_path(std::string_view key) {
  bool is_fine = !key.empty() && key.size() <= kKeyBytesMax && !key.contains('\0');
  for_each_part(key, '/', [&](std::string_view name) {
    is_fine &= !name.empty() && name != "." && name != ".." && name.size() <= kNameBytesMax;
  });
  return is_fine;
}

std::string odd_path(std::string_view key) {
  const std::string digits = to_hex(key);
  std::string path;
  for (std::size_t at = 0; at < digits.size(); at += kOddNameDigits) {
    if (at > 0) path += '/';
    path += digits.substr(at, kOddNameDigits);
  }
  return path + ".";
}

std::optional<std::string> key_of_odd_path(std::string_view path) {
  std::string digits;
  for (const char c : path)
    if (c != '/' && c != '.') digits += c;
  std::optional<std::string> key = from_hex(digits);
  if (!key || odd_path(*key) != path) return std::nullopt;
  return key;
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {.folder = {}, .name = path};
  return {.folder = path.substr(0, slash), .name = path.substr(slash + 1)};
}

}  // namespace tavola::objects
