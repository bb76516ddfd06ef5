// Any text is a fault plan, or is refused; a plan is read back from its own text.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "server/layers/fault_plan.h"

using namespace tavola;
using namespace tavola::server;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = parse_fault_plan({reinterpret_cast<const char*>(data), size});
  if (!plan) {
    TAVOLA_ASSERT(plan.error().code() == ErrorCode::Validation && !plan.error().message().empty());
    return 0;
  }
  const auto again = parse_fault_plan(to_text(*plan));
  TAVOLA_ASSERT(again && *again == *plan);
  return 0;
}
