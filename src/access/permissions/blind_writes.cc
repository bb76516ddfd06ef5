#include "access/permissions/blind_writes.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

namespace tavola::access {
namespace {

// The start of a design's messages (design/rules/govern.cc).
constexpr std::string_view kOfDesign = "Tavola: ";
// The code of conflicts. Their messages quote nothing of the item.
constexpr std::string_view kConflict = "TransactionConflict";

std::string hushed(const std::string& message) {
  if (!message.starts_with(kOfDesign)) return message;
  const std::size_t position = message.ends_with(']') ? message.rfind(" [") : std::string::npos;
  return std::string(kOfDesign) +
         "the write breaks the design of its table; the reason is hidden because you may not read the item" +
         (position == std::string::npos ? std::string() : message.substr(position));
}

}  // namespace

Error without_stored_values(const Error& error) {
  const auto* const cancelled = error.detail<TransactionCancellation>();
  if (cancelled == nullptr) {
    const bool is_of_design = error.message().starts_with(kOfDesign);
    const bool is_hushed = is_of_design && error.code() != ErrorCode::TransactionConflict;
    return is_hushed ? Error(error.code(), hushed(error.message())) : error;
  }
  std::vector<CancellationReason> reasons = cancelled->reasons;
  for (CancellationReason& reason : reasons) {
    if (reason.code != kConflict) reason.message = hushed(reason.message);
  }
  return {error.code(), error.message(), std::make_shared<TransactionCancellation>(std::move(reasons))};
}

}  // namespace tavola::access
