// Every member of every request arrives: each is changed alone, sent by a remote database, read by the server's operations, and compared
// with what the server's database is called with. What DynamoDB's protocol cannot say is refused.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "remote/remote_database.h"
#include "remote/test_members.h"
#include "wire/codec/export_shapes.h"
#include "wire/service.h"

namespace tavola::remote {
namespace {

template <class T>
concept HasMembers = requires(T& whole) { members(whole); };
template <class T>
concept IsEnum = requires { EnumNames<T>::kAll; };

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
constexpr bool kIsMap = false;
template <class T>
constexpr bool kIsMap<std::map<std::string, T, std::less<>>> = true;
template <class T>
constexpr bool kIsVariant = false;
template <class... T>
constexpr bool kIsVariant<std::variant<T...>> = true;

// Not a part of the protocol (tavola/connect.h).
template <class T>
constexpr bool kIsLocal = std::is_same_v<T, std::shared_ptr<const Caller>> || std::is_same_v<T, ItemTest>;

// ---- Another value of any type ----

PackedItem packed_with(const char* name) { return *pack({{name, 1}}); }

void change(std::string& text) { text += text.empty() ? "Music" : "x"; }
void change(bool& value) { value = !value; }
void change(int& number) { ++number; }
void change(std::int64_t& number) { ++number; }
void change(WallTime& time) { time += std::chrono::milliseconds(86'400'001); }
void change(PackedItem& item) { item = packed_with(item.empty() ? "added" : "changed"); }
void change(Value& value) { value = Value("changed"); }
void change(BatchWrite::Kind& kind) {
  kind = kind == BatchWrite::Kind::Put ? BatchWrite::Kind::Delete : BatchWrite::Kind::Put;
}
template <IsEnum E>
void change(E& value) {
  for (const auto& [name, other] : EnumNames<E>::kAll) {
    if (other == value) continue;
    value = other;
    return;
  }
}

template <class T>
T sample();

template <class T>
void fill(T& value) {
  if constexpr (HasMembers<T>) {
    std::apply([](auto&... member) { (fill(member), ...); }, members(value));
  } else if constexpr (kIsOptional<T>) {
    value = sample<typename T::value_type>();
  } else if constexpr (kIsVector<T>) {
    value.push_back(sample<typename T::value_type>());
  } else if constexpr (kIsMap<T>) {
    value.emplace("added", sample<typename T::mapped_type>());
  } else if constexpr (kIsVariant<T>) {
    std::visit([](auto& alternative) { fill(alternative); }, value);
  } else if constexpr (!kIsLocal<T>) {
    change(value);
  }
}

template <class T>
T sample() {
  T value{};
  fill(value);
  return value;
}

// Changes each part of a value alone, calls `check`, and restores it.
template <class T>
void for_each_change(T& value, const std::function<void()>& check);

template <class T>
void change_elements(T& value, const std::function<void()>& check) {
  const T before = value;
  if constexpr (kIsOptional<T>) {
    if (value) {
      for_each_change(*value, check);
      return;
    }
    value = sample<typename T::value_type>();
    check();
    for_each_change(*value, check);
  } else if constexpr (kIsVector<T>) {
    value.push_back(sample<typename T::value_type>());
    check();
    if (!before.empty()) value = before;
    for (auto& element : value) for_each_change(element, check);
  } else {
    value.emplace("added", sample<typename T::mapped_type>());
    check();
    for (auto& [name, element] : value) for_each_change(element, check);
  }
  value = before;
}

template <class T>
void for_each_change(T& value, const std::function<void()>& check) {
  if constexpr (HasMembers<T>) {
    std::apply([&check](auto&... member) { (for_each_change(member, check), ...); }, members(value));
  } else if constexpr (kIsOptional<T> || kIsVector<T> || kIsMap<T>) {
    change_elements(value, check);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&check](auto& alternative) { for_each_change(alternative, check); }, value);
  } else if constexpr (!kIsLocal<T>) {
    const T before = value;
    change(value);
    check();
    value = before;
  }
}

template <class T>
bool same(T& a, T& b) {
  if constexpr (HasMembers<T>) {
    const auto pairwise = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (same(std::get<I>(members(a)), std::get<I>(members(b))) && ...);
    };
    return pairwise(std::make_index_sequence<std::tuple_size_v<decltype(members(a))>>());
  } else if constexpr (kIsOptional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (kIsVector<T>) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (kIsMap<T>) {
    if (a.size() != b.size()) return false;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
      if (i->first != j->first || !same(i->second, j->second)) return false;
    }
    return true;
  } else if constexpr (kIsVariant<T>) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&b](auto& mine) { return same(mine, std::get<std::remove_reference_t<decltype(mine)>>(b)); }, a);
  } else if constexpr (kIsLocal<T>) {
    return true;
  } else {
    return a == b;
  }
}

