#include "remote/remote_database.h"

#include <algorithm>

#include "base/random.h"
#include "remote/asker.h"
#include "wire/client/answers.h"
#include "wire/client/backup_messages.h"
#include "wire/client/batch_answers.h"
#include "wire/client/export_messages.h"
#include "wire/client/stream_answers.h"
#include "wire/client/table_requests.h"
#include "wire/client/write_requests.h"
#include "wire/codec/created_table.h"

namespace tavola::remote {
namespace {

using wire::JsonValue;

std::unexpected<Error> not_sent(std::string_view what) {
  return fail(Error::internal(std::string(what) + " is not supported on remote databases"));
}

// An action of a transaction has no legacy parameters and returns no values on the wire.
template <class Request>
bool has_expressions_only(const Request& request) {
  if constexpr (requires { request.attribute_updates; }) {
    if (request.attribute_updates) return false;
  }
  if constexpr (requires { request.expected; }) {
    return !request.expected && !request.conditional_operator && request.return_values == ReturnValues::None;
  }
  return true;
}

Result<void> check_actions(const TransactWriteItemsRequest& request) {
  for (const TransactWrite& action : request.actions) {
    if (std::visit([](const auto& write) { return has_expressions_only(write); }, action)) continue;
    return fail(Error::validation(
        "One or more parameter values were invalid: An action of a transaction takes expressions only, and "
        "returns no values"));
  }
  return {};
}

Result<void> check_gets(const TransactGetItemsRequest& request) {
  for (const GetItemRequest& get : request.gets) {
    if (!get.attributes_to_get) continue;
    return fail(
        Error::validation("One or more parameter values were invalid: A get of a transaction takes a "
                          "ProjectionExpression, not AttributesToGet"));
  }
  return {};
}

// A batch is sent as an object with a member for each table, so that each may be there once.
BatchWriteItemRequest with_each_table_once(const BatchWriteItemRequest& request) {
  BatchWriteItemRequest joined = request;
  joined.tables.clear();
  for (const TableWrites& part : request.tables) {
    const auto same = std::ranges::find(joined.tables, part.table_name, &TableWrites::table_name);
    if (same == joined.tables.end()) {
      joined.tables.push_back(part);
    } else {
      same->writes.insert(same->writes.end(), part.writes.begin(), part.writes.end());
    }
  }
  return joined;
}

Result<void> check_each_table_once(const BatchGetItemRequest& request) {
  for (auto table = request.tables.begin(); table != request.tables.end(); ++table) {
    if (std::find_if(request.tables.begin(), table, [&table](const KeysToGet& other) {
          return other.table_name == table->table_name;
        }) == table)
      continue;
    return fail(Error::validation("One or more parameter values were invalid: The batch names the table " +
                                  table->table_name + " twice; give all its keys together"));
  }
  return {};
}

Mark mark_of(const auto& request) { return request.as_is ? Mark::AsIs : Mark::None; }

std::string token_or_new(const std::string& given) {
  return given.empty() ? make_uuid(Random::system()) : given;
}

// Returns a reader of responses that consist of what `read` reads.
template <class Response, class Read>
auto wrapped(Read read) {
  return [read](JsonValue body) -> Result<Response> {
    TAVOLA_TRY(auto part, read(body));
    return Response{std::move(part)};
  };
}

// Returns a reader of responses that consist of a table.
template <class Response>
auto read_as(std::string_view member) {
  return wrapped<Response>([member](JsonValue body) { return wire::read_table(body, member); });
}

std::string table_of(const std::string& resource) { return resource.substr(0, resource.find('/')); }

class RemoteDatabase final : public Database {
 public:
  explicit RemoteDatabase(Transport transport) : asker_(std::move(transport)) {}

