#include "engine/engine.h"

#include "database/constraints.h"
#include "engine/backups/item_history.h"
#include "engine/backups/recovery.h"
#include "engine/backups/restore_job.h"
#include "engine/backups/restores.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/catalog/tables.h"
#include "engine/checks/capacity_settings.h"
#include "engine/checks/compiled_request.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/member_checks.h"
#include "engine/checks/messages.h"
#include "engine/checks/tags.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/governance.h"
#include "engine/governed/migration.h"
#include "engine/read/read.h"
#include "engine/records/keys.h"
#include "engine/streams/streams.h"
#include "engine/write/batches.h"
#include "engine/write/collections.h"
#include "engine/write/transactions.h"
#include "store/frozen.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

ItemView key_of(const PutItemRequest& request) { return request.item.view(); }
ItemView key_of(const DeleteItemRequest& request) { return request.key.view(); }
ItemView key_of(const UpdateItemRequest& request) { return request.key.view(); }

}  // namespace

Engine::Engine(std::unique_ptr<store::Store> store, const Clock& clock, Random& random)
    : store_(std::move(store)),
      governed_schemas_(*store_),
      catalog_(*store_, clock, &governed_schemas_),
      clock_(clock),
      random_(random),
      policies_(*store_, catalog_, clock),
      shelf_(*store_),
      worker_(*store_, catalog_, clock, random, shelf_) {
  // If it fails now, the next opening does it.
  if (!store_->directory().empty()) static_cast<void>(tidy_shelf(*store_, shelf_));
}

// ---- Tables ----

Result<TableDescription> Engine::describe(const TableSchema& schema) const {
  TableDescription description = schema.description;
  TAVOLA_TRY(const std::optional<std::string> stored, store_->get_for_answer(counters_key(schema.id)));
  const std::size_t last_id = schema.indexes.empty() ? 0 : schema.indexes.back().id.value();
  TAVOLA_TRY(const std::vector<std::int64_t> counters,
             store::decode_counters(stored.value_or(std::string()), 2 * (last_id + 1)));
  description.item_count = counters[0];
  description.size_bytes = counters[1];
  for (const IndexSchema& index : schema.indexes) {
    const std::size_t at = 2 * std::size_t{index.id.value()};
    description.index_statistics.emplace(index.name, IndexStatistics{counters[at], counters[at + 1]});
  }
  show_warmth(description);
  return description;
}

Result<CreateTableResponse> Engine::create_table(const CreateTableRequest& request) {
  TAVOLA_TRY(TableDescription description, describe_new_table(request));
  description.table_id = make_uuid(random_);
  description.created_at = clock_.now();
  if (description.billing_mode == BillingMode::PayPerRequest) {
    description.on_demand_since = description.created_at;
  }
  TAVOLA_CHECK(check_tags(request.tags));
  TAVOLA_TRY(const SchemaPtr schema, catalog_.create(description, request.tags));
  CreateTableResponse response{schema->description};
  for (const IndexSchema& index : schema->indexes) {
    response.table.index_statistics.try_emplace(index.name);  // all zero, as DescribeTable would say
  }
  show_warmth(response.table);
  return response;
}

Result<DescribeTableResponse> Engine::describe_table(const DescribeTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_TRY(const SchemaPtr schema, catalog_.find(request.table_name));
  if (!schema) {
    return fail(table_not_found(request.table_name));
  }
  TAVOLA_TRY(TableDescription description, describe(*schema));
  return DescribeTableResponse{std::move(description)};
}

Result<ListTablesResponse> Engine::list_tables(const ListTablesRequest& request) {
  const int limit = request.limit.value_or(static_cast<int>(limits::kListTablesMax));
  Constraints constraints;
  constraints.check_at_least(1, limit, "limit");
  constraints.check_at_most(static_cast<int>(limits::kListTablesMax), limit, "limit");
  TAVOLA_CHECK(constraints.check());
  if (!request.exclusive_start_table_name.empty()) {
    TAVOLA_CHECK(check_table_name(request.exclusive_start_table_name));
  }
  const auto wanted = static_cast<std::size_t>(limit);
  ListTablesResponse response;
  TAVOLA_TRY(response.table_names, catalog_.names(request.exclusive_start_table_name, wanted + 1));
  if (response.table_names.size() > wanted) {
    response.table_names.pop_back();
    response.last_evaluated_table_name = response.table_names.back();
  }
  return response;
}