// ---- A server that keeps what its database is called with ----

// Answers every call with an error, because only the request matters.
class KeepingDatabase final : public Database {
 public:
  const void* latest() const { return latest_.get(); }
  void forget() { latest_.reset(); }

#define TAVOLA_KEEPS(Method, Name) \
  Result<Name##Response> Method(const Name##Request& request) override { return keep(request); }
  TAVOLA_KEEPS(create_table, CreateTable)
  TAVOLA_KEEPS(list_tables, ListTables)
  TAVOLA_KEEPS(update_table, UpdateTable)
  TAVOLA_KEEPS(delete_table, DeleteTable)
  TAVOLA_KEEPS(put_item, PutItem)
  TAVOLA_KEEPS(get_item, GetItem)
  TAVOLA_KEEPS(update_item, UpdateItem)
  TAVOLA_KEEPS(delete_item, DeleteItem)
  TAVOLA_KEEPS(query, Query)
  TAVOLA_KEEPS(scan, Scan)
  TAVOLA_KEEPS(batch_get_item, BatchGetItem)
  TAVOLA_KEEPS(batch_write_item, BatchWriteItem)
  TAVOLA_KEEPS(transact_get_items, TransactGetItems)
  TAVOLA_KEEPS(transact_write_items, TransactWriteItems)
  TAVOLA_KEEPS(update_time_to_live, UpdateTimeToLive)
  TAVOLA_KEEPS(describe_time_to_live, DescribeTimeToLive)
  TAVOLA_KEEPS(list_tags_of_resource, ListTagsOfResource)
  TAVOLA_KEEPS(list_streams, ListStreams)
  TAVOLA_KEEPS(describe_stream, DescribeStream)
  TAVOLA_KEEPS(get_shard_iterator, GetShardIterator)
  TAVOLA_KEEPS(get_records, GetRecords)
  TAVOLA_KEEPS(create_backup, CreateBackup)
  TAVOLA_KEEPS(describe_backup, DescribeBackup)
  TAVOLA_KEEPS(list_backups, ListBackups)
  TAVOLA_KEEPS(delete_backup, DeleteBackup)
  TAVOLA_KEEPS(restore_table_from_backup, RestoreTableFromBackup)
  TAVOLA_KEEPS(update_continuous_backups, UpdateContinuousBackups)
  TAVOLA_KEEPS(describe_continuous_backups, DescribeContinuousBackups)
  TAVOLA_KEEPS(restore_table_to_point_in_time, RestoreTableToPointInTime)
  TAVOLA_KEEPS(export_table, ExportTable)
  TAVOLA_KEEPS(describe_export, DescribeExport)
  TAVOLA_KEEPS(list_exports, ListExports)
  TAVOLA_KEEPS(import_table, ImportTable)
  TAVOLA_KEEPS(describe_import, DescribeImport)
  TAVOLA_KEEPS(list_imports, ListImports)
  TAVOLA_KEEPS(put_resource_policy, PutResourcePolicy)
  TAVOLA_KEEPS(get_resource_policy, GetResourcePolicy)
  TAVOLA_KEEPS(delete_resource_policy, DeleteResourcePolicy)
#undef TAVOLA_KEEPS
  // The first table tells the region and the account of ARNs.
  Result<DescribeTableResponse> describe_table(const DescribeTableRequest& request) override {
    latest_ = std::make_shared<DescribeTableRequest>(request);
    return DescribeTableResponse{{.table_name = request.table_name, .key_schema = {{"id"}}}};
  }
  Result<void> tag_resource(const TagResourceRequest& request) override { return keep(request); }
  Result<void> untag_resource(const UntagResourceRequest& request) override { return keep(request); }

 private:
  template <class Request>
  std::unexpected<Error> keep(const Request& request) {
    latest_ = std::make_shared<Request>(request);
    return fail(Error::validation("kept"));
  }
  std::shared_ptr<const void> latest_;
};

template <class Request, class Response>
using Call = Result<Response> (Database::*)(const Request&);

const std::string kArns = "arn:aws:dynamodb:us-east-1:000000000000:table/";

class ForwardingTest : public testing::Test {
 protected:
  ForwardingTest()
      : remote_(database_behind({.post = [this](const Operation& operation) { return answer(operation); },
                                 .pause = [](std::chrono::milliseconds) {}})) {}

