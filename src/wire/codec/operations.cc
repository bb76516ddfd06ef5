#include "wire/codec/operations.h"

#include <algorithm>
#include <array>

namespace tavola::wire {
namespace {

constexpr std::array kOperations = {
#define TAVOLA_OPERATION(name, function) KnownOperation{#name, function, Service::Database},
#define TAVOLA_STREAMS_OPERATION(name, function) KnownOperation{#name, function, Service::Streams},
#include "wire/codec/operations.inc"
#undef TAVOLA_OPERATION
};
static_assert(std::ranges::is_sorted(kOperations, {}, &KnownOperation::name));

}  // namespace

std::span<const KnownOperation> all_operations() { return kOperations; }

const KnownOperation* find_operation(std::string_view name) {
  const auto found = std::ranges::lower_bound(kOperations, name, {}, &KnownOperation::name);
  return found != kOperations.end() && found->name == name ? found : nullptr;
}

}  // namespace tavola::wire
