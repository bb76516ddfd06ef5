#include <utility>

#include <gtest/gtest.h>

#include <tavola/error.h>

namespace tavola {
namespace {

struct Reason final : ErrorDetail {
  explicit Reason(int why) : number(why) {}
  int number;
};
struct OtherReason final : ErrorDetail {};

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Error::validation(std::to_string(value) + " is odd"));
  return value / 2;
}

Result<void> check_even(int value) {
  TAVOLA_CHECK(half(value));
  return {};
}

Result<int> quarter(int value) {
  TAVOLA_TRY(const int first, half(value));
  TAVOLA_TRY(const int second, half(first));
  return second;
}

TEST(Error, TryReturnsTheFirstError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(7).error().message(), "7 is odd");
  EXPECT_EQ(quarter(6).error().message(), "3 is odd");
}

TEST(Error, CheckDropsTheValue) {
  EXPECT_TRUE(check_even(4).has_value());
  EXPECT_EQ(check_even(5).error().message(), "5 is odd");
}

TEST(Error, DetailIsFoundByItsType) {
  const Error error(ErrorCode::ConditionalCheckFailed, "failed", std::make_shared<Reason>(42));
  const Error copy = error;
  ASSERT_NE(copy.detail<Reason>(), nullptr);
  EXPECT_EQ(copy.detail<Reason>()->number, 42);
  EXPECT_EQ(copy.detail<OtherReason>(), nullptr);
  EXPECT_EQ(Error::internal("x").detail<Reason>(), nullptr);
}

TEST(Error, FactoriesSetTheirCode) {
  EXPECT_EQ(Error::validation("m").code(), ErrorCode::Validation);
  EXPECT_EQ(Error::resource_not_found("m").code(), ErrorCode::ResourceNotFound);
  EXPECT_EQ(Error::resource_in_use("m").code(), ErrorCode::ResourceInUse);
  EXPECT_EQ(Error::limit_exceeded("m").code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(Error::internal("m").code(), ErrorCode::Internal);
  EXPECT_EQ(Error::corrupt("m").code(), ErrorCode::Corrupt);
}

// Clients switch on these names.
TEST(Error, ExceptionNames) {
  const std::pair<ErrorCode, std::string_view> names[] = {
      {ErrorCode::Validation, "ValidationException"},
      {ErrorCode::ResourceNotFound, "ResourceNotFoundException"},
      {ErrorCode::ResourceInUse, "ResourceInUseException"},
      {ErrorCode::TableNotFound, "TableNotFoundException"},
      {ErrorCode::ConditionalCheckFailed, "ConditionalCheckFailedException"},
      {ErrorCode::TransactionCanceled, "TransactionCanceledException"},
      {ErrorCode::TransactionConflict, "TransactionConflictException"},
      {ErrorCode::TransactionInProgress, "TransactionInProgressException"},
      {ErrorCode::DuplicateItem, "DuplicateItemException"},
      {ErrorCode::IdempotentParameterMismatch, "IdempotentParameterMismatchException"},
      {ErrorCode::ItemCollectionSizeLimitExceeded, "ItemCollectionSizeLimitExceededException"},
      {ErrorCode::LimitExceeded, "LimitExceededException"},
      {ErrorCode::ProvisionedThroughputExceeded, "ProvisionedThroughputExceededException"},
      {ErrorCode::Throttling, "ThrottlingException"},
      {ErrorCode::Serialization, "SerializationException"},
      {ErrorCode::AccessDenied, "AccessDeniedException"},
      {ErrorCode::MissingAuthenticationToken, "MissingAuthenticationTokenException"},
      {ErrorCode::IncompleteSignature, "IncompleteSignatureException"},
      {ErrorCode::UnrecognizedClient, "UnrecognizedClientException"},
      {ErrorCode::InvalidSignature, "InvalidSignatureException"},
      {ErrorCode::UnknownOperation, "UnknownOperationException"},
      {ErrorCode::TrimmedDataAccess, "TrimmedDataAccessException"},
      {ErrorCode::ExpiredIterator, "ExpiredIteratorException"},
      {ErrorCode::TableAlreadyExists, "TableAlreadyExistsException"},
      {ErrorCode::TableInUse, "TableInUseException"},
      {ErrorCode::BackupNotFound, "BackupNotFoundException"},
      {ErrorCode::BackupInUse, "BackupInUseException"},
      {ErrorCode::ContinuousBackupsUnavailable, "ContinuousBackupsUnavailableException"},
      {ErrorCode::PointInTimeRecoveryUnavailable, "PointInTimeRecoveryUnavailableException"},
      {ErrorCode::InvalidRestoreTime, "InvalidRestoreTimeException"},
      {ErrorCode::ExportNotFound, "ExportNotFoundException"},
      {ErrorCode::ExportConflict, "ExportConflictException"},
      {ErrorCode::InvalidExportTime, "InvalidExportTimeException"},
      {ErrorCode::ImportNotFound, "ImportNotFoundException"},
      {ErrorCode::ImportConflict, "ImportConflictException"},
      {ErrorCode::PolicyNotFound, "PolicyNotFoundException"},
      {ErrorCode::Internal, "InternalServerError"},
      {ErrorCode::Locked, "InternalServerError"},
      {ErrorCode::Corrupt, "InternalServerError"},
      {ErrorCode::NewerFormat, "InternalServerError"},
      {ErrorCode::DiskFull, "InternalServerError"},
      {ErrorCode::Io, "InternalServerError"},
      {ErrorCode::Stale, "InternalServerError"},
  };
  for (const auto& [code, name] : names) EXPECT_EQ(exception_name(code), name);
}

}  // namespace
}  // namespace tavola
