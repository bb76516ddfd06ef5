#include "engine/engine.h"

#include <cmath>

#include "engine/index_entries.h"
#include "engine/key_checks.h"
#include "engine/keys.h"
#include "engine/messages.h"
#include "engine/parameters.h"
#include "engine/read.h"
#include "engine/tables.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

Result<void> check_item_size(const ItemView& item, const Error& too_large) {
  if (item_size(item) > limits::kItemBytesMax) {
    return fail(too_large);
  }
  return {};
}

ItemView key_of(const PutItemRequest& request) { return request.item.view(); }
ItemView key_of(const DeleteItemRequest& request) { return request.key.view(); }
ItemView key_of(const UpdateItemRequest& request) { return request.key.view(); }

KeepBefore keep_before(ReturnValues wanted) {
  return wanted == ReturnValues::AllOld || wanted == ReturnValues::UpdatedOld ? KeepBefore::Yes
                                                                              : KeepBefore::No;
}

Result<void> check_update_spares_key(const TableSchema& table, const expr::Update& update) {
  for (const std::string& attribute : update.attributes()) {
    if (table.key.find(attribute) != nullptr) {
      return fail(key_not_updatable(attribute));
    }
  }
  return {};
}

// An update of an absent item that only removes makes nothing; one that names no attribute makes the key
// alone.
bool makes_nothing(const expr::Update& update) {
  return update.only_removes() && !update.attributes().empty();
}

}  // namespace

Engine::Engine(std::unique_ptr<store::Store> store, const Clock& clock, Random& random)
    : store_(std::move(store)), catalog_(*store_), clock_(clock), random_(random) {}

Result<SchemaPtr> Engine::table(const std::string& name) {
  TAVOLA_TRY(SchemaPtr schema, catalog_.find(name));
  if (!schema) {
    TAVOLA_CHECK(check_table_reference(name));
    return fail(table_not_found());
  }
  return schema;
}

template <class Attempt>
auto Engine::with_table(const std::string& name, const Attempt& attempt) {
  using Response = std::invoke_result_t<Attempt, const TableSchema&>;
  for (;;) {
    const Result<SchemaPtr> schema = table(name);
    if (!schema) {
      return Response(fail(schema.error()));
    }
    Response response = attempt(**schema);
    if (response || response.error().code() != ErrorCode::Stale) {
      return response;
    }
    catalog_.forget(name);
  }
}

template <class Attempt>
auto Engine::read_table(const std::string& name, const Attempt& attempt) {
  using Response = std::invoke_result_t<Attempt, const TableSchema&>;
  for (;;) {
    const Result<SchemaPtr> schema = table(name);
    if (!schema) {
      return Response(fail(schema.error()));
    }
    Response response = attempt(**schema);
    if (catalog_.is_current(name, *schema)) {
      return response;
    }
  }
}

// ---- Tables ----

Result<TableDescription> Engine::describe(const TableSchema& schema) const {
  TableDescription description = schema.description;
  TAVOLA_TRY(const std::optional<std::string> stored, store_->get(counters_key(schema.id)));
  const std::size_t last_id = schema.indexes.empty() ? 0 : schema.indexes.back().id.value();
  TAVOLA_TRY(const std::vector<std::int64_t> counters,
             store::decode_counters(stored.value_or(std::string()), 2 * (last_id + 1)));
  description.item_count = counters[0];
  description.size_bytes = counters[1];
  for (const IndexSchema& index : schema.indexes) {
    const std::size_t at = 2 * std::size_t{index.id.value()};
    description.index_statistics.emplace(index.name, IndexStatistics{counters[at], counters[at + 1]});
  }
  return description;
}

Result<CreateTableResponse> Engine::create_table(const CreateTableRequest& request) {
  TAVOLA_TRY(TableDescription description, describe_new_table(request));
  description.table_id = make_uuid(random_);
  description.created_at = clock_.now();
  TAVOLA_TRY(const SchemaPtr schema, catalog_.create(description));
  CreateTableResponse response{schema->description};
  for (const IndexSchema& index : schema->indexes) {
    response.table.index_statistics.try_emplace(index.name);  // all zero, as DescribeTable would say
  }
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
  if (limit < 1 || limit > static_cast<int>(limits::kListTablesMax)) {
    return fail(Error::validation("1 validation error detected: Value '" + std::to_string(limit) +
                                  "' at 'limit' failed to satisfy constraint: Member must have value " +
                                  (limit < 1 ? "greater than or equal to 1" : "less than or equal to 100")));
  }
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
  const auto change = [&](TableDescription& description) { return apply_update(request, description); };
  TAVOLA_TRY(const SchemaPtr schema, catalog_.update(request.table_name, change));
  // The update is done: that the counts cannot be read must not make it look undone.
  return UpdateTableResponse{describe(*schema).value_or(schema->description)};
}

Result<DeleteTableResponse> Engine::delete_table(const DeleteTableRequest& request) {
  TAVOLA_CHECK(check_table_name(request.table_name));
  TAVOLA_TRY(const SchemaPtr schema, catalog_.remove(request.table_name));
  DeleteTableResponse response{schema->description};
  response.table.status = TableStatus::Deleting;
  return response;
}

