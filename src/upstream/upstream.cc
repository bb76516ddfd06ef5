#include "upstream/upstream.h"

#include <cstdlib>

#include "base/json_writer.h"
#include "upstream/answers.h"
#include "upstream/post.h"
#include "wire/write_requests.h"

namespace tavola::upstream {
namespace {

std::string table_body(const std::string& table) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.name("TableName").text(table);
  json.end_object();
  return out;
}

std::string list_body(const ListTablesRequest& request) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  if (!request.exclusive_start_table_name.empty()) {
    json.name("ExclusiveStartTableName").text(request.exclusive_start_table_name);
  }
  if (request.limit) json.name("Limit").integer(*request.limit);
  json.end_object();
  return out;
}

std::unexpected<Error> not_sent(std::string_view operation) {
  return fail(Error::internal(std::string(operation) + " is not sent to other servers"));
}

class Upstream final : public Database {
 public:
  explicit Upstream(Endpoint endpoint) : connection_(std::move(endpoint)) {}

  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override {
    TAVOLA_TRY(TableDescription table, ask("CreateTable", wire::to_json(request), [](wire::JsonValue body) {
                 return read_table(body, "TableDescription");
               }));
    return CreateTableResponse{std::move(table)};
  }
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    TAVOLA_TRY(TableDescription table, ask("DescribeTable", table_body(request.table_name),
                                           [](wire::JsonValue body) { return read_table(body, "Table"); }));
    return DescribeTableResponse{std::move(table)};
  }
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override {
    return ask("ListTables", list_body(request), read_list_tables);
  }
  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    return ask("PutItem", wire::to_json(request), read_write);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    return ask("GetItem", wire::to_json(request), read_get_item);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    return ask("UpdateItem", wire::to_json(request), read_write);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    return ask("DeleteItem", wire::to_json(request), read_write);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    return ask("Query", wire::to_json(request), read_page);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    return ask("Scan", wire::to_json(request), read_page);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    return ask("TransactGetItems", wire::to_json(request), read_transact_get);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    return ask("TransactWriteItems", wire::to_json(request), read_transact_write);
  }

  Result<UpdateTableResponse> update_table(const UpdateTableRequest&) override {
    return not_sent("UpdateTable");
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest&) override {
    return not_sent("DeleteTable");
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest&) override {
    return not_sent("BatchGetItem");
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest&) override {
    return not_sent("BatchWriteItem");
  }
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest&) override {
    return not_sent("UpdateTimeToLive");
  }
  Result<DescribeTimeToLiveResponse> describe_time_to_live(const DescribeTimeToLiveRequest&) override {
    return not_sent("DescribeTimeToLive");
  }
  Result<void> tag_resource(const TagResourceRequest&) override { return not_sent("TagResource"); }
  Result<void> untag_resource(const UntagResourceRequest&) override { return not_sent("UntagResource"); }
  Result<ListTagsOfResourceResponse> list_tags_of_resource(const ListTagsOfResourceRequest&) override {
    return not_sent("ListTagsOfResource");
  }

 private:
  // Sends a request and reads the answer with `read`.
  template <class Read>
  auto ask(std::string_view operation, const std::string& request, Read read)
      -> std::invoke_result_t<Read, wire::JsonValue> {
    TAVOLA_TRY(const HttpAnswer answer, connection_.post(operation, request));
    if (answer.status >= 300) return fail(read_error(answer.status, answer.body));
    TAVOLA_TRY(const wire::JsonDocument document, wire::JsonDocument::parse(answer.body));
    if (document.root().type() != wire::JsonType::Object) {
      return fail(Error::internal("the endpoint does not answer as DynamoDB does"));
    }
    return read(document.root());
  }

  Connection connection_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string first_of(std::string a, std::string b) { return a.empty() ? std::move(b) : std::move(a); }

}  // namespace

Endpoint from_environment(std::string url) {
  return {.url = std::move(url),
          .access_key = first_of(variable("AWS_ACCESS_KEY_ID"), "anybody"),
          .secret = first_of(variable("AWS_SECRET_ACCESS_KEY"), "anything"),
          .session_token = variable("AWS_SESSION_TOKEN"),
          .region = first_of(variable("AWS_REGION"), first_of(variable("AWS_DEFAULT_REGION"), "us-east-1"))};
}

Result<std::unique_ptr<Database>> connect(Endpoint endpoint) {
  if (!endpoint.url.starts_with("http://") && !endpoint.url.starts_with("https://")) {
    return fail(
        Error::validation("an endpoint is a URL like http://127.0.0.1:8000 (was " + endpoint.url + ")"));
  }
  return std::make_unique<Upstream>(std::move(endpoint));
}

}  // namespace tavola::upstream
