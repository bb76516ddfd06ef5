#include <array>

#include <tavola/error.h>

namespace tavola {
namespace {

// Names in the order of ErrorCode; codes from Internal on are the server's fault and share one name.
constexpr std::array<std::string_view, static_cast<std::size_t>(ErrorCode::Internal)> kExceptionNames = {
    "ValidationException",
    "ResourceNotFoundException",
    "ResourceInUseException",
    "TableNotFoundException",
    "ConditionalCheckFailedException",
    "TransactionCanceledException",
    "TransactionConflictException",
    "TransactionInProgressException",
    "DuplicateItemException",
    "IdempotentParameterMismatchException",
    "ItemCollectionSizeLimitExceededException",
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "SerializationException",
    "AccessDeniedException",
    "MissingAuthenticationTokenException",
    "IncompleteSignatureException",
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "UnknownOperationException",
    "TrimmedDataAccessException",
    "ExpiredIteratorException",
    "TableAlreadyExistsException",
    "TableInUseException",
    "BackupNotFoundException",
    "BackupInUseException",
    "ContinuousBackupsUnavailableException",
    "PointInTimeRecoveryUnavailableException",
    "InvalidRestoreTimeException",
    "ExportNotFoundException",
    "ExportConflictException",
    "InvalidExportTimeException",
    "ImportNotFoundException",
    "ImportConflictException",
    "PolicyNotFoundException",
};
static_assert(!kExceptionNames.back().empty());

}  // namespace

std::string_view exception_name(ErrorCode code) {
  const auto number = static_cast<std::size_t>(code);
  return number < kExceptionNames.size() ? kExceptionNames[number] : "InternalServerError";
}

}  // namespace tavola
