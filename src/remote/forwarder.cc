#include "remote/forwarder.h"

#include <algorithm>
#include <utility>

namespace tavola::remote {
namespace {

// By its name, because the operation may be one that this program does not know.
bool only_reads(std::string_view operation) {
  constexpr std::string_view kReads[] = {"BatchGetItem", "Query", "Scan", "TransactGetItems"};
  constexpr std::string_view kBeginnings[] = {"Describe", "Get", "List"};
  return std::ranges::find(kReads, operation) != std::end(kReads) ||
         std::ranges::any_of(kBeginnings, [operation](auto begin) { return operation.starts_with(begin); });
}

}  // namespace

Forwarder::Forwarder(Target target) : client_(transport_to(std::move(target))) {}

Result<HttpAnswer> Forwarder::send(Operation operation) {
  const Again again = only_reads(operation.name) ? Again::Always : Again::WhenNothingHappened;
  return client_.exchange(std::move(operation), again);
}

}  // namespace tavola::remote
