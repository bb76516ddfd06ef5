#include "engine/write/batches.h"

#include <set>

#include "database/constraints.h"
#include "engine/checks/compiled_request.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "engine/write/request_totals.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

template <class Tables>
std::vector<std::string> names_of(const Tables& tables) {
  std::vector<std::string> names;
  names.reserve(tables.size());
  for (const auto& table : tables) names.push_back(table.table_name);
  return names;
}

// ---- BatchGetItem ----

// One table's part of the request, ready to be read.
struct Gets {
  const KeysToGet& request;
  expr::Projection projection;
  std::vector<std::string> keys;  // item_key()
};

// Keys are packed, and so equal when their bytes are: before the tables are looked up, as on AWS. A table may come
// more than once.
Result<void> check_distinct(const BatchGetItemRequest& request) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const KeysToGet& table : request.tables) {
    for (const PackedItem& key : table.keys) {
      if (!seen.emplace(table.table_name, key.bytes()).second) return fail(duplicate_keys());
    }
  }
  return {};
}

Result<void> check_counts(const BatchGetItemRequest& request) {
  if (request.tables.empty()) {
    return fail(broken_constraint("RequestItems", "have length greater than or equal to 1"));
  }
  std::size_t keys = 0;
  for (const KeysToGet& table : request.tables) {
    const std::string member = "RequestItems." + table.table_name + ".member.Keys";
    if (table.keys.empty()) return fail(broken_constraint(member, "have length greater than or equal to 1"));
    if (table.keys.size() > limits::kBatchGetKeysMax) {
      return fail(broken_constraint(member, "have length less than or equal to 100"));
    }
    keys += table.keys.size();
  }
  if (keys > limits::kBatchGetKeysMax) {
    return fail(Error::validation("Too many items requested for the BatchGetItem call"));
  }
  return {};
}

Result<std::vector<Gets>> compile(const BatchGetItemRequest& request) {
  TAVOLA_CHECK(check_counts(request));
  TAVOLA_TRY(std::vector<expr::Projection> projections, compile_parameters(request));
  TAVOLA_CHECK(check_distinct(request));
  std::vector<Gets> gets;
  gets.reserve(request.tables.size());
  for (std::size_t i = 0; i < request.tables.size(); ++i) {
    gets.push_back({request.tables[i], std::move(projections[i]), {}});
  }
  return gets;
}

Result<void> check_gets(const Schemas& tables, std::vector<Gets>& gets) {
  for (Gets& part : gets) {
    const TableSchema& table = *tables.at(part.request.table_name);
    part.keys.clear();
    for (const PackedItem& key : part.request.keys) {
      TAVOLA_CHECK(check_key(table.key, key.view()));
      part.keys.push_back(item_key(table, key.view()));
    }
    TAVOLA_CHECK(check_nested_paths(table, part.projection.nested_attributes()));
  }
  return {};
}

// Reads items until the response is full; the keys of the others are left for the next request.
class BatchReader {
 public:
  BatchReader(const store::Store& store, BatchGetItemResponse& response)
      : store_(store), response_(response) {}

  Result<void> read(const TableSchema& table, const Gets& part) {
    TableItems found{part.request.table_name, {}};
    KeysToGet left = part.request;
    left.keys.clear();
    for (std::size_t i = 0; i < part.keys.size(); ++i) {
      if (bytes_ > limits::kBatchGetBytesMax) {
        left.keys.push_back(part.request.keys[i]);
        continue;
      }
      TAVOLA_TRY(std::optional<std::string> stored, store_.get_for_answer(part.keys[i]));
      const std::size_t size = stored ? item_size(ItemView(*stored)) : 0;
      if (bytes_ + size > limits::kBatchGetBytesMax) {
        left.keys.push_back(part.request.keys[i]);
        bytes_ = limits::kBatchGetBytesMax + 1;  // full: the order of the request is kept
        continue;
      }
      bytes_ += size;
      UsedUnits used(table);
      used.table = read_units(size, consistency_of(part.request));
      units_.add(table, used);
      if (!stored) continue;
      found.items.push_back(part.projection.empty() ? PackedItem(*std::move(stored))
                                                    : part.projection.apply(ItemView(*stored)));
    }
    response_.tables.push_back(std::move(found));
    if (!left.keys.empty()) response_.unprocessed_keys.push_back(std::move(left));
    return {};
  }

  const UnitsByTable& units() const { return units_; }

 private:
  const store::Store& store_;
  BatchGetItemResponse& response_;
  UnitsByTable units_;
  std::size_t bytes_ = 0;
};

// ---- BatchWriteItem ----