  // ---- Tables ----
  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override {
    return table<CreateTableResponse>("CreateTable", wire::to_json(request));
  }
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    return asker_.ask(Again::Always, {.name = "DescribeTable", .body = wire::table_body(request.table_name)},
                      read_as<DescribeTableResponse>("Table"));
  }
  Result<ListTablesResponse> list_tables(const ListTablesRequest& request) override {
    return asker_.ask(Again::Always, {.name = "ListTables", .body = wire::to_json(request)},
                      wire::read_list_tables);
  }
  Result<UpdateTableResponse> update_table(const UpdateTableRequest& request) override {
    return table<UpdateTableResponse>("UpdateTable", wire::to_json(request));
  }
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override {
    return table<DeleteTableResponse>("DeleteTable", wire::table_body(request.table_name));
  }

  // ---- Items ----
  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    return write("PutItem", request);
  }
  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    return asker_.ask(Again::Always, {.name = "GetItem", .body = wire::to_json(request)},
                      wire::read_get_item);
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    return write("UpdateItem", request);
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    return write("DeleteItem", request);
  }
  Result<QueryResponse> query(const QueryRequest& request) override {
    if (request.may_see) return not_sent("Filtering items by permission");
    return asker_.ask(Again::Always, {.name = "Query", .body = wire::to_json(request)}, wire::read_page);
  }
  Result<ScanResponse> scan(const ScanRequest& request) override {
    if (request.may_see) return not_sent("Filtering items by permission");
    return asker_.ask(Again::Always,
                      {.name = "Scan", .body = wire::to_json(request), .mark = mark_of(request)},
                      wire::read_page);
  }
  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    TAVOLA_CHECK(check_each_table_once(request));
    return asker_.ask(Again::Always, {.name = "BatchGetItem", .body = wire::batch_get_body(request)},
                      [&request](JsonValue body) { return wire::read_batch_get(body, request); });
  }
  Result<BatchWriteItemResponse> batch_write_item(const BatchWriteItemRequest& request) override {
    return asker_.ask(Again::WhenNothingHappened,
                      {.name = "BatchWriteItem",
                       .body = wire::batch_write_body(with_each_table_once(request)),
                       .mark = mark_of(request)},
                      wire::read_batch_write);
  }
  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    TAVOLA_CHECK(check_gets(request));
    return asker_.ask(Again::Always, {.name = "TransactGetItems", .body = wire::to_json(request)},
                      wire::read_transact_get);
  }
  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    TAVOLA_CHECK(check_actions(request));
    TransactWriteItemsRequest known = request;  // its token identifies a transaction that is sent again
    known.client_request_token = token_or_new(request.client_request_token);
    return asker_.ask(Again::Always,
                      {.name = "TransactWriteItems", .body = wire::to_json(known), .mark = mark_of(request)},
                      wire::read_transact_write);
  }

  // ---- Time to live and tags ----
  Result<UpdateTimeToLiveResponse> update_time_to_live(const UpdateTimeToLiveRequest& request) override {
    TAVOLA_CHECK(asker_.tell(Again::WhenNothingHappened,
                             {.name = "UpdateTimeToLive", .body = wire::to_json(request)}));
    return UpdateTimeToLiveResponse{request.attribute_name, request.enabled};
  }
  Result<DescribeTimeToLiveResponse> describe_time_to_live(
      const DescribeTimeToLiveRequest& request) override {
    return asker_.ask(Again::Always,
                      {.name = "DescribeTimeToLive", .body = wire::table_body(request.table_name)},
                      wire::read_time_to_live);
  }
  Result<void> tag_resource(const TagResourceRequest& request) override {
    TAVOLA_TRY(const std::string arns, asker_.arns(request.table_name));
    return asker_.tell(Again::Always, {.name = "TagResource",
                                       .body = wire::tag_body(arns + request.table_name, request.tags)});
  }
  Result<void> untag_resource(const UntagResourceRequest& request) override {
    TAVOLA_TRY(const std::string arns, asker_.arns(request.table_name));
    return asker_.tell(
        Again::Always,
        {.name = "UntagResource", .body = wire::untag_body(arns + request.table_name, request.tag_keys)});
  }
  Result<ListTagsOfResourceResponse> list_tags_of_resource(
      const ListTagsOfResourceRequest& request) override {
    TAVOLA_TRY(const std::string arns, asker_.arns(request.table_name));
    ListTagsOfResourceResponse response;
    std::string next_token;
    do {
      TAVOLA_TRY(wire::TagsPage page,
                 asker_.ask(Again::Always,
                            {.name = "ListTagsOfResource",
                             .body = wire::list_tags_body(arns + request.table_name, next_token)},
                            wire::read_tags_page));
      response.tags.merge(page.tags);
      next_token = page.next_token;
    } while (!next_token.empty());
    return response;
  }

  // ---- Streams ----
  Result<ListStreamsResponse> list_streams(const ListStreamsRequest& request) override {
    TAVOLA_TRY(const std::string start, arn_of(request.exclusive_start_stream));
    TAVOLA_TRY(
        const wire::RemoteStreams streams,
        asker_.ask(Again::Always, {.name = "ListStreams", .body = wire::list_streams_body(request, start)},
                   wire::read_remote_streams));
    return wire::to_streams(streams);
  }
  Result<DescribeStreamResponse> describe_stream(const DescribeStreamRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of(request.stream));
    return asker_.ask(Again::Always,
                      {.name = "DescribeStream", .body = wire::describe_stream_body(request, arn)},
                      wire::read_stream);
  }
  Result<GetShardIteratorResponse> get_shard_iterator(const GetShardIteratorRequest& request) override {
    TAVOLA_TRY(const std::string arn, arn_of(request.stream));
    return asker_.ask(Again::Always,
                      {.name = "GetShardIterator", .body = wire::shard_iterator_body(request, arn)},
                      wire::read_shard_iterator);
  }
  Result<GetRecordsResponse> get_records(const GetRecordsRequest& request) override {
    return asker_.ask(Again::Always, {.name = "GetRecords", .body = wire::get_records_body(request)},
                      wire::read_records);
  }

  // ---- Backups, exports and imports, policies ----
  Result<CreateBackupResponse> create_backup(const CreateBackupRequest& request) override;
  Result<DescribeBackupResponse> describe_backup(const DescribeBackupRequest& request) override;
  Result<ListBackupsResponse> list_backups(const ListBackupsRequest& request) override;
  Result<DeleteBackupResponse> delete_backup(const DeleteBackupRequest& request) override;
  Result<RestoreTableFromBackupResponse> restore_table_from_backup(
      const RestoreTableFromBackupRequest& request) override;
  Result<UpdateContinuousBackupsResponse> update_continuous_backups(
      const UpdateContinuousBackupsRequest& request) override;
  Result<DescribeContinuousBackupsResponse> describe_continuous_backups(
      const DescribeContinuousBackupsRequest& request) override;
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request) override;
  Result<ExportTableResponse> export_table(const ExportTableRequest& request) override;
  Result<DescribeExportResponse> describe_export(const DescribeExportRequest& request) override;
  Result<ListExportsResponse> list_exports(const ListExportsRequest& request) override;
  Result<ImportTableResponse> import_table(const ImportTableRequest& request) override;
  Result<DescribeImportResponse> describe_import(const DescribeImportRequest& request) override;
  Result<ListImportsResponse> list_imports(const ListImportsRequest& request) override;
  Result<PutResourcePolicyResponse> put_resource_policy(const PutResourcePolicyRequest& request) override;
  Result<GetResourcePolicyResponse> get_resource_policy(const GetResourcePolicyRequest& request) override;
  Result<DeleteResourcePolicyResponse> delete_resource_policy(
      const DeleteResourcePolicyRequest& request) override;

 private:
  // Sends a request that changes a table.
  template <class Response>
  Result<Response> table(std::string_view operation, const std::string& body) {
    return asker_.ask(Again::WhenNothingHappened, {.name = operation, .body = body},
                      read_as<Response>("TableDescription"));
  }
  Result<WriteItemResponse> write(std::string_view operation, const auto& request) {
    return asker_.ask(Again::WhenNothingHappened,
                      {.name = operation, .body = wire::to_json(request), .mark = mark_of(request)},
                      wire::read_write);
  }
  // Returns the ARN of a stream; empty if there is none.
  Result<std::string> arn_of(const std::string& stream) {
    if (stream.empty()) return std::string();
    TAVOLA_TRY(const std::string arns, asker_.arns(table_of(stream)));
    return arns + stream;
  }

  Asker asker_;
};