Result<UpdateTableResponse> Engine::update_table(const UpdateTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_CHECK(check_update(request));
  SchemaPtr known;  // by its design
  const WallTime now = clock_.now();
  const auto change = [&](Catalog::TableChange& changed) -> Result<void> {
    TableRecord& description = changed.description;
    if (!known || known->description.design_digest != description.design_digest ||
        known->description.governed_by != description.governed_by) {
      return fail(Error(ErrorCode::Stale, "the table got another design"));
    }
    const TableRecord before = description;
    TAVOLA_CHECK(apply_update(request, description));
    if (description.billing_mode != before.billing_mode && before.billing_mode == BillingMode::Provisioned) {
      description.on_demand_since = now;
    }
    if (!request.stream) return {};
    const StreamSwitch at{changed.reads, changed.table.id, now};
    return *request.stream ? begin_stream(at, description) : end_stream(at, before, changed.also);
  };
  Result<SchemaPtr> updated;
  do {
    catalog_.forget(request.table_name, known);
    TAVOLA_TRY(known, catalog_.find(request.table_name));
    const Governor* const governor = known ? governor_of(*known) : nullptr;
    if (governor != nullptr) TAVOLA_CHECK(check_index_changes(*governor, request, known->description));
    updated = catalog_.update(request.table_name, change);
  } while (!updated && updated.error().code() == ErrorCode::Stale);
  if (!updated) return fail(updated.error());
  const SchemaPtr schema = *updated;
  // The update is done: unreadable counts must not make it look undone.
  UpdateTableResponse response{describe(*schema).value_or(schema->description)};
  if (!request.created_indexes.empty()) worker_.wake();
  if (known && !request.deleted_indexes.empty()) show_deleted(known->description, request, response.table);
  return response;
}

Result<DeleteTableResponse> Engine::delete_table(const DeleteTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_TRY(const SchemaPtr schema, remove_table(backups(), request.table_name));
  DeleteTableResponse response{schema->description};
  response.table.status = TableStatus::Deleting;
  return response;
}

// ---- Earlier states ----

Result<std::unique_ptr<store::Branch>> Engine::branch() {
  constexpr std::chrono::seconds kPatience{5};
  TAVOLA_TRY(const bool is_done, worker_.finish_jobs(kPatience));
  if (!is_done) {
    return fail(Error::resource_in_use(
        "background work (an index build, a restore, a migration) goes on; try again when it is done"));
  }
  std::unique_ptr<store::Branch> branch = store_->branch();
  if (branch == nullptr) return fail(Error::validation("this store cannot return to an earlier state"));
  return branch;
}

Result<void> Engine::return_to(store::Branch* branch) {
  TAVOLA_CHECK(worker_.while_idle([&] { return store_->return_to(branch, every_backup()); }));
  governed_schemas_.forget_all();
  policies_.forget_all();
  catalog_.forget_all();
  worker_.wake();
  return {};
}

Result<void> Engine::empty_table(const std::string& table_name) {
  TAVOLA_CHECK(check_table_name(table_name));
  const WallTime now = clock_.now();
  TAVOLA_TRY(const SchemaPtr emptied,
             catalog_.update(table_name, [now](Catalog::TableChange& change) -> Result<void> {
               append_emptying(change.table, change.also);
               if (change.description.recovery) change.description.recovery->since = now;
               return {};
             }));
  return store_->sync();
}

// ---- Items ----

template <class Request>
WriteContext Engine::context(const Request& request, bool& unfinished) {
  return {.now = clock_.now(),
          .random = &random_,
          .caller = request.caller.get(),
          .as_is = request.as_is,
          .on_unfinished = [this, &unfinished] {
            unfinished = true;
            worker_.wake();
          }};
}

