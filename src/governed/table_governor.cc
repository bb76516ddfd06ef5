#include "governed/table_governor.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/random.h"
#include "design/items/table_schema.h"
#include "engine/governed/governor.h"
#include "expr/rules/rule.h"
#include "governed/item_places.h"
#include "governed/items_elsewhere.h"
#include "governed/refusals.h"
#include "store/store.h"

namespace tavola::governed {
namespace {

using design::Design;
using Adoption = GovernTableRequest::Adoption;

constexpr std::string_view kDesignRecord = "design";
constexpr std::string_view kCurrent = "current";
constexpr std::chrono::milliseconds kBetweenLooks{200};
constexpr int kLooksMax = 600;  // two minutes, which DynamoDB never needs for an empty table

std::string digest_of(const Design& design) { return to_hex(sha256({design.text})); }

// Counts, capacity and streams are the other server's business.
CreateTableRequest mirror_of(const TableDescription& table) {
  CreateTableRequest request{.table_name = table.table_name,
                             .attribute_definitions = table.attribute_definitions,
                             .key_schema = table.key_schema,
                             .global_indexes = table.global_indexes,
                             .local_indexes = table.local_indexes};
  for (GlobalIndex& index : request.global_indexes) {
    index.throughput.reset();
    index.on_demand_limits.reset();
    index.warm_throughput.reset();
  }
  return request;
}

engine::KeyShape shape_of(const TableDescription& table) {
  engine::KeyShape shape;
  for (const KeySchemaElement& element : table.key_schema) {
    const auto defined =
        std::ranges::find(table.attribute_definitions, element.name, &AttributeDefinition::name);
    const Type type = defined == table.attribute_definitions.end() ? Type::String : defined->type;
    (element.type == KeyType::Hash ? shape.hash : shape.range).push_back({element.name, type});
  }
  return shape;
}

std::string text_of(const Item& record, const std::string& name) {
  const auto found = record.find(name);
  return found != record.end() && found->second.is_string() ? found->second.string() : std::string();
}

std::int64_t milliseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Error has_other_design(const Design& design, const std::string& stored) {
  return Error::validation(
      "the table " + design.table.name + " is governed by another design or revision (" + stored +
      "). To change it on all servers of the table, run\n  tavola design apply " + design.file +
      " --endpoint URL\nwith the URL of one that runs, and start this one then (docs/SCALE.md)");
}

bool is_missing(const Error& error) { return error.code() == ErrorCode::ResourceNotFound; }

}  // namespace

TableGovernor::TableGovernor(Database& remote, const Clock& clock, const Options& options)
    : remote_(remote),
      clock_(clock),
      options_(options),
      name_(make_uuid(Random::system())),
      watch_([this](const std::string& table_name) { return design_in_force(table_name); },
             [this](const std::string& table_name) { return follow(table_name); }, options.watch_times),
      leases_(name_, *options.lease_clock),
      engine_(std::make_unique<ItemsElsewhere>(
                  store::open_memory(), ItemsElsewhere::Parts{remote, tables_, watch_, leases_, counts_},
                  options.index_lag),
              clock) {}

// ---- Tables ----

Result<void> TableGovernor::prepare(const Design& design) {
  const std::string& table_name = design.table.name;
  {
    const ExclusiveLock lock(awaited_mutex_);
    awaited_.insert(table_name);
  }
  TAVOLA_CHECK(check_can_keep(design));
  Result<DescribeTableResponse> found = remote_.describe_table({.table_name = table_name});
  if (!found && !is_missing(found.error())) return fail(found.error());
  if (!found) TAVOLA_CHECK(create(design));
  TAVOLA_TRY(const TableDescription table, wait_until_active(table_name));
  if (table.governed_by)
    return fail(Error::validation(
        "the table " + table_name +
        " is governed by the server at --upstream itself; start this server without --design"));
  TAVOLA_CHECK(check_transactions(design, table));
  TAVOLA_TRY(const std::optional<Stored> stored, stored_design(table));
  if (stored && stored->digest != digest_of(design)) return fail(has_other_design(design, stored->name));
  if (stored && stored->adopting) return {};  // it must be taken over once more
  if (!stored) {
    TAVOLA_TRY(const bool empty, is_empty(table_name));
    if (!empty) return claim(design, table);
  }
  TAVOLA_CHECK(govern({.table_name = table_name, .design = design.text, .file_name = design.file}));
  return {};
}

Result<TableDescription> TableGovernor::create(const Design& design) {
  const Result<CreateTableResponse> created = remote_.create_table(design::table_schema(design));
  // Another front may have created it at the same time.
  if (!created && created.error().code() != ErrorCode::ResourceInUse) return fail(created.error());
  TAVOLA_TRY(TableDescription table, wait_until_active(design.table.name));
  if (design.table.ttl.empty() || table.time_to_live_attribute) return table;
  const Result<UpdateTimeToLiveResponse> expires = remote_.update_time_to_live(
      {.table_name = design.table.name, .attribute_name = design.table.ttl, .enabled = true});
  if (!expires && expires.error().code() != ErrorCode::Validation) return fail(expires.error());
  return table;
}

Result<TableDescription> TableGovernor::wait_until_active(const std::string& table_name) {
  for (int looks = 0; looks < kLooksMax; ++looks) {
    TAVOLA_TRY(DescribeTableResponse found, remote_.describe_table({.table_name = table_name}));
    if (found.table.status == TableStatus::Active || found.table.status == TableStatus::Updating)
      return std::move(found.table);
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return fail(Error(ErrorCode::Io, "the table " + table_name + " does not become ACTIVE"));
}

Result<bool> TableGovernor::is_empty(const std::string& table_name) {
  TAVOLA_TRY(const ScanResponse page,
             remote_.scan({.table_name = table_name, .limit = 1, .consistent_read = true}));
  return page.scanned_count == 0;
}

// Checks one condition that always holds. It costs two units, once.
Result<void> TableGovernor::check_transactions(const Design& design, const TableDescription& table) {
  if (!needs_transactions(design)) return {};
  ConditionCheck check{.table_name = table.table_name};
  TAVOLA_TRY(check.key, record_place(shape_of(table), "front", "never"));
  expr::ExpressionParts parts;
  check.condition_expression = "attribute_not_exists(" + parts.name(table.key_schema.front().name) + ")";
  check.names = parts.names();
  const auto done = remote_.transact_write_items({.actions = {std::move(check)}});
  if (done || done.error().code() == ErrorCode::TransactionCanceled) return {};
  if (done.error().code() == ErrorCode::UnknownOperation)
    return fail(has_no_transactions(design, done.error()));
  return fail(done.error());
}

Result<void> TableGovernor::mirror(const TableDescription& table) {
  const Result<DescribeTableResponse> known = engine_.describe_table({.table_name = table.table_name});
  if (known) {
    const TableDescription& mirrored = known->table;
    const CreateTableRequest wanted = mirror_of(table);
    const bool same =
        mirrored.key_schema == wanted.key_schema &&
        std::ranges::is_permutation(mirror_of(mirrored).global_indexes, wanted.global_indexes) &&
        std::ranges::is_permutation(mirrored.local_indexes, wanted.local_indexes);
    if (same) return {};
    TAVOLA_CHECK(engine_.delete_table({.table_name = table.table_name}));
  }
  TAVOLA_CHECK(engine_.create_table(mirror_of(table)));
  return {};
}

bool TableGovernor::awaits_design(std::string_view table_name) const {
  const SharedLock lock(awaited_mutex_);
  return awaited_.contains(table_name);
}

Result<void> TableGovernor::know(const std::string& table_name) {
  TAVOLA_TRY(const DescribeTableResponse found, remote_.describe_table({.table_name = table_name}));
  const MutexLock lock(mutex_);
  return mirror(found.table);
}

Result<void> TableGovernor::follow_indexes(const UpdateTableRequest& request) {
  if (request.created_indexes.empty() && request.deleted_indexes.empty()) return {};
  UpdateTableRequest own{.table_name = request.table_name,
                         .attribute_definitions = request.attribute_definitions,
                         .created_indexes = request.created_indexes,
                         .deleted_indexes = request.deleted_indexes};
  for (GlobalIndex& index : own.created_indexes) index.throughput.reset();
  const MutexLock lock(mutex_);
  TAVOLA_CHECK(engine_.update_table(own));
  for (bool is_done = own.created_indexes.empty(); !is_done;) {
    TAVOLA_TRY(is_done, engine_.build_index(own.table_name, {}));
  }
  return {};
}

Result<void> TableGovernor::forget(const std::string& table_name) {
  const MutexLock lock(mutex_);
  tables_.erase(table_name);
  watch_.forget(table_name);
  const Result<DeleteTableResponse> gone = engine_.delete_table({.table_name = table_name});
  if (!gone && !is_missing(gone.error())) return fail(gone.error());
  return {};
}

// ---- Designs ----

Result<GovernTableResponse> TableGovernor::govern(const GovernTableRequest& request) {
  if (request.design.empty()) {
    TAVOLA_TRY(GovernTableResponse governed, engine_.govern_table(request));
    TAVOLA_CHECK(note_enforced(governed, request.table_name, clock_.now()));
    return governed;
  }
  TAVOLA_TRY(const Design design, engine::load_design(request.design, request.file_name, request.table_name));
  TAVOLA_CHECK(check_can_keep(design));
  TAVOLA_TRY(const TableDescription table, wait_until_active(request.table_name));
  const bool is_adopting = request.adoption == Adoption::Begin;
  TAVOLA_TRY(const std::optional<Stored> stored, stored_design(table));
  const bool is_other = stored && stored->digest != digest_of(design);
  if (is_other && request.adoption == Adoption::End) return fail(has_other_design(design, stored->name));
  if (is_other) {
    TAVOLA_CHECK(replace(design, table, *stored, is_adopting));
  } else if (is_adopting) {
    TAVOLA_CHECK(store_design(design, table, is_adopting));
  }
  const bool is_known = stored && !is_other && !stored->adopting && !is_adopting;
  const bool is_new = !stored && request.adoption == Adoption::None;
  const WallTime since = is_known ? stored->since : is_new ? WallTime() : clock_.now();
  TAVOLA_TRY(GovernTableResponse governed, enforce(request, table, since));
  if (!is_known && !is_other && !is_adopting)
    TAVOLA_CHECK(store_design(design, table, is_adopting, is_new ? Record::New : Record::MissingOrSame));
  watch_.look();  // the record may have changed since it was read
  // The check of the items after this must find the last writes that were only counted.
  if (request.adoption == Adoption::End) std::this_thread::sleep_for(watch_.times().settles);
  return governed;
}

Result<GovernTableResponse> TableGovernor::enforce(const GovernTableRequest& request,
                                                   const TableDescription& table, WallTime since) {
  const MutexLock lock(mutex_);
  TAVOLA_CHECK(mirror(table));
  GovernTableRequest own = request;
  if (!own.enforcement) own.enforcement = options_.enforcement;
  TAVOLA_TRY(GovernTableResponse governed, engine_.govern_table(own));
  TAVOLA_CHECK(note_enforced(governed, request.table_name, since));
  return governed;
}

Result<void> TableGovernor::note_enforced(const GovernTableResponse& governed, const std::string& table_name,
                                          WallTime since) {
  TAVOLA_TRY(std::shared_ptr<const Design> kept, engine_.governing_design(table_name));
  const std::optional<GovernedBy>& by = governed.governed_by;
  const bool is_adopting = by && by->adopting;
  const bool refuses = by && by->enforcement == Enforcement::Strict && !is_adopting;
  watch_.expect(table_name,
                {.digest = digest_of(*kept), .is_adopting = is_adopting, .is_changing = is_adopting});
  tables_.set(table_name, std::make_shared<const DesignFacts>(std::move(kept),
                                                              refuses ? std::optional(since) : std::nullopt));
  return {};
}

Result<void> TableGovernor::follow(const std::string& table_name) {
  TAVOLA_TRY(const TableDescription table, wait_until_active(table_name));
  TAVOLA_TRY(const std::optional<Stored> stored, stored_design(table));
  if (!stored) return {};  // the next look finds out
  TAVOLA_TRY(const Design design, engine::load_design(stored->text, stored->file, table_name));
  TAVOLA_CHECK(check_can_keep(design));
  TAVOLA_TRY(const std::shared_ptr<const Design> own, engine_.governing_design(table_name));
  GovernTableRequest request{.table_name = table_name, .design = stored->text, .file_name = stored->file};
  if (stored->adopting) {
    request.adoption = Adoption::Begin;
  } else if (own != nullptr && digest_of(*own) == stored->digest) {
    request.adoption = Adoption::End;
  }
  TAVOLA_CHECK(enforce(request, table, stored->since));
  return {};
}

Result<void> TableGovernor::claim(const Design& design, const TableDescription& table) {
  TAVOLA_CHECK(store_design(design, table, true));
  std::this_thread::sleep_for(watch_.times().announced + watch_.times().settles);
  return {};
}

Result<void> TableGovernor::replace(const Design& design, const TableDescription& table, const Stored& old,
                                    bool is_adopting) {
  TAVOLA_CHECK(announce(digest_of(design), table, old.digest));
  std::this_thread::sleep_for(watch_.times().announced);
  TAVOLA_CHECK(store_design(design, table, is_adopting, Record::Announced));
  std::this_thread::sleep_for(watch_.times().settles);
  return {};
}

// ---- The record ----

Result<DesignInForce> TableGovernor::design_in_force(const std::string& table_name) {
  const std::shared_ptr<const DesignFacts> facts = tables_.find(table_name);
  if (facts == nullptr) return fail(Error::internal("the table is not governed any more"));
  TAVOLA_TRY(const PackedItem key, record_place(key_shape(facts->design()), kDesignRecord, kCurrent));
  const Result<std::optional<Stored>> stored = read_record(table_name, key);
  if (!stored && is_missing(stored.error())) return DesignInForce{};  // the table was deleted elsewhere
  if (!stored) return fail(stored.error());
  return *stored ? (*stored)->in_force() : DesignInForce{};
}

Result<PackedItem> TableGovernor::record_key(const TableDescription& table) const {
  return record_place(shape_of(table), kDesignRecord, kCurrent);
}

Result<std::optional<TableGovernor::Stored>> TableGovernor::stored_design(const TableDescription& table) {
  TAVOLA_TRY(const PackedItem key, record_key(table));
  return read_record(table.table_name, key);
}

Result<std::optional<TableGovernor::Stored>> TableGovernor::read_record(const std::string& table_name,
                                                                        const PackedItem& key) {
  TAVOLA_TRY(const GetItemResponse found,
             remote_.get_item({.table_name = table_name, .key = key, .consistent_read = true}));
  if (!found.item) return std::nullopt;
  const Item record = found.item->unpack();
  const auto adopting = record.find("$adopting");
  const auto since = record.find("$since");
  const std::optional<std::int64_t> milliseconds =
      since != record.end() && since->second.is_number() ? since->second.number().to_int64() : std::nullopt;
  return Stored{.name = text_of(record, "$name"),
                .digest = text_of(record, "$digest"),
                .file = text_of(record, "$file"),
                .text = text_of(record, "$text"),
                .adopting = adopting != record.end() && adopting->second == Value(true),
                .since = WallTime(std::chrono::milliseconds(milliseconds.value_or(0))),
                .next = text_of(record, "$next")};
}

Result<void> TableGovernor::store_design(const Design& design, const TableDescription& table,
                                         bool is_adopting, Record expected) {
  TAVOLA_TRY(const PackedItem key, record_key(table));
  Item record = key.unpack();
  record["$name"] = design.name;
  record["$revision"] = design.revision;
  record["$digest"] = digest_of(design);
  record["$file"] = design.file;
  record["$text"] = design.text;
  record["$adopting"] = is_adopting;
  record["$since"] = milliseconds_of(expected == Record::New ? WallTime() : clock_.now());
  expr::ExpressionParts parts;
  PutItemRequest request{.table_name = table.table_name};
  TAVOLA_TRY(request.item, pack(record));
  const std::string digest = parts.value(record["$digest"]);
  if (expected == Record::Announced) {
    request.condition_expression = parts.name("$next") + " = " + digest;
  } else {
    request.condition_expression =
        "attribute_not_exists(" + parts.name(table.key_schema.front().name) + ") OR ";
    request.condition_expression += parts.name("$digest") + " = " + digest;
  }
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  const Result<PutItemResponse> done = remote_.put_item(request);
  if (done) return {};
  if (done.error().code() != ErrorCode::ConditionalCheckFailed) return fail(done.error());
  TAVOLA_TRY(const std::optional<Stored> stored, stored_design(table));
  if (stored && stored->digest == digest_of(design) && stored->adopting == is_adopting)
    return {};  // the answer of an earlier attempt was lost
  return fail(has_other_design(design, stored ? stored->name : std::string()));
}

Result<void> TableGovernor::announce(const std::string& next, const TableDescription& table,
                                     const std::string& old) {
  UpdateItemRequest request{.table_name = table.table_name};
  TAVOLA_TRY(request.key, record_key(table));
  expr::ExpressionParts parts;
  request.update_expression = "SET " + parts.name("$next") + " = ";
  request.update_expression += parts.value(Value(next));
  request.condition_expression = parts.name("$digest") + " = ";
  request.condition_expression += parts.value(Value(old));
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  const Result<UpdateItemResponse> done = remote_.update_item(request);
  if (done) return {};
  if (done.error().code() != ErrorCode::ConditionalCheckFailed) return fail(done.error());
  return fail(Error::validation("the design of the table " + table.table_name +
                                " was changed by somebody else at the same time. Start again"));
}

}  // namespace tavola::governed
