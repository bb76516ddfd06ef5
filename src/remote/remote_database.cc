#include "remote/remote_database.h"

#include <cstdlib>
#include <thread>

#include "base/random.h"
#include "base/retry.h"
#include "json/writer.h"
#include "remote/post.h"
#include "wire/client/answers.h"
#include "wire/client/batch_answers.h"
#include "wire/client/stream_answers.h"
#include "wire/client/write_requests.h"
#include "wire/codec/created_table.h"

namespace tavola::remote {
namespace {

std::string table_body(const std::string& table) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TableName").text(table);
  json.end_object();
  return out;
}

std::string list_body(const ListTablesRequest& request) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!request.exclusive_start_table_name.empty()) {
    json.name("ExclusiveStartTableName").text(request.exclusive_start_table_name);
  }
  if (request.limit) json.name("Limit").integer(*request.limit);
  json.end_object();
  return out;
}

std::unexpected<Error> not_sent(std::string_view operation) {
  return fail(Error::internal(std::string(operation) + " is not supported on remote databases"));
}

// When a failed request may be sent again. A server that throttles has done nothing; one that fails may have.
enum class Again : bool { WhenThrottled, Always };

constexpr int kTriesMax = 8;

bool may_help(Again again, long status, ErrorCode code) {
  switch (code) {
    case ErrorCode::ProvisionedThroughputExceeded:
    case ErrorCode::Throttling:
    case ErrorCode::TransactionInProgress:  // this transaction, sent before
      return true;
    default:
      return again == Again::Always && status >= 500;
  }
}

std::chrono::milliseconds pause_after(int tries) {
  constexpr RetryDelays kDelays{.first = std::chrono::milliseconds(50), .longest = std::chrono::seconds(5)};
  return std::chrono::ceil<std::chrono::milliseconds>(delay_after(tries, kDelays, Random::system()));
}

class Upstream final : public Database {
 public:
  explicit Upstream(Transport transport) : transport_(std::move(transport)) {}

  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override {
    TAVOLA_TRY(TableDescription table,
               ask(Again::WhenThrottled, "CreateTable", wire::to_json(request),
                   [](wire::JsonValue body) { return wire::read_table(body, "TableDescription"); }));
    return CreateTableResponse{std::move(table)};
  }
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    TAVOLA_TRY(TableDescription table,
               ask(Again::Always, "DescribeTable", table_body(request.table_name),
                   [](wire::JsonValue body) { return wire::read_table(body, "Table"); }));
    return DescribeTableResponse{std::move(table)};
  }
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override {
    return ask(Again::Always, "ListTables", list_body(request), wire::read_list_tables);
  }
  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    return ask(Again::WhenThrottled, "PutItem", wire::to_json(request), wire::read_write);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    return ask(Again::Always, "GetItem", wire::to_json(request), wire::read_get_item);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    return ask(Again::WhenThrottled, "UpdateItem", wire::to_json(request), wire::read_write);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    return ask(Again::WhenThrottled, "DeleteItem", wire::to_json(request), wire::read_write);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    if (request.may_see) return not_sent("Filtering items by permission");
    return ask(Again::Always, "Query", wire::to_json(request), wire::read_page);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    if (request.may_see) return not_sent("Filtering items by permission");
    return ask(Again::Always, "Scan", wire::to_json(request), wire::read_page);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    return ask(Again::Always, "TransactGetItems", wire::to_json(request), wire::read_transact_get);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    // Its token identifies a transaction that is sent again.
    TransactWriteItemsRequest known = request;
    if (known.client_request_token.empty()) known.client_request_token = make_uuid(Random::system());
    return ask(Again::Always, "TransactWriteItems", wire::to_json(known), wire::read_transact_write);
  }

  Result<UpdateTableResponse> update_table(const UpdateTableRequest&) override {
    return not_sent("UpdateTable");
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override {
    TAVOLA_TRY(TableDescription table,
               ask(Again::WhenThrottled, "DeleteTable", table_body(request.table_name),
                   [](wire::JsonValue body) { return wire::read_table(body, "TableDescription"); }));
    return DeleteTableResponse{std::move(table)};
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    return ask(Again::Always, "BatchGetItem", wire::batch_get_body(request),
               [&request](wire::JsonValue body) { return wire::read_batch_get(body, request); });
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    return ask(Again::WhenThrottled, "BatchWriteItem", wire::batch_write_body(request),
               wire::read_batch_write);
  }
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) override {
    TAVOLA_CHECK(sent(Again::WhenThrottled, "UpdateTimeToLive", wire::time_to_live_body(request)));
    return UpdateTimeToLiveResponse{request.attribute_name, request.enabled};
  }
  Result<DescribeTimeToLiveResponse> describe_time_to_live(
      const DescribeTimeToLiveRequest& request) override {
    return ask(Again::Always, "DescribeTimeToLive", table_body(request.table_name), wire::read_time_to_live);
  }
  Result<void> tag_resource(const TagResourceRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of_table(request.table_name));
    TAVOLA_CHECK(sent(Again::Always, "TagResource", wire::tag_body(arn, request.tags)));
    return {};
  }
  Result<void> untag_resource(const UntagResourceRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of_table(request.table_name));
    TAVOLA_CHECK(sent(Again::Always, "UntagResource", wire::untag_body(arn, request.tag_keys)));
    return {};
  }
  Result<ListTagsOfResourceResponse> list_tags_of_resource(
      const ListTagsOfResourceRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of_table(request.table_name));
    ListTagsOfResourceResponse response;
    std::string next_token;
    do {
      TAVOLA_TRY(wire::TagsPage page, ask(Again::Always, "ListTagsOfResource",
                                          wire::list_tags_body(arn, next_token), wire::read_tags_page));
      response.tags.merge(page.tags);
      next_token = page.next_token;
    } while (!next_token.empty());
    return response;
  }

  Result<ListStreamsResponse> list_streams(const ListStreamsRequest& request) override {
    std::string start;
    if (!request.exclusive_start_stream.empty()) {
      TAVOLA_TRY(start, arn_of(request.exclusive_start_stream));
    }
    TAVOLA_TRY(const wire::RemoteStreams streams, list(request, start));
    return wire::to_streams(streams);
  }
  Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of(request.stream));
    return ask(Again::Always, "DescribeStream", wire::describe_stream_body(request, arn), wire::read_stream);
  }
  Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of(request.stream));
    return ask(Again::Always, "GetShardIterator", wire::shard_iterator_body(request, arn),
               wire::read_shard_iterator);
  }
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& request) override {
    return ask(Again::Always, "GetRecords", wire::get_records_body(request), wire::read_records);
  }

 private:
  Result<wire::RemoteStreams> list(const ListStreamsRequest& request, const std::string& start_arn) {
    return ask(Again::Always, "ListStreams", wire::list_streams_body(request, start_arn),
               wire::read_remote_streams);
  }

  Result<std::string> arn_of_table(const std::string& table) {
    return ask(Again::Always, "DescribeTable", table_body(table), wire::read_table_arn);
  }

  // The server knows its region and account.
  Result<std::string> arn_of(const std::string& stream) {
    ListStreamsRequest request;
    request.table_name = stream.substr(0, stream.find('/'));
    std::string start;
    do {
      TAVOLA_TRY(const wire::RemoteStreams streams, list(request, start));
      for (const std::string& arn : streams.arns) {
        if (arn.ends_with(":table/" + stream)) return arn;
      }
      start = streams.last_evaluated_arn;
    } while (!start.empty());
    return fail(Error::resource_not_found("Requested resource not found: Stream: " + stream + " not found"));
  }

  // Sends a request, with retries, and reads the response with `read`.
  template <class Read>
  auto ask(Again again, std::string_view operation, const std::string& request, Read read)
      -> std::invoke_result_t<Read, wire::JsonValue> {
    TAVOLA_TRY(const std::string answer, sent(again, operation, request));
    const Result<wire::JsonDocument> document = wire::JsonDocument::parse(answer);
    if (!document || document->root().type() != wire::JsonType::Object) {
      return fail(Error::internal("the endpoint does not respond like DynamoDB"));
    }
    return read(document->root());
  }

  // Returns the body of the response, or its error.
  Result<std::string> sent(Again again, std::string_view operation, const std::string& request) const {
    for (int tries = 1;; ++tries) {
      TAVOLA_TRY(HttpAnswer answer, transport_.post(operation, request));
      if (answer.status < 300) return std::move(answer.body);
      Error error = wire::read_error(answer.status, answer.body);
      if (tries == kTriesMax || !may_help(again, answer.status, error.code())) return fail(std::move(error));
      transport_.pause(pause_after(tries));
    }
  }

  Transport transport_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string first_of(std::string a, std::string b) { return a.empty() ? std::move(b) : std::move(a); }

