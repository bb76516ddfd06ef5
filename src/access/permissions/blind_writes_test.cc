#include "access/permissions/blind_writes.h"

#include <gtest/gtest.h>

#include <tavola/requests.h>

namespace tavola::access {
namespace {

const std::string kQuoting = "Tavola: Letter.seal may not change (was \"red\") [letters.yaml:20]";
const std::string kHushed =
    "Tavola: the write breaks the design of its table; the reason is hidden because you may not read the "
    "item "
    "[letters.yaml:20]";
const std::string kLater =
    "Tavola: dependents of the deleted item with this key are still being deleted. Try again in a moment.";

TEST(BlindWrites, HideWhatTheDesignQuotes) {
  EXPECT_EQ(without_stored_values(Error(ErrorCode::Validation, kQuoting)).message(), kHushed);
  EXPECT_EQ(without_stored_values(Error(ErrorCode::Validation, "The item is too large")).message(),
            "The item is too large");
}

TEST(BlindWrites, TellWhenTryingAgainHelps) {
  EXPECT_EQ(without_stored_values(Error(ErrorCode::TransactionConflict, kLater)).message(), kLater);
  const std::vector<CancellationReason> reasons{{.code = "TransactionConflict", .message = kLater},
                                                {.code = "ValidationError", .message = kQuoting}};
  const Error error = without_stored_values(
      {ErrorCode::TransactionCanceled, "cancelled", std::make_shared<TransactionCancellation>(reasons)});
  const auto* const cancellation = error.detail<TransactionCancellation>();
  ASSERT_NE(cancellation, nullptr);
  EXPECT_EQ(cancellation->reasons[0].message, kLater);
  EXPECT_EQ(cancellation->reasons[1].message, kHushed);
}

}  // namespace
}  // namespace tavola::access
