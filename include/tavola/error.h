// One error type and one result type for everything that can fail.
//
//   Result<Item> load() {
//     TAVOLA_TRY(auto bytes, read_file());        // returns the error, or declares `bytes`
//     TAVOLA_CHECK(validate(bytes));              // for Result<void>
//     return decode(bytes);
//   }
//
// A failure is a value; no operation throws one. Exceptions come only from C++ itself, for a mistake or for lack of
// memory: Value's accessors on another type (value.h), Result::value() on an error, std::bad_alloc. `Error` is cheap to
// move and may be copied across threads.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tavola {

// Error codes. The first group are DynamoDB's exceptions, as clients know them; the second are failures of the machine
// or the data directory, which a DynamoDB client would only see as InternalServerError.
enum class ErrorCode : std::uint8_t {
  Validation,
  ResourceNotFound,
  ResourceInUse,
  TableNotFound,
  ConditionalCheckFailed,
  TransactionCanceled,
  TransactionConflict,
  TransactionInProgress,
  DuplicateItem,
  IdempotentParameterMismatch,
  ItemCollectionSizeLimitExceeded,
  LimitExceeded,
  ProvisionedThroughputExceeded,
  Throttling,
  Serialization,
  AccessDenied,
  MissingAuthenticationToken,
  IncompleteSignature,
  UnrecognizedClient,
  InvalidSignature,
  UnknownOperation,
  TrimmedDataAccess,
  ExpiredIterator,
  TableAlreadyExists,
  TableInUse,
  BackupNotFound,
  BackupInUse,
  ContinuousBackupsUnavailable,
  PointInTimeRecoveryUnavailable,
  InvalidRestoreTime,
  ExportNotFound,
  ExportConflict,
  InvalidExportTime,
  ImportNotFound,
  ImportConflict,
  PolicyNotFound,

  Internal,     // a bug, or an unexpected result from the storage layer
  Locked,       // another process holds the data directory
  Corrupt,      // stored bytes are not what was written
  NewerFormat,  // the data was written by a newer Tavola
  DiskFull,     // no space left; acknowledged writes are safe
  Io,           // the operating system refused a file operation
  Stale,        // a guarded value changed concurrently; reload and try again (never leaves the engine)
};

// Returns DynamoDB's name of the exception, e.g. "ValidationException"; "InternalServerError" for the second group.
std::string_view exception_name(ErrorCode code);

// Base of the data that an error may carry beside its message (the item of a failed condition, cancellation reasons).
struct ErrorDetail {
  virtual ~ErrorDetail() = default;
};

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message, std::shared_ptr<const ErrorDetail> detail = nullptr)
      : code_(code), message_(std::move(message)), detail_(std::move(detail)) {}

  static Error validation(std::string message) { return {ErrorCode::Validation, std::move(message)}; }
  static Error resource_not_found(std::string message) {
    return {ErrorCode::ResourceNotFound, std::move(message)};
  }
  static Error resource_in_use(std::string message) { return {ErrorCode::ResourceInUse, std::move(message)}; }
  static Error limit_exceeded(std::string message) { return {ErrorCode::LimitExceeded, std::move(message)}; }
  static Error internal(std::string message) { return {ErrorCode::Internal, std::move(message)}; }
  static Error corrupt(std::string message) { return {ErrorCode::Corrupt, std::move(message)}; }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // Returns the detail of type D, or null if the error carries none or one of another type.
  template <class D>
  const D* detail() const {
    return dynamic_cast<const D*>(detail_.get());
  }
  const std::shared_ptr<const ErrorDetail>& detail() const { return detail_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::shared_ptr<const ErrorDetail> detail_;
};

// A value or an Error: std::expected, with a compiler warning if one is ignored. The type itself is nodiscard, because
// g++ 12 ignores the attribute on a virtual function.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace tavola

#define TAVOLA_CONCAT_INNER(a, b) a##b
#define TAVOLA_CONCAT(a, b) TAVOLA_CONCAT_INNER(a, b)

// TAVOLA_TRY(auto x, f()): declares x from f()'s value, or returns f()'s error from the enclosing function.
#define TAVOLA_TRY(declaration, expression) \
  TAVOLA_TRY_AS(TAVOLA_CONCAT(tavola_result_, __LINE__), declaration, expression)
#define TAVOLA_TRY_AS(result, declaration, expression) \
  auto result = (expression);                          \
  if (!result) [[unlikely]]                            \
    return ::tavola::fail(std::move(result).error());  \
  declaration = *std::move(result)

// TAVOLA_CHECK(f()): returns f()'s error from the enclosing function, if it has one; drops its value.
#define TAVOLA_CHECK(expression)                                                         \
  do {                                                                                   \
    if (auto&& tavola_check = (expression); !tavola_check) [[unlikely]]                  \
      return ::tavola::fail(std::forward<decltype(tavola_check)>(tavola_check).error()); \
  } while (false)