  Result<HttpAnswer> answer(const Operation& operation) {
    const wire::Answer given = wire::run(*wire::find_operation(operation.name), server_, {}, operation.body);
    sent_ = operation.body;
    mark_ = operation.mark;
    return HttpAnswer{given.status, given.body};
  }

  // Sends the request, and returns what is wrong with what arrived; empty if nothing is.
  template <class Request, class Response>
  std::string sent_wrong(Call<Request, Response> call, Request& request) {
    server_.forget();
    sent_.clear();
    const auto done = (remote_.get()->*call)(request);
    if (sent_.empty()) return "not sent: " + done.error().message();
    if (server_.latest() == nullptr) return "refused: " + done.error().message() + "\n" + sent_;
    Request arrived = *static_cast<const Request*>(server_.latest());
    if constexpr (requires { arrived.as_is; }) arrived.as_is = mark_ == Mark::AsIs;
    // The server's own text, which a client does not read.
    if constexpr (requires { arrived.shard_iterator; })
      arrived.shard_iterator = kArns + arrived.shard_iterator;
    return same(request, arrived) ? std::string() : "arrived otherwise: " + sent_;
  }

  // Sends the request, and again with each part changed. `is_possible` skips combinations that no server takes.
  template <class Request, class Response>
  void expect_arrives(Call<Request, Response> call, Request request,
                      const std::function<bool(const Request&)>& is_possible = nullptr) {
    EXPECT_EQ(sent_wrong(call, request), "");
    int changes = 0;
    for_each_change(request, [&] {
      if (is_possible != nullptr && !is_possible(request)) return;
      ++changes;
      EXPECT_EQ(sent_wrong(call, request), "") << "after change " << changes;
    });
    EXPECT_GE(changes, 1);
  }

  KeepingDatabase server_;
  std::unique_ptr<Database> remote_;
  std::string sent_;
  Mark mark_ = Mark::None;
};

const std::string kBackup = "Music/backup/01489856839857-a1b2c3d4";
const std::string kExport = "Music/export/01489856839857-a1b2c3d4";
const std::string kImport = "Music/import/01489856839857-a1b2c3d4";
const std::string kStream = "Music/stream/2026-11-15T09:30:00.125";
const std::string kShard = "shardId-00000001763199000125-00000002";

TEST_F(ForwardingTest, Tables) {
  expect_arrives(&Database::create_table, CreateTableRequest{.table_name = "Music",
                                                             .attribute_definitions = {{"id"}},
                                                             .key_schema = {{"id"}},
                                                             .global_indexes = {sample<GlobalIndex>()},
                                                             .local_indexes = {sample<LocalIndex>()}});
  expect_arrives(&Database::describe_table, DescribeTableRequest{"Music"});
  expect_arrives(&Database::list_tables, ListTablesRequest{});
  expect_arrives(&Database::update_table, UpdateTableRequest{.table_name = "Music"});
  expect_arrives(&Database::update_table,
                 UpdateTableRequest{.table_name = "Music", .stream = std::optional<StreamView>()});
  expect_arrives(&Database::delete_table, DeleteTableRequest{"Music"});
  expect_arrives(&Database::update_time_to_live, UpdateTimeToLiveRequest{"Music", "until"});
  expect_arrives(&Database::describe_time_to_live, DescribeTimeToLiveRequest{"Music"});
  expect_arrives(&Database::tag_resource, TagResourceRequest{"Music", {{"a", "1"}}});
  expect_arrives(&Database::untag_resource, UntagResourceRequest{"Music", {"a"}});
  expect_arrives(&Database::list_tags_of_resource, ListTagsOfResourceRequest{"Music"});
}

TEST_F(ForwardingTest, Items) {
  const PackedItem key = packed_with("id");
  expect_arrives(&Database::put_item, PutItemRequest{.table_name = "Music", .item = key});
  expect_arrives(&Database::get_item, GetItemRequest{.table_name = "Music", .key = key});
  expect_arrives(&Database::update_item, UpdateItemRequest{.table_name = "Music", .key = key});
  expect_arrives(&Database::delete_item, DeleteItemRequest{.table_name = "Music", .key = key});
  expect_arrives(&Database::query, QueryRequest{.table_name = "Music"});
  expect_arrives(&Database::scan, ScanRequest{.table_name = "Music"});
}