Result<CreateBackupResponse> RemoteDatabase::create_backup(const CreateBackupRequest& request) {
  return asker_.ask(Again::WhenNothingHappened, {.name = "CreateBackup", .body = wire::to_json(request)},
                    wire::read_created_backup);
}

Result<DescribeBackupResponse> RemoteDatabase::describe_backup(const DescribeBackupRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.backup)));
  return asker_.ask(Again::Always,
                    {.name = "DescribeBackup", .body = wire::backup_body(arns, request.backup)},
                    wrapped<DescribeBackupResponse>(wire::read_backup));
}

Result<ListBackupsResponse> RemoteDatabase::list_backups(const ListBackupsRequest& request) {
  std::string arns;
  if (!request.exclusive_start_backup.empty()) {
    TAVOLA_TRY(arns, asker_.arns(table_of(request.exclusive_start_backup)));
  }
  return asker_.ask(Again::Always, {.name = "ListBackups", .body = wire::list_backups_body(arns, request)},
                    wire::read_backups);
}

Result<DeleteBackupResponse> RemoteDatabase::delete_backup(const DeleteBackupRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.backup)));
  return asker_.ask(Again::WhenNothingHappened,
                    {.name = "DeleteBackup", .body = wire::backup_body(arns, request.backup)},
                    wrapped<DeleteBackupResponse>(wire::read_backup));
}

