#include "wire/service.h"

#include "database/constraints.h"
#include "database/throttling.h"
#include "json/writer.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {
namespace {

// The text before the '#' of an error's type names the part of AWS that found it.
std::string_view origin_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Validation:
      return "com.amazon.coral.validate#";
    case ErrorCode::Throttling:
      return "com.amazon.coral.availability#";
    case ErrorCode::Serialization:
    case ErrorCode::UnknownOperation:
    case ErrorCode::AccessDenied:
    case ErrorCode::MissingAuthenticationToken:
    case ErrorCode::IncompleteSignature:
    case ErrorCode::InvalidSignature:
    case ErrorCode::UnrecognizedClient:
      return "com.amazon.coral.service#";
    default:
      return "com.amazonaws.dynamodb.v20120810#";
  }
}

// Maximum length of a message: it may quote megabytes of a request.
constexpr std::size_t kMessageBytesMax = 64UL * 1024;

bool is_our_fault(ErrorCode code) { return code >= ErrorCode::Internal; }

// AWS capitalises the member in some errors.
std::string_view message_member(ErrorCode code) {
  return code == ErrorCode::Serialization || code == ErrorCode::TransactionCanceled ||
                 code == ErrorCode::AccessDenied
             ? "Message"
             : "message";
}

void write_reasons(json::Writer& json, const std::vector<CancellationReason>& reasons) {
  json.name("CancellationReasons").begin_list();
  for (const CancellationReason& reason : reasons) {
    json.begin_object();
    json.name("Code").text(reason.code);
    if (reason.item) {
      json.name("Item");
      write_item(json, reason.item->view());
    }
    if (!reason.message.empty()) json.name("Message").text(reason.message);
    json.end_object();
  }
  json.end_list();
}

// ThrottlingReasons of ProvisionedThroughputExceededException and ThrottlingException (API reference, ThrottlingReason).
void write_throttling(json::Writer& json, const std::vector<Throttled>& reasons,
                      const ServerIdentity& server) {
  json.name("ThrottlingReasons").begin_list();
  for (const Throttled& throttled : reasons) {
    json.begin_object();
    json.name("reason").text(reason_name(throttled));
    json.name("resource")
        .text(table_arn(server, throttled.table) +
              (throttled.index.empty() ? "" : "/index/" + throttled.index));
    json.end_object();
  }
  json.end_list();
}

}  // namespace

Answer error_answer(const Error& error, const ServerIdentity& server) {
  Answer answer{.status = is_our_fault(error.code()) ? 500 : 400,
                .body = {},
                .exception = exception_name(error.code())};
  json::Writer json(answer.body);
  json.begin_object();
  json.name("__type").text(std::string(origin_of(error.code())) + std::string(answer.exception));
  if (const auto* failure = error.detail<ConditionFailure>()) {
    json.name("Item");
    write_item(json, failure->item.view());
  }
  if (const auto* cancellation = error.detail<TransactionCancellation>()) {
    write_reasons(json, cancellation->reasons);
  }
  if (const auto* throttling = error.detail<ThrottlingDetail>()) {
    write_throttling(json, throttling->reasons, server);
  }
  if (!error.message().empty()) {
    json.name(message_member(error.code())).text(shortened(error.message(), kMessageBytesMax));
  }
  json.end_object();
  return answer;
}

const KnownOperation* operation_of_target(std::string_view target, Answer& refused) {
  const std::size_t dot = target.find('.');
  const std::string_view prefix = target.substr(0, dot);
  const bool streams = prefix == "DynamoDBStreams_20120810";
  const bool ours = dot != std::string_view::npos && (streams || prefix == "DynamoDB_20120810");
  const std::string_view name = ours ? target.substr(dot + 1) : std::string_view();
  const KnownOperation* operation = find_operation(name);
  const Service wanted = streams ? Service::Streams : Service::Database;
  if (operation != nullptr && operation->service != wanted) operation = nullptr;
  if (operation == nullptr) {
    refused = error_answer(
        Error(ErrorCode::UnknownOperation, ours && !name.empty()
                                               ? "Tavola does not support the operation " + std::string(name)
                                               : std::string()));
  }
  return operation;
}

Answer run(const KnownOperation& operation, Database& database, const ServerIdentity& server,
           std::string_view body) {
  const Result<JsonDocument> document = JsonDocument::parse(body);
  if (!document) return error_answer(document.error());
  if (document->root().type() != JsonType::Object) {
    return error_answer(Error(ErrorCode::Serialization, "Start of structure or map expected"));
  }
  Result<std::string> response = operation.run({database, server, document->root()});
  if (!response) return error_answer(response.error(), server);
  return {.status = 200, .body = *std::move(response), .exception = {}};
}

}  // namespace tavola::wire