TEST_F(ForwardingTest, Batches) {
  const PackedItem key = packed_with("id");
  expect_arrives(&Database::batch_get_item,
                 BatchGetItemRequest{.tables = {{.table_name = "Books", .keys = {key}}}});
  expect_arrives(&Database::batch_write_item,
                 BatchWriteItemRequest{.tables = {{"Books", {{BatchWrite::Kind::Put, key}}}}});
}

// ---- Transactions: each action has the members that it has on AWS, and refuses the legacy parameters ----

template <class Request>
void leave_out_ignored(Request& request) {
  if constexpr (requires { request.return_consumed_capacity; }) request.return_consumed_capacity = {};
  if constexpr (requires { request.return_item_collection_metrics; })
    request.return_item_collection_metrics = {};
  if constexpr (requires { request.as_is; }) request.as_is = false;
  if constexpr (requires { request.consistent_read; }) request.consistent_read = false;
}

template <class Request>
bool has_legacy(const Request& request) {
  if constexpr (requires { request.attribute_updates; }) {
    if (request.attribute_updates) return true;
  }
  if constexpr (requires { request.attributes_to_get; }) return request.attributes_to_get.has_value();
  if constexpr (requires { request.expected; }) {
    return request.expected || request.conditional_operator || request.return_values != ReturnValues::None;
  }
  return false;
}

TEST_F(ForwardingTest, TransactionsThatWrite) {
  const PackedItem key = packed_with("id");
  TransactWriteItemsRequest request{.client_request_token = "token"};
  request.actions = {ConditionCheck{.table_name = "Music", .key = key, .condition_expression = "c"},
                     PutItemRequest{.table_name = "Music", .item = key},
                     DeleteItemRequest{.table_name = "Music", .key = key},
                     UpdateItemRequest{.table_name = "Music", .key = key, .update_expression = "u"}};
  EXPECT_EQ(sent_wrong(&Database::transact_write_items, request), "");
  int refused = 0;
  for_each_change(request.actions, [&] {
    if (request.actions.size() > 4) return;  // a sample of an action lacks what it requires
    TransactWriteItemsRequest normal = request;
    bool is_legacy = false;
    for (TransactWrite& action : normal.actions) {
      std::visit(
          [&is_legacy](auto& write) {
            leave_out_ignored(write);
            is_legacy |= has_legacy(write);
          },
          action);
    }
    const std::string wrong = sent_wrong(&Database::transact_write_items, normal);
    if (is_legacy) {
      ++refused;
      EXPECT_TRUE(wrong.starts_with("not sent: ")) << wrong;
    } else {
      EXPECT_EQ(wrong, "");
    }
  });
  EXPECT_GE(refused, 10);
  const auto change_others = [&](auto& member) {
    if constexpr (!std::is_same_v<std::remove_reference_t<decltype(member)>, std::vector<TransactWrite>>) {
      for_each_change(member, [&] { EXPECT_EQ(sent_wrong(&Database::transact_write_items, request), ""); });
    }
  };
  std::apply([&](auto&... member) { (change_others(member), ...); }, members(request));
}

TEST_F(ForwardingTest, TransactionsThatRead) {
  TransactGetItemsRequest request;
  request.gets = {{.table_name = "Music", .key = packed_with("id")}};
  EXPECT_EQ(sent_wrong(&Database::transact_get_items, request), "");
  int refused = 0;
  for_each_change(request, [&] {
    TransactGetItemsRequest normal = request;
    for (GetItemRequest& get : normal.gets) leave_out_ignored(get);
    const bool is_legacy = std::ranges::any_of(normal.gets, has_legacy<GetItemRequest>);
    refused += int{is_legacy};
    const std::string wrong = sent_wrong(&Database::transact_get_items, normal);
    if (is_legacy) {
      EXPECT_TRUE(wrong.starts_with("not sent: ")) << wrong;
    } else {
      EXPECT_EQ(wrong, "");
    }
  });
  EXPECT_GE(refused, 1);
}

TEST_F(ForwardingTest, ATransactionWithoutATokenGetsOne) {
  TransactWriteItemsRequest request;
  request.actions = {PutItemRequest{.table_name = "Music", .item = packed_with("id")}};
  static_cast<void>(remote_->transact_write_items(request));
  EXPECT_EQ(static_cast<const TransactWriteItemsRequest*>(server_.latest())->client_request_token.size(),
            36U);
}

TEST_F(ForwardingTest, ATestOfVisibleItemsIsRefused) {
  const ItemTest everything = [](const ItemView&) -> Result<bool> { return true; };
  EXPECT_FALSE(remote_->query({.table_name = "Music", .may_see = everything}));
  EXPECT_FALSE(remote_->scan({.table_name = "Music", .may_see = everything}));
  EXPECT_EQ(sent_, "");
}