Result<RestoreTableFromBackupResponse> RemoteDatabase::restore_table_from_backup(
    const RestoreTableFromBackupRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.backup)));
  return table<RestoreTableResponse>("RestoreTableFromBackup", wire::restore_body(arns, request));
}

Result<UpdateContinuousBackupsResponse> RemoteDatabase::update_continuous_backups(
    const UpdateContinuousBackupsRequest& request) {
  return asker_.ask(Again::WhenNothingHappened,
                    {.name = "UpdateContinuousBackups", .body = wire::to_json(request)},
                    wire::read_continuous_backups);
}

Result<DescribeContinuousBackupsResponse> RemoteDatabase::describe_continuous_backups(
    const DescribeContinuousBackupsRequest& request) {
  return asker_.ask(Again::Always,
                    {.name = "DescribeContinuousBackups", .body = wire::table_body(request.table_name)},
                    wire::read_continuous_backups);
}

Result<RestoreTableToPointInTimeResponse> RemoteDatabase::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request) {
  return table<RestoreTableResponse>("RestoreTableToPointInTime", wire::to_json(request));
}

Result<ExportTableResponse> RemoteDatabase::export_table(const ExportTableRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(request.table_name));
  ExportTableRequest known = request;
  known.client_token = token_or_new(request.client_token);
  return asker_.ask(Again::Always,
                    {.name = "ExportTableToPointInTime", .body = wire::export_body(arns, known)},
                    wrapped<ExportTableResponse>(wire::read_export_answer));
}

Result<DescribeExportResponse> RemoteDatabase::describe_export(const DescribeExportRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.export_name)));
  return asker_.ask(Again::Always,
                    {.name = "DescribeExport", .body = wire::describe_export_body(arns, request)},
                    wrapped<DescribeExportResponse>(wire::read_export_answer));
}

