#include "design/model/timestamps.h"

#include <cstdint>

#include "base/assert.h"

namespace tavola::design {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = AttributeType::Kind;

}  // namespace

AttributeType moment_type(const AttributeType& type) {
  if (type.is_timestamp()) return type;
  return {stored_type(type) == Type::Number ? Kind::TimestampMs : Kind::TimestampIso, {}};
}

Value normal_time(const AttributeType& type, const Value& value) {
  if (type.kind == Kind::TimestampIso) {
    auto normal = value.is_string() ? normal_iso8601(value.string(), type.digits) : std::nullopt;
    return normal ? Value(*std::move(normal)) : value;
  }
  if (value.is_string()) {
    const auto moment = parse_any_iso8601(value.string());
    return moment ? write_moment(type, *moment) : value;
  }
  return value.is_number() && !value.number().is_integer() ? Value(value.number().floor()) : value;
}

Value write_moment(const AttributeType& type, WallTime moment) {
  TAVOLA_ASSERT(type.is_timestamp());
  if (type.kind == Kind::TimestampMs) return static_cast<std::int64_t>(moment.time_since_epoch().count());
  if (type.kind == Kind::TimestampS) {
    return static_cast<std::int64_t>(std::chrono::floor<seconds>(moment).time_since_epoch().count());
  }
  return iso8601(moment, type.digits);
}

std::optional<WallTime> read_moment(const AttributeType& type, const Value& value) {
  if (type.kind == Kind::TimestampIso) {
    return value.is_string() ? parse_any_iso8601(value.string()) : std::nullopt;
  }
  if (!type.is_timestamp() || !value.is_number()) return std::nullopt;
  const auto count = value.number().to_int64();
  if (!count) return std::nullopt;
  if (type.kind == Kind::TimestampMs) return WallTime(milliseconds(*count));
  constexpr std::int64_t kSecondsMax = milliseconds::max().count() / 1000;
  if (*count > kSecondsMax || *count < -kSecondsMax) return std::nullopt;
  return WallTime(seconds(*count));
}

}  // namespace tavola::design