template <class Request>
WriteItemResponse Engine::write_response(const Request& request, const TableSchema& table,
                                         WrittenItem& written, const expr::Update& update) const {
  WriteItemResponse response;
  const ItemView key = key_of(request);
  const auto touched_of = [&update](const std::optional<PackedItem>& item) {
    std::optional<PackedItem> touched;
    if (item && !update.empty()) {
      touched = update.touched().apply(item->view());
    }
    return touched && !touched->empty() ? std::move(touched) : std::nullopt;
  };
  switch (request.return_values) {
    case ReturnValues::None:
      break;
    case ReturnValues::AllOld:
      response.attributes = std::move(written.before);
      break;
    case ReturnValues::AllNew:
      response.attributes = std::move(written.after);
      break;
    case ReturnValues::UpdatedOld:
      response.attributes = touched_of(written.before);
      break;
    case ReturnValues::UpdatedNew:
      response.attributes = touched_of(written.after);
      break;
  }
  response.consumed_capacity =
      consumed_capacity(table, written.units, CapacityKind::Write, request.return_consumed_capacity);
  if (request.return_item_collection_metrics == ReturnItemCollectionMetrics::Size && table.has_local_index) {
    // The write is done: unreadable statistics must not make it look undone.
    if (auto metrics = collection_metrics(*store_, table, key)) {
      response.item_collection_metrics = *std::move(metrics);
    }
  }
  return response;
}

template <class Request>
Result<WriteItemResponse> Engine::write(const Request& request) {
  TAVOLA_TRY(const WriteParameters parameters, compile_parameters(request));
  if constexpr (std::is_same_v<Request, PutItemRequest>) {
    TAVOLA_CHECK(check_item_size(request.item.view()));
  }
  return catalog_.for_write(request.table_name, [&](const TableSchema& table) -> Result<WriteItemResponse> {
    TAVOLA_TRY(ItemWrite write, prepare(table, request, parameters));
    bool unfinished = false;
    TAVOLA_TRY(WrittenItem written, write_item(*store_, std::move(write), context(request, unfinished)));
    WriteItemResponse response = write_response(request, table, written, parameters.update);
    response.unfinished = unfinished;
    return response;
  });
}

Result<PutItemResponse> Engine::put_item(const PutItemRequest& request) { return write(request); }
Result<DeleteItemResponse> Engine::delete_item(const DeleteItemRequest& request) { return write(request); }
Result<UpdateItemResponse> Engine::update_item(const UpdateItemRequest& request) { return write(request); }

Result<GetItemResponse> Engine::get_item(const GetItemRequest& request) {
  TAVOLA_TRY(const expr::Projection projection, compile_parameters(request));
  const ItemView key = request.key.view();
  return catalog_.for_read(request.table_name, [&](const TableSchema& table) -> Result<GetItemResponse> {
    TAVOLA_CHECK(check_key(table.key, key));
    TAVOLA_CHECK(check_nested_paths(table, projection.nested_attributes()));
    TAVOLA_TRY(std::optional<std::string> stored, store_->get_for_answer(item_key(table, key)));
    GetItemResponse response;
    UsedUnits used(table);
    used.table = read_units(stored ? item_size(ItemView(*stored)) : 0, consistency_of(request));
    response.consumed_capacity =
        consumed_capacity(table, used, CapacityKind::Read, request.return_consumed_capacity);
    if (stored) {
      response.item =
          projection.empty() ? PackedItem(*std::move(stored)) : projection.apply(ItemView(*stored));
    }
    return response;
  });
}

// ---- Query and Scan ----

Result<QueryResponse> Engine::query(const QueryRequest& request) {
  TAVOLA_CHECK(check_query(request));
  TAVOLA_TRY(const ReadParameters parameters, compile_parameters(request));
  return catalog_.for_read(request.table_name, [&](const TableSchema& table) {
    return query_table(*store_, table, request, parameters);
  });
}

Result<ScanResponse> Engine::scan(const ScanRequest& request) {
  TAVOLA_CHECK(check_scan(request));
  TAVOLA_TRY(const ReadParameters parameters, compile_parameters(request));
  return catalog_.for_read(request.table_name, [&](const TableSchema& table) {
    return scan_table(*store_, table, request, parameters);
  });
}

// ---- Batches and transactions ----

Result<BatchGetItemResponse> Engine::batch_get_item(const BatchGetItemRequest& request) {
  TAVOLA_CHECK(check_members(request));
  return get_batch(*store_, catalog_, request);
}