Result<ListExportsResponse> RemoteDatabase::list_exports(const ListExportsRequest& request) {
  std::string arns;
  if (!request.table_name.empty()) {
    TAVOLA_TRY(arns, asker_.arns(request.table_name));
  }
  return asker_.ask(Again::Always, {.name = "ListExports", .body = wire::list_exports_body(arns, request)},
                    wire::read_exports);
}

Result<ImportTableResponse> RemoteDatabase::import_table(const ImportTableRequest& request) {
  ImportTableRequest known = request;
  known.client_token = token_or_new(request.client_token);
  return asker_.ask(Again::Always, {.name = "ImportTable", .body = wire::to_json(known)},
                    wrapped<ImportTableResponse>(wire::read_import_answer));
}

Result<DescribeImportResponse> RemoteDatabase::describe_import(const DescribeImportRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.import_name)));
  return asker_.ask(Again::Always,
                    {.name = "DescribeImport", .body = wire::describe_import_body(arns, request)},
                    wrapped<DescribeImportResponse>(wire::read_import_answer));
}

Result<ListImportsResponse> RemoteDatabase::list_imports(const ListImportsRequest& request) {
  std::string arns;
  if (!request.table_name.empty()) {
    TAVOLA_TRY(arns, asker_.arns(request.table_name));
  }
  return asker_.ask(Again::Always, {.name = "ListImports", .body = wire::list_imports_body(arns, request)},
                    wire::read_imports);
}

Result<PutResourcePolicyResponse> RemoteDatabase::put_resource_policy(
    const PutResourcePolicyRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.resource)));
  return asker_.ask(Again::WhenNothingHappened,
                    {.name = "PutResourcePolicy", .body = wire::policy_body(arns, request)},
                    wire::read_put_policy);
}

Result<GetResourcePolicyResponse> RemoteDatabase::get_resource_policy(
    const GetResourcePolicyRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.resource)));
  return asker_.ask(Again::Always, {.name = "GetResourcePolicy", .body = wire::policy_body(arns, request)},
                    wire::read_policy);
}

Result<DeleteResourcePolicyResponse> RemoteDatabase::delete_resource_policy(
    const DeleteResourcePolicyRequest& request) {
  TAVOLA_TRY(const std::string arns, asker_.arns(table_of(request.resource)));
  return asker_.ask(Again::WhenNothingHappened,
                    {.name = "DeleteResourcePolicy", .body = wire::policy_body(arns, request)},
                    wire::read_deleted_policy);
}

std::string url_of(const Target& target, std::string_view path) {
  std::string url = target.url;
  while (url.ends_with('/')) url.pop_back();
  return url + std::string(path);
}

}  // namespace

Result<std::unique_ptr<Database>> connect(Target target) {
  TAVOLA_CHECK(check(target));
  return database_behind(transport_to(std::move(target)));
}

Result<HttpAnswer> get(const Target& target, std::string_view path) {
  return SignedClient(target).send({.method = "GET", .url = url_of(target, path), .service = "dynamodb"});
}

Result<HttpAnswer> put(const Target& target, std::string_view path, const std::string& json) {
  return SignedClient(target).send({.method = "PUT",
                                    .url = url_of(target, path),
                                    .service = "dynamodb",
                                    .headers = {"Content-Type: application/json"},
                                    .body = json});
}

std::unique_ptr<Database> database_behind(Transport transport) {
  return std::make_unique<RemoteDatabase>(std::move(transport));
}

}  // namespace tavola::remote

namespace tavola {

Result<std::unique_ptr<Database>> connect(const Endpoint& endpoint, CredentialsSource credentials,
                                          const ConnectOptions& options) {
  remote::Target target = remote::target_of(endpoint, std::move(credentials));
  target.options = options;
  return remote::connect(std::move(target));
}

Result<std::unique_ptr<Database>> connect(const Endpoint& endpoint, const Credentials& credentials,
                                          const ConnectOptions& options) {
  return connect(endpoint, [credentials]() -> Result<Credentials> { return credentials; }, options);
}

}  // namespace tavola
