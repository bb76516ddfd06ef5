#include <tavola/error.h>

namespace tavola {

std::string_view exception_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::Validation:
      return "ValidationException";
    case ErrorCode::ResourceNotFound:
      return "ResourceNotFoundException";
    case ErrorCode::ResourceInUse:
      return "ResourceInUseException";
    case ErrorCode::TableNotFound:
      return "TableNotFoundException";
    case ErrorCode::ConditionalCheckFailed:
      return "ConditionalCheckFailedException";
    case ErrorCode::TransactionCanceled:
      return "TransactionCanceledException";
    case ErrorCode::TransactionConflict:
      return "TransactionConflictException";
    case ErrorCode::TransactionInProgress:
      return "TransactionInProgressException";
    case ErrorCode::DuplicateItem:
      return "DuplicateItemException";
    case ErrorCode::IdempotentParameterMismatch:
      return "IdempotentParameterMismatchException";
    case ErrorCode::ItemCollectionSizeLimitExceeded:
      return "ItemCollectionSizeLimitExceededException";
    case ErrorCode::LimitExceeded:
      return "LimitExceededException";
    case ErrorCode::ProvisionedThroughputExceeded:
      return "ProvisionedThroughputExceededException";
    case ErrorCode::Throttling:
      return "ThrottlingException";
    case ErrorCode::Serialization:
      return "SerializationException";
    case ErrorCode::AccessDenied:
      return "AccessDeniedException";
    case ErrorCode::MissingAuthenticationToken:
      return "MissingAuthenticationTokenException";
    case ErrorCode::IncompleteSignature:
      return "IncompleteSignatureException";
    case ErrorCode::UnrecognizedClient:
      return "UnrecognizedClientException";
    case ErrorCode::InvalidSignature:
      return "InvalidSignatureException";
    case ErrorCode::UnknownOperation:
      return "UnknownOperationException";
    case ErrorCode::TrimmedDataAccess:
      return "TrimmedDataAccessException";
    case ErrorCode::ExpiredIterator:
      return "ExpiredIteratorException";
    case ErrorCode::TableAlreadyExists:
      return "TableAlreadyExistsException";
    case ErrorCode::TableInUse:
      return "TableInUseException";
    case ErrorCode::BackupNotFound:
      return "BackupNotFoundException";
    case ErrorCode::BackupInUse:
      return "BackupInUseException";
    case ErrorCode::ContinuousBackupsUnavailable:
      return "ContinuousBackupsUnavailableException";
    case ErrorCode::PointInTimeRecoveryUnavailable:
      return "PointInTimeRecoveryUnavailableException";
    case ErrorCode::InvalidRestoreTime:
      return "InvalidRestoreTimeException";
    case ErrorCode::ExportNotFound:
      return "ExportNotFoundException";
    case ErrorCode::ExportConflict:
      return "ExportConflictException";
    case ErrorCode::InvalidExportTime:
      return "InvalidExportTimeException";
    case ErrorCode::ImportNotFound:
      return "ImportNotFoundException";
    case ErrorCode::ImportConflict:
      return "ImportConflictException";
    case ErrorCode::PolicyNotFound:
      return "PolicyNotFoundException";
    case ErrorCode::Internal:
    case ErrorCode::Locked:
    case ErrorCode::Corrupt:
    case ErrorCode::NewerFormat:
    case ErrorCode::DiskFull:
    case ErrorCode::Io:
    case ErrorCode::Stale:
      return "InternalServerError";
  }
  return "InternalServerError";
}

}  // namespace tavola