Result<BatchWriteItemResponse> Engine::batch_write_item(const BatchWriteItemRequest& request) {
  TAVOLA_CHECK(check_members(request));
  bool unfinished = false;
  return write_batch(*store_, catalog_, context(request, unfinished), request);
}

Result<TransactGetItemsResponse> Engine::transact_get_items(const TransactGetItemsRequest& request) {
  TAVOLA_CHECK(check_members(request));
  return transact_get(*store_, catalog_, request);
}

Result<TransactWriteItemsResponse> Engine::transact_write_items(const TransactWriteItemsRequest& request) {
  TAVOLA_CHECK(check_members(request));
  bool unfinished = false;
  TAVOLA_TRY(TransactWriteItemsResponse response,
             transact_write(*store_, catalog_, context(request, unfinished), request));
  response.unfinished = unfinished;
  return response;
}

// ---- Time to live and tags ----

Result<UpdateTimeToLiveResponse> Engine::update_time_to_live(const UpdateTimeToLiveRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_CHECK(check_time_to_live(request));
  TAVOLA_CHECK(catalog_.update(request.table_name, time_to_live_change(request, random_)));
  return UpdateTimeToLiveResponse{request.attribute_name, request.enabled};
}

Result<DescribeTimeToLiveResponse> Engine::describe_time_to_live(const DescribeTimeToLiveRequest& request) {
  TAVOLA_TRY(const SchemaPtr schema, catalog_.find(request.table_name));
  if (!schema || schema->description.restored_from) {
    TAVOLA_CHECK(check_table_name(request.table_name));
    return fail(table_not_found(request.table_name));
  }
  DescribeTimeToLiveResponse response;
  if (const auto& attribute = schema->description.time_to_live_attribute) {
    response.time_to_live = {TimeToLiveStatus::Enabled, *attribute};
  }
  return response;
}

Result<void> Engine::tag_resource(const TagResourceRequest& request) {
  if (request.tags.empty()) {
    return fail(no_tags());
  }
  TAVOLA_CHECK(check_tags(request.tags));
  return catalog_.update_tags(request.table_name, [&](Tags& tags) -> Result<void> {
    for (const auto& [key, value] : request.tags) {
      tags.insert_or_assign(key, value);
    }
    return check_tags(tags);
  });
}

Result<void> Engine::untag_resource(const UntagResourceRequest& request) {
  if (request.tag_keys.empty()) {
    return fail(no_tag_keys());
  }
  TAVOLA_CHECK(check_tag_keys(request.tag_keys));
  return catalog_.update_tags(request.table_name, [&](Tags& tags) -> Result<void> {
    for (const std::string& key : request.tag_keys) {
      tags.erase(key);
    }
    return {};
  });
}

Result<ListTagsOfResourceResponse> Engine::list_tags_of_resource(const ListTagsOfResourceRequest& request) {
  TAVOLA_TRY(Tags tags, catalog_.tags(request.table_name));
  return ListTagsOfResourceResponse{std::move(tags)};
}

// ---- Streams ----

Result<ListStreamsResponse> Engine::list_streams(const ListStreamsRequest& request) {
  return engine::list_streams(*store_, request);
}

Result<DescribeStreamResponse> Engine::describe_stream(const DescribeStreamRequest& request) {
  return engine::describe_stream(*store_, request);
}

Result<GetShardIteratorResponse> Engine::get_shard_iterator(const GetShardIteratorRequest& request) {
  return engine::get_shard_iterator(*store_, request, clock_.now());
}

Result<GetRecordsResponse> Engine::get_records(const GetRecordsRequest& request) {
  return engine::get_records(*store_, request, clock_.now());
}

// ---- Backups ----

Result<CreateBackupResponse> Engine::create_backup(const CreateBackupRequest& request) {
  return engine::create_backup(backups(), request);
}

Result<DescribeBackupResponse> Engine::describe_backup(const DescribeBackupRequest& request) {
  return engine::describe_backup(*store_, request);
}

Result<ListBackupsResponse> Engine::list_backups(const ListBackupsRequest& request) {
  return engine::list_backups(*store_, request);
}