TEST_F(ForwardingTest, WhatDynamoDbDoesNotHaveIsAnsweredHere) {
  EXPECT_FALSE(remote_->freeze());
  EXPECT_FALSE(remote_->migrate_table({.table_name = "Music"}));
  EXPECT_FALSE(remote_->item_history({.table_name = "Music"}));
  EXPECT_FALSE(remote_->item_as_of({.table_name = "Music"}));
  EXPECT_FALSE(remote_->govern_table({.table_name = "Music"})->governed_by);
  EXPECT_FALSE(remote_->describe_governance({.table_name = "Music"})->governed_by);
  EXPECT_EQ(sent_, "");
}

// ---- Streams, backups, exports and imports, policies ----

TEST_F(ForwardingTest, Streams) {
  expect_arrives(&Database::list_streams, ListStreamsRequest{.exclusive_start_stream = kStream});
  expect_arrives(
      &Database::describe_stream,
      DescribeStreamRequest{.stream = kStream, .exclusive_start_shard_id = kShard, .children_of = kShard});
  expect_arrives(&Database::get_shard_iterator,
                 GetShardIteratorRequest{.stream = kStream,
                                         .shard_id = kShard,
                                         .type = ShardIteratorType::AtSequenceNumber,
                                         .sequence_number = "000000000000000000001"});
  expect_arrives(&Database::get_records, GetRecordsRequest{kArns + "iterator"});
}

TEST_F(ForwardingTest, Backups) {
  expect_arrives(&Database::create_backup, CreateBackupRequest{"Music", "before"});
  expect_arrives(&Database::describe_backup, DescribeBackupRequest{kBackup});
  expect_arrives(&Database::delete_backup, DeleteBackupRequest{kBackup});
  expect_arrives(&Database::list_backups, ListBackupsRequest{.exclusive_start_backup = kBackup});
  expect_arrives(&Database::restore_table_from_backup, RestoreTableFromBackupRequest{kBackup, "Copy"});
  expect_arrives(&Database::restore_table_to_point_in_time,
                 RestoreTableToPointInTimeRequest{.source_table_name = "Music", .target_table_name = "Copy"});
  expect_arrives(&Database::update_continuous_backups, UpdateContinuousBackupsRequest{"Music", true});
  expect_arrives(&Database::describe_continuous_backups, DescribeContinuousBackupsRequest{"Music"});
}

TEST_F(ForwardingTest, ExportsAndImports) {
  ExportTableRequest exported{.table_name = "Music", .client_token = "token", .bucket = "bucket"};
  const std::function<bool(const ExportTableRequest&)> fits = [](const ExportTableRequest& request) {
    return request.period.has_value() == (request.type == ExportType::Incremental);
  };
  expect_arrives(&Database::export_table, exported, fits);
  exported.type = ExportType::Incremental;
  exported.period = sample<ExportPeriod>();
  expect_arrives(&Database::export_table, exported, fits);
  expect_arrives(&Database::describe_export, DescribeExportRequest{kExport});
  expect_arrives(&Database::list_exports, ListExportsRequest{});
  ImportTableRequest imported{.client_token = "token", .bucket = "bucket", .format = InputFormat::Csv};
  imported.table = {.table_name = "Music", .attribute_definitions = {{"id"}}, .key_schema = {{"id"}}};
  expect_arrives<ImportTableRequest, ImportTableResponse>(
      &Database::import_table, imported, [](const ImportTableRequest& request) {
        const std::string& delimiter = request.csv.delimiter;
        return delimiter.empty() || delimiter == ";";  // other texts are refused
      });
  imported.csv.delimiter = ";";
  EXPECT_EQ(sent_wrong(&Database::import_table, imported), "");
  imported.format = InputFormat::Ion;
  imported.csv = {};
  EXPECT_EQ(sent_wrong(&Database::import_table, imported), "");
  expect_arrives(&Database::describe_import, DescribeImportRequest{kImport});
  expect_arrives(&Database::list_imports, ListImportsRequest{});
}

TEST_F(ForwardingTest, Policies) {
  expect_arrives(&Database::put_resource_policy,
                 PutResourcePolicyRequest{.resource = "Music", .policy = "{}"});
  expect_arrives(&Database::get_resource_policy, GetResourcePolicyRequest{kStream});
  expect_arrives(&Database::delete_resource_policy, DeleteResourcePolicyRequest{.resource = "Music"});
}

}  // namespace
}  // namespace tavola::remote