// ---- Items ----

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
  response.consumed_capacity = consumed_capacity(table, written.units, request.return_consumed_capacity);
  if (request.return_item_collection_metrics == ReturnItemCollectionMetrics::Size && table.has_local_index) {
    // The write is done: that its statistics cannot be read must not make it look undone.
    if (auto metrics = collection_metrics(table, key)) {
      response.item_collection_metrics = *std::move(metrics);
    }
  }
  return response;
}

Result<ItemCollectionMetrics> Engine::collection_metrics(const TableSchema& table,
                                                         const ItemView& key) const {
  TAVOLA_TRY(const std::optional<std::string> stored, store_->get(collection_key(table, key)));
  TAVOLA_TRY(const std::vector<std::int64_t> bytes,
             store::decode_counters(stored.value_or(std::string()), 1));
  constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;
  const double lower = std::floor(static_cast<double>(bytes[0]) / kGigabyte);
  return ItemCollectionMetrics{project(key, {table.key.hash[0].name}), {lower, lower + 1}};
}

Result<PutItemResponse> Engine::put_item(const PutItemRequest& request) {
  TAVOLA_TRY(const WriteParameters parameters, compile_parameters(request));
  const ItemView item = request.item.view();
  TAVOLA_CHECK(check_item_size(item, item_too_large()));
  return with_table(request.table_name, [&](const TableSchema& table) -> Result<PutItemResponse> {
    TAVOLA_CHECK(check_item_key(table, item));
    TAVOLA_CHECK(check_index_keys(table, item, WrittenBy::Put));
    const auto put = [&](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
      return request.item;
    };
    TAVOLA_TRY(WrittenItem written,
               write_item(*store_, {table, item_key(table, item), parameters.condition,
                                    request.on_condition_failure, keep_before(request.return_values), put}));
    return write_response(request, table, written, parameters.update);
  });
}

Result<DeleteItemResponse> Engine::delete_item(const DeleteItemRequest& request) {
  TAVOLA_TRY(const WriteParameters parameters, compile_parameters(request));
  const ItemView key = request.key.view();
  return with_table(request.table_name, [&](const TableSchema& table) -> Result<DeleteItemResponse> {
    TAVOLA_CHECK(check_key(table.key, key));
    const auto remove = [](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
      return std::nullopt;
    };
    TAVOLA_TRY(WrittenItem written, write_item(*store_, {table, item_key(table, key), parameters.condition,
                                                         request.on_condition_failure,
                                                         keep_before(request.return_values), remove}));
    return write_response(request, table, written, parameters.update);
  });
}

Result<UpdateItemResponse> Engine::update_item(const UpdateItemRequest& request) {
  TAVOLA_TRY(const WriteParameters parameters, compile_parameters(request));
  const ItemView key = request.key.view();
  return with_table(request.table_name, [&](const TableSchema& table) -> Result<UpdateItemResponse> {
    TAVOLA_CHECK(check_key(table.key, key));
    TAVOLA_CHECK(check_update_spares_key(table, parameters.update));
    if (!table.indexes.empty()) {
      TAVOLA_CHECK(check_known_types(table, parameters.update.known_types()));
    }
    TAVOLA_CHECK(check_nested_paths(table, parameters.update.nested_attributes()));
    const auto update = [&](const std::optional<ItemView>& before) -> Result<std::optional<PackedItem>> {
      if (!before && makes_nothing(parameters.update)) {
        return std::nullopt;
      }
      TAVOLA_TRY(PackedItem after, before ? parameters.update.apply(*before)
                                          : parameters.update.apply(key, expr::ItemState::New));
      TAVOLA_CHECK(check_item_size(after.view(), updated_item_too_large()));
      TAVOLA_CHECK(check_index_keys(table, after.view(), WrittenBy::Update));
      return after;
    };
    TAVOLA_TRY(WrittenItem written, write_item(*store_, {table, item_key(table, key), parameters.condition,
                                                         request.on_condition_failure,
                                                         keep_before(request.return_values), update}));
    return write_response(request, table, written, parameters.update);
  });
}

Result<GetItemResponse> Engine::get_item(const GetItemRequest& request) {
  TAVOLA_TRY(const expr::Projection projection, compile_parameters(request));
  const ItemView key = request.key.view();
  return read_table(request.table_name, [&](const TableSchema& table) -> Result<GetItemResponse> {
    TAVOLA_CHECK(check_key(table.key, key));
    TAVOLA_CHECK(check_nested_paths(table, projection.nested_attributes()));
    TAVOLA_TRY(std::optional<std::string> stored, store_->get(item_key(table, key)));
    GetItemResponse response;
    UsedUnits used(table);
    used.table = read_units(stored ? item_size(ItemView(*stored)) : 0, request.consistent_read);
    response.consumed_capacity = consumed_capacity(table, used, request.return_consumed_capacity);
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
  return read_table(request.table_name, [&](const TableSchema& table) {
    return query_table(*store_, table, request, parameters);
  });
}

Result<ScanResponse> Engine::scan(const ScanRequest& request) {
  TAVOLA_CHECK(check_scan(request));
  TAVOLA_TRY(const ReadParameters parameters, compile_parameters(request));
  return read_table(request.table_name, [&](const TableSchema& table) {
    return scan_table(*store_, table, request, parameters);
  });
}

}  // namespace tavola::engine
