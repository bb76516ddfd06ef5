#include "database/stream_names.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "base/timestamps.h"

namespace tavola {
namespace {

constexpr std::string_view kInfix = "/stream/";
constexpr std::size_t kSecondsChars = std::string_view("2026-11-15T09:30:00").size();

std::optional<WallTime> parse_label(std::string_view label) {
  if (label.size() != kSecondsChars + 4 || label[kSecondsChars] != '.') return std::nullopt;
  std::string whole(label.substr(0, kSecondsChars));
  whole.push_back('Z');
  const auto seconds = parse_iso8601(whole);
  const std::string_view fraction = label.substr(kSecondsChars + 1);
  unsigned milliseconds = 0;
  const auto [end, error] = std::from_chars(fraction.data(), fraction.data() + fraction.size(), milliseconds);
  if (!seconds || error != std::errc() || end != fraction.data() + fraction.size()) return std::nullopt;
  return *seconds + std::chrono::milliseconds(milliseconds);
}

}  // namespace

std::string stream_label(WallTime since) {
  std::string label = iso8601(since);
  label.pop_back();  // the Z
  std::array<char, 8> fraction{};
  const auto milliseconds = since.time_since_epoch().count() % 1000;
  std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(milliseconds));
  return label + fraction.data();
}

std::string to_text(const StreamName& name) {
  return name.table_name + std::string(kInfix) + stream_label(name.since);
}

std::optional<StreamName> parse_stream_name(std::string_view text) {
  const std::size_t infix = text.find(kInfix);
  if (infix == std::string_view::npos || infix == 0) return std::nullopt;
  const auto since = parse_label(text.substr(infix + kInfix.size()));
  if (!since) return std::nullopt;
  return StreamName{std::string(text.substr(0, infix)), *since};
}

std::string shard_id(WallTime since, std::uint32_t shard) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "shardId-%020lld-%08x",
                static_cast<long long>(since.time_since_epoch().count()), shard);
  return text.data();
}

std::optional<std::uint32_t> parse_shard_id(WallTime since, std::string_view text) {
  constexpr std::size_t kShardChars = 8;
  if (text.size() < kShardChars) return std::nullopt;
  const std::string_view digits = text.substr(text.size() - kShardChars);
  std::uint32_t shard = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), shard, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return shard_id(since, shard) == text ? std::optional(shard) : std::nullopt;
}

}  // namespace tavola