std::string url_of(const Endpoint& endpoint, std::string_view path) {
  std::string url = endpoint.url;
  while (url.ends_with('/')) url.pop_back();
  return url + std::string(path);
}

}  // namespace

Endpoint from_environment(std::string url) {
  return {.url = std::move(url),
          .access_key = first_of(variable("AWS_ACCESS_KEY_ID"), "anybody"),
          .secret = first_of(variable("AWS_SECRET_ACCESS_KEY"), "anything"),
          .session_token = variable("AWS_SESSION_TOKEN"),
          .region = first_of(variable("AWS_REGION"), first_of(variable("AWS_DEFAULT_REGION"), "us-east-1")),
          .ca_bundle = variable("AWS_CA_BUNDLE")};
}

Result<std::unique_ptr<Database>> connect(Endpoint endpoint) {
  if (!endpoint.url.starts_with("http://") && !endpoint.url.starts_with("https://")) {
    return fail(
        Error::validation("an endpoint must be a URL like http://127.0.0.1:8000 (got " + endpoint.url + ")"));
  }
  const auto connection = std::make_shared<Connection>(std::move(endpoint));
  return database_behind(
      {.post = [connection](std::string_view operation,
                            const std::string& body) { return connection->post(operation, body); },
       .pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }});
}

Result<HttpAnswer> get(const Endpoint& endpoint, std::string_view path) {
  Connection connection(endpoint);
  return connection.send({.method = "GET", .url = url_of(endpoint, path), .service = "dynamodb"});
}

Result<HttpAnswer> put(const Endpoint& endpoint, std::string_view path, const std::string& json) {
  Connection connection(endpoint);
  return connection.send({.method = "PUT",
                          .url = url_of(endpoint, path),
                          .service = "dynamodb",
                          .headers = {"Content-Type: application/json"},
                          .body = json});
}

std::unique_ptr<Database> database_behind(Transport transport) {
  return std::make_unique<Upstream>(std::move(transport));
}

}  // namespace tavola::remote