Result<DeleteBackupResponse> Engine::delete_backup(const DeleteBackupRequest& request) {
  return engine::delete_backup(backups(), request);
}

Result<RestoreTableFromBackupResponse> Engine::restore_table_from_backup(
    const RestoreTableFromBackupRequest& request) {
  TAVOLA_TRY(RestoreTableResponse response, restore_from_backup(backups(), request));
  worker_.wake();
  return response;
}

Result<UpdateContinuousBackupsResponse> Engine::update_continuous_backups(
    const UpdateContinuousBackupsRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_CHECK(check_recovery(request));
  if (request.enabled && store_->is_shared()) return fail(backups_are_elsewhere());
  TAVOLA_CHECK(find_backed_up_table(catalog_, request.table_name));
  const Result<SchemaPtr> schema =
      catalog_.update(request.table_name, recovery_change(request, clock_.now()));
  if (!schema && schema.error().code() == ErrorCode::ResourceNotFound)
    return fail(backed_up_table_not_found(request.table_name));
  if (!schema) return fail(schema.error());
  return ContinuousBackupsResponse{continuous_backups((*schema)->description, clock_.now())};
}

Result<DescribeContinuousBackupsResponse> Engine::describe_continuous_backups(
    const DescribeContinuousBackupsRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_TRY(const SchemaPtr schema, find_backed_up_table(catalog_, request.table_name));
  return ContinuousBackupsResponse{continuous_backups(schema->description, clock_.now())};
}

Result<RestoreTableToPointInTimeResponse> Engine::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request) {
  TAVOLA_TRY(RestoreTableResponse response, restore_to_moment(backups(), request));
  worker_.wake();
  return response;
}

Result<std::string> Engine::failed_restore(const std::string& table_name) {
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(table_name));
  if (!table || !table->description.restored_from) return std::string();
  TAVOLA_TRY(RestoreJob job, restore_job_of(*store_, table->id));
  return std::move(job.failure);
}

Result<ItemHistoryResponse> Engine::item_history(const ItemHistoryRequest& request) {
  return catalog_.for_read(request.table_name, [&](const TableSchema& table) {
    return engine::item_history({.store = *store_, .table = table, .now = clock_.now()}, request);
  });
}

Result<ItemAsOfResponse> Engine::item_as_of(const ItemAsOfRequest& request) {
  return catalog_.for_read(request.table_name, [&](const TableSchema& table) {
    return engine::item_as_of({.store = *store_, .table = table, .now = clock_.now()}, request);
  });
}

Result<std::unique_ptr<Database>> Engine::freeze() {
  return std::make_unique<Engine>(store::freeze(*store_), clock_, random_);
}

// ---- Designs ----

Result<GovernTableResponse> Engine::govern_table(const GovernTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_TRY(GovernedBy governed_by, engine::govern_table(catalog_, request));
  TAVOLA_CHECK(worker_.finish_jobs());  // a job adopts the existing items
  return GovernTableResponse{std::move(governed_by)};
}

Result<DescribeGovernanceResponse> Engine::describe_governance(const DescribeGovernanceRequest& request) {
  TAVOLA_TRY(const SchemaPtr schema, catalog_.find_existing(request.table_name));
  return engine::describe_governance(*store_, *schema, request, clock_.now());
}

Result<std::shared_ptr<const design::Design>> Engine::governing_design(std::string_view table_name) {
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(table_name));
  if (!table) return nullptr;
  const std::shared_ptr<const Governor> governor = governor_for_access(*table);
  if (governor) return std::shared_ptr<const design::Design>(governor, &governor->design);
  const std::string& awaited = table->description.awaits_design;
  if (awaited.empty()) return nullptr;
  return fail(Error(ErrorCode::AccessDenied,
                    "the table " + table->description.table_name + " was restored from one that the design " +
                        awaited +
                        " governs, and has no design yet: give it one with `tavola serve --design`"));
}

Result<MigrateTableResponse> Engine::migrate_table(const MigrateTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  Result<MigrateTableResponse> response = engine::migrate_table({*this, *store_, catalog_}, request);
  if (response && request.action == MigrateTableRequest::Action::Start) worker_.wake();
  return response;
}

}  // namespace tavola::engine
