#include "database/messages.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/joined.h"

namespace tavola {

Error transaction_cancelled(std::vector<CancellationReason> reasons) {
  const std::string codes = joined(reasons, &CancellationReason::code);
  return {ErrorCode::TransactionCanceled,
          "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]",
          std::make_shared<TransactionCancellation>(std::move(reasons))};
}

bool settles_transaction(const Error& error) {
  const auto* const cancellation = error.detail<TransactionCancellation>();
  return cancellation != nullptr &&
         std::ranges::any_of(cancellation->reasons, [](const CancellationReason& reason) {
           return reason.code == "ConditionalCheckFailed" || reason.code == "ValidationError";
         });
}

}  // namespace tavola
