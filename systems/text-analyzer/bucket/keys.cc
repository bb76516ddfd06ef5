#include "systems/text-analyzer/bucket/keys.h"

#include <charconv>

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kMomentDigits = 13;  // until the year 2286 texts have the order of times

}  // namespace

std::string upload_key(std::string_view file_id, std::string_view attempt) {
  return std::string(kUploads).append(file_id).append("/").append(attempt);
}

std::string_view file_of_upload(std::string_view key) {
  if (!key.starts_with(kUploads)) return {};
  key.remove_prefix(kUploads.size());
  const std::size_t slash = key.find('/');
  const bool has_attempt = slash != std::string_view::npos && slash + 1 < key.size();
  return has_attempt ? key.substr(0, slash) : std::string_view();
}

std::string announcement_key(const Announcement& announcement) {
  std::string digits = std::to_string(announcement.moment.time_since_epoch().count());
  digits.insert(0, kMomentDigits - std::min(kMomentDigits, digits.size()), '0');
  return std::string(kAnnounced) + digits + "-" + announcement.file_id;
}

std::optional<Announcement> read_announcement(std::string_view key) {
  if (!key.starts_with(kAnnounced)) return std::nullopt;
  key.remove_prefix(kAnnounced.size());
  if (key.size() < kMomentDigits + 2 || key[kMomentDigits] != '-') return std::nullopt;
  std::int64_t milliseconds = 0;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + kMomentDigits, milliseconds);
  if (problem != std::errc() || end != key.data() + kMomentDigits) return std::nullopt;
  return Announcement{.moment = WallTime(std::chrono::milliseconds(milliseconds)),
                      .file_id = std::string(key.substr(kMomentDigits + 1))};
}

}  // namespace tavola::text_analyzer
