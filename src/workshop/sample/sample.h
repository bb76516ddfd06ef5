// Sample data for any design: believable, whole and always the same for the same seed. What the design computes is
// computed, what it copies is copied, and every state of a lifecycle is reached by the transitions that lead there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "base/clock.h"
#include "design/model/model.h"

namespace tavola::workshop {

enum class Size : std::uint8_t {
  Small,   // 50 to 100 items
  Medium,  // 1,000 to 2,000
  Large,   // 10,000 and more
};
std::optional<Size> parse_size(std::string_view text);  // "small"

struct SampleOptions {
  Size size = Size::Small;
  std::uint64_t seed = 1;
  WallTime now{};  // everything happened before
};

// Takes the fields of one entity, complete: design::to_item() makes the item.
using SampleSink = std::function<Result<void>(const design::Entity& entity, const Item& fields)>;

// What is pointed at comes before what points at it. Fails when the sink does, or with Validation when the design's rules
// leave no value that could be found for a field.
Result<void> sample(const design::Design& design, const SampleOptions& options, const SampleSink& sink);

}  // namespace tavola::workshop
