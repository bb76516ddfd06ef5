// Sample data for any design: plausible, complete and always equal for equal seeds. Computed fields are computed,
// copies are copied, and every state of a lifecycle is reached by its transitions.
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
  std::optional<std::size_t> items{};  // about so many, instead of `size`
  std::uint64_t seed = 1;
  WallTime now{};  // all events happened before
};

// Receives the complete fields of one entity: design::to_item() makes the item.
using SampleSink = std::function<Result<void>(const design::Entity& entity, const Item& fields)>;

// Targets of references come before their sources. Fails if the sink does, or with Validation if no value of a field
// satisfies the design's rules.
Result<void> sample(const design::Design& design, const SampleOptions& options, const SampleSink& sink);

}  // namespace tavola::workshop
