#include "database/messages.h"

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

}  // namespace tavola
