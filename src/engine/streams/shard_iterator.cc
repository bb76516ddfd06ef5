#include "engine/streams/shard_iterator.h"

#include <algorithm>
#include <charconv>

#include "base/encoding.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kInfix = "|1|";  // as in AWS's iterators, after the stream's name
constexpr std::size_t kDigits = 21;

}  // namespace

// <stream>|1|<base64url of: shard u32, position u64, milliseconds u64, misses u16>
std::string to_text(const ShardIterator& iterator) {
  std::string bytes;
  append_ordered_u32(bytes, iterator.shard);
  append_ordered_u64(bytes, iterator.position);
  append_ordered_u64(bytes, static_cast<std::uint64_t>(iterator.issued.time_since_epoch().count()));
  append_ordered_u16(bytes, iterator.misses_what_is_trimmed ? 1 : 0);
  return to_text(iterator.stream) + std::string(kInfix) + to_base64url(bytes);
}

std::optional<ShardIterator> parse_shard_iterator(std::string_view text) {
  const std::size_t infix = text.find(kInfix);
  if (infix == std::string_view::npos) return std::nullopt;
  const auto stream = parse_stream_name(text.substr(0, infix));
  const auto bytes = from_base64url(text.substr(infix + kInfix.size()));
  if (!stream || !bytes) return std::nullopt;
  std::string_view rest = *bytes;
  const auto shard = read_ordered_u32(rest);
  const auto position = read_ordered_u64(rest);
  const auto issued = read_ordered_u64(rest);
  const auto misses = read_ordered_u16(rest);
  if (!shard || !position || !issued || !misses || *misses > 1 || !rest.empty()) return std::nullopt;
  return ShardIterator{.stream = *stream,
                       .shard = *shard,
                       .position = *position,
                       .issued = WallTime(std::chrono::milliseconds(static_cast<std::int64_t>(*issued))),
                       .misses_what_is_trimmed = *misses == 1};
}

std::string sequence_number(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return "1" + std::string(kDigits - 1 - digits.size(), '0') + digits;
}

std::optional<std::uint64_t> parse_sequence_number(std::string_view text) {
  if (text.size() != kDigits || text.front() != '1') return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace tavola::engine