Result<void> check_writes(const BatchWriteItemRequest& request) {
  if (request.tables.empty()) {
    return fail(Error::validation("The requestItems parameter is required for BatchWriteItem"));
  }
  std::size_t writes = 0;
  for (const TableWrites& table : request.tables) {
    const std::string member = "RequestItems." + table.table_name + ".member";
    if (table.writes.empty())
      return fail(broken_constraint(member, "have length greater than or equal to 1"));
    if (table.writes.size() > limits::kBatchWritesMax) {
      return fail(broken_constraint(member, "have length less than or equal to 25"));
    }
    writes += table.writes.size();
  }
  if (writes > limits::kBatchWritesMax) {
    return fail(Error::validation("Too many items requested for the BatchWriteItem call"));
  }
  for (const TableWrites& table : request.tables) {
    for (const BatchWrite& write : table.writes) {
      if (write.kind == BatchWrite::Kind::Put) TAVOLA_CHECK(check_item_size(write.item.view()));
    }
  }
  return {};
}

// In a batch, AWS says the same of a put's wrong or missing key as of a delete's.
Result<void> check_put_key(const TableSchema& table, const ItemView& item) {
  for (const auto* part : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *part) {
      const auto value = item.find(attribute.name);
      if (!value || value->type() != attribute.type) return fail(key_does_not_match_schema());
    }
  }
  return {};
}

Result<ItemWrite> prepare_one(const TableSchema& table, const BatchWrite& write) {
  static const expr::Condition no_condition;
  const ItemView item = write.item.view();
  const bool puts = write.kind == BatchWrite::Kind::Put;
  if (puts) {
    TAVOLA_CHECK(check_put_key(table, item));
    TAVOLA_CHECK(check_item_key(table, item));
    TAVOLA_CHECK(check_index_keys(table, item, WrittenBy::Put));
    if (table.has_local_index) TAVOLA_CHECK(check_stored_size(table, item));
  } else {
    TAVOLA_CHECK(check_key(table.key, item));
  }
  const auto change = [&write, puts](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
    return puts ? std::optional(write.item) : std::nullopt;
  };
  return ItemWrite{table,
                   item_key(table, item),
                   no_condition,
                   ReturnValuesOnConditionCheckFailure::None,
                   KeepBefore::No,
                   change,
                   puts && table.has_local_index ? collection_key(table, item) : std::string()};
}

Result<BatchWriteItemResponse> write_all(store::Store& store, const Schemas& tables,
                                         const WriteContext& context, const BatchWriteItemRequest& request) {
  std::vector<ItemWrite> writes;
  std::set<std::string_view> keys;
  std::vector<std::pair<const TableSchema*, ItemView>> items;
  for (const TableWrites& part : request.tables) {
    const TableSchema& table = *tables.at(part.table_name);
    for (const BatchWrite& write : part.writes) {
      TAVOLA_TRY(ItemWrite prepared, prepare_one(table, write));
      TAVOLA_CHECK(look_up_collection(store, prepared));
      writes.push_back(std::move(prepared));
      items.emplace_back(&table, write.item.view());
    }
  }
  for (const ItemWrite& write : writes) {
    if (!keys.insert(write.key).second) return fail(duplicate_keys());
  }
  RequestWrites together(writes, context);
  TAVOLA_CHECK(together.run(store));
  UnitsByTable units;
  for (std::size_t i = 0; i < writes.size(); ++i) units.add(writes[i].table, together.written(i).units);
  BatchWriteItemResponse response;
  response.consumed_capacity = units.consumed(CapacityKind::Write, request.return_consumed_capacity);
  if (request.return_item_collection_metrics == ReturnItemCollectionMetrics::Size) {
    response.item_collection_metrics = metrics_of(store, items);
  }
  return response;
}

}  // namespace

Result<BatchGetItemResponse> get_batch(const store::Store& store, Catalog& catalog,
                                       const BatchGetItemRequest& request) {
  TAVOLA_TRY(std::vector<Gets> gets, compile(request));
  const auto attempt = [&](const Schemas& tables) -> Result<BatchGetItemResponse> {
    TAVOLA_CHECK(check_gets(tables, gets));
    BatchGetItemResponse response;
    BatchReader reader(store, response);
    for (const Gets& part : gets) TAVOLA_CHECK(reader.read(*tables.at(part.request.table_name), part));
    response.consumed_capacity =
        reader.units().consumed(CapacityKind::Read, request.return_consumed_capacity);
    return response;
  };
  return catalog.for_read(names_of(request.tables), attempt);
}

Result<BatchWriteItemResponse> write_batch(store::Store& store, Catalog& catalog, const WriteContext& context,
                                           const BatchWriteItemRequest& request) {
  TAVOLA_CHECK(check_writes(request));
  return catalog.for_write(names_of(request.tables),
                           [&](const Schemas& tables) { return write_all(store, tables, context, request); });
}

}  // namespace tavola::engine
