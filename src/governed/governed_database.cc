#include "governed/governed_database.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/checks/compiled_request.h"
#include "engine/governed/governance.h"
#include "engine/governed/governor.h"
#include "governed/hidden_records.h"
#include "governed/item_places.h"
#include "governed/refusals.h"
#include "governed/request_hints.h"

namespace tavola::governed {
namespace {

// A client waits at most so long for the rest of its change.
constexpr std::chrono::seconds kClientWaits{1};

Error not_governed_yet(const std::string& table_name) {
  return {ErrorCode::Throttling, "Tavola: the design of the table " + table_name +
                                     " is taking it over; until then nothing is written. Try again"};
}

bool is_reserved_key(const DesignFacts& facts, const ItemView& key) {
  const std::optional<ValueView> hash = key.find(facts.design().table.hash.name);
  return hash && hash->type() == Type::String && is_reserved(hash->string());
}

template <class Names>
void add_name(Names& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

const PackedItem& key_of(const PutItemRequest& request) { return request.item; }
const PackedItem& key_of(const UpdateItemRequest& request) { return request.key; }
const PackedItem& key_of(const DeleteItemRequest& request) { return request.key; }
const PackedItem& key_of(const ConditionCheck& request) { return request.key; }

}  // namespace

Result<std::unique_ptr<GovernedDatabase>> GovernedDatabase::open(Database& remote,
                                                                 std::span<const design::Design> designs,
                                                                 const Clock& clock,
                                                                 const TableGovernor::Options& options) {
  std::unique_ptr<GovernedDatabase> database(new GovernedDatabase(remote, clock, options));
  for (const design::Design& design : designs) TAVOLA_CHECK(database->governor_.prepare(design));
  return database;
}

Result<std::shared_ptr<const DesignFacts>> GovernedDatabase::facts_of(const std::string& table_name) const {
  std::shared_ptr<const DesignFacts> facts = governor_.tables().find(table_name);
  if (facts == nullptr && governor_.awaits_design(table_name)) return fail(not_governed_yet(table_name));
  if (facts != nullptr) TAVOLA_CHECK(governor_.watch().check(table_name));
  return facts;
}

// ---- Tables ----

Result<DescribeTableResponse> GovernedDatabase::describe_table(const DescribeTableRequest& request) {
  TAVOLA_TRY(DescribeTableResponse response, database().describe_table(request));
  if (!governs(request.table_name)) return response;
  TAVOLA_TRY(const DescribeTableResponse own, governor_.engine().describe_table(request));
  response.table.governed_by = own.table.governed_by;
  return response;
}

Result<UpdateTableResponse> GovernedDatabase::update_table(const UpdateTableRequest& request) {
  const std::shared_ptr<const DesignFacts> facts = governor_.tables().find(request.table_name);
  if (facts == nullptr) return database().update_table(request);
  TAVOLA_TRY(const DescribeTableResponse own,
             governor_.engine().describe_table({.table_name = request.table_name}));
  TAVOLA_CHECK(engine::check_index_changes(engine::Governor(facts->design()), request, own.table));
  TAVOLA_TRY(UpdateTableResponse response, database().update_table(request));
  TAVOLA_CHECK(governor_.follow_indexes(request));
  response.table.governed_by = own.table.governed_by;
  return response;
}

Result<UpdateTimeToLiveResponse> GovernedDatabase::update_time_to_live(
    const UpdateTimeToLiveRequest& request) {
  const std::shared_ptr<const DesignFacts> facts = governor_.tables().find(request.table_name);
  if (facts != nullptr && request.enabled)
    TAVOLA_CHECK(check_can_expire(facts->design(), request.attribute_name));
  return database().update_time_to_live(request);
}

Result<DeleteTableResponse> GovernedDatabase::delete_table(const DeleteTableRequest& request) {
  TAVOLA_TRY(DeleteTableResponse response, database().delete_table(request));
  if (governs(request.table_name)) TAVOLA_CHECK(governor_.forget(request.table_name));
  return response;
}

// ---- Writes ----

template <class Request, class Response>
Result<Response> GovernedDatabase::write(const Request& request, const PackedItem& key,
                                         Result<Response> (engine::Engine::*perform)(const Request&)) {
  TAVOLA_TRY(const std::shared_ptr<const DesignFacts> facts, facts_of(request.table_name));
  if (is_reserved_key(*facts, key.view())) return fail(reserved_key());
  RequestHints hints;
  hints.items = 1;
  note(hints, request);
  TAVOLA_TRY(Response response, (governor_.engine().*perform)(request));
  response.unfinished = response.unfinished && !finish(kClientWaits);
  return response;
}

// The rest of a large change is done at once, if it can be, as it is in one transaction of a server with data of its own.
bool GovernedDatabase::finish(std::chrono::milliseconds time) {
  return governor_.engine().finish_jobs(time).value_or(false);
}

Result<PutItemResponse> GovernedDatabase::put_item(const PutItemRequest& request) {
  TAVOLA_TRY(const auto facts, facts_of(request.table_name));
  if (facts == nullptr) return database().put_item(request);
  return write(request, request.item, &engine::Engine::put_item);
}

Result<UpdateItemResponse> GovernedDatabase::update_item(const UpdateItemRequest& request) {
  TAVOLA_TRY(const auto facts, facts_of(request.table_name));
  if (facts == nullptr) return database().update_item(request);
  return write(request, request.key, &engine::Engine::update_item);
}

Result<DeleteItemResponse> GovernedDatabase::delete_item(const DeleteItemRequest& request) {
  TAVOLA_TRY(const auto facts, facts_of(request.table_name));
  if (facts == nullptr) return database().delete_item(request);
  return write(request, request.key, &engine::Engine::delete_item);
}

Result<bool> GovernedDatabase::are_governed(std::span<const std::string> table_names) {
  bool any = false;
  for (const std::string& name : table_names) {
    TAVOLA_TRY(const auto facts, facts_of(name));
    any = any || facts != nullptr;
  }
  if (!any) return false;
  for (const std::string& name : table_names) {
    if (!governs(name)) TAVOLA_CHECK(governor_.know(name));
  }
  return true;
}

Result<BatchWriteItemResponse> GovernedDatabase::batch_write_item(const BatchWriteItemRequest& request) {
  std::vector<std::string> names;
  RequestHints hints;
  for (const TableWrites& table : request.tables) {
    add_name(names, table.table_name);
    hints.items += table.writes.size();
    for (const BatchWrite& write : table.writes) {
      const bool is_put = write.kind == BatchWrite::Kind::Put;
      hints.creates = hints.creates || is_put;
      hints.changes = hints.changes || !is_put;
    }
  }
  TAVOLA_TRY(const bool governed, are_governed(names));
  if (!governed) return database().batch_write_item(request);
  for (const TableWrites& table : request.tables) {
    const auto facts = governor_.tables().find(table.table_name);
    const bool any_reserved =
        facts != nullptr && std::ranges::any_of(table.writes, [&](const BatchWrite& write) {
          return is_reserved_key(*facts, write.item.view());
        });
    if (any_reserved) return fail(reserved_key());
  }
  return governor_.engine().batch_write_item(request);
}

Result<TransactWriteItemsResponse> GovernedDatabase::transact_write_items(
    const TransactWriteItemsRequest& request) {
  std::vector<std::string> names;
  RequestHints hints;
  hints.items = request.actions.size();
  for (const TransactWrite& action : request.actions) {
    std::visit(
        [&](const auto& one) {
          add_name(names, one.table_name);
          note(hints, one);
        },
        action);
  }
  TAVOLA_TRY(const bool governed, are_governed(names));
  if (!governed) return database().transact_write_items(request);
  for (const TransactWrite& action : request.actions) {
    const bool is_reserved = std::visit(
        [&](const auto& one) {
          const auto facts = governor_.tables().find(one.table_name);
          return facts != nullptr && is_reserved_key(*facts, key_of(one).view());
        },
        action);
    if (is_reserved) return fail(reserved_key());
  }
  TAVOLA_TRY(TransactWriteItemsResponse response, governor_.engine().transact_write_items(request));
  response.unfinished = response.unfinished && !finish(kClientWaits);
  return response;
}

// ---- Reads ----

Result<GetItemResponse> GovernedDatabase::get_item(const GetItemRequest& request) {
  const auto facts = governor_.tables().find(request.table_name);
  if (facts != nullptr && is_reserved_key(*facts, request.key.view())) return fail(reserved_key());
  return database().get_item(request);
}

Result<BatchGetItemResponse> GovernedDatabase::batch_get_item(const BatchGetItemRequest& request) {
  for (const KeysToGet& table : request.tables) {
    const auto facts = governor_.tables().find(table.table_name);
    if (facts == nullptr) continue;
    for (const PackedItem& key : table.keys) {
      if (is_reserved_key(*facts, key.view())) return fail(reserved_key());
    }
  }
  return database().batch_get_item(request);
}

Result<TransactGetItemsResponse> GovernedDatabase::transact_get_items(
    const TransactGetItemsRequest& request) {
  for (const GetItemRequest& get : request.gets) {
    const auto facts = governor_.tables().find(get.table_name);
    if (facts != nullptr && is_reserved_key(*facts, get.key.view())) return fail(reserved_key());
  }
  return database().transact_get_items(request);
}

// Indexes contain no records, because these have no attributes of indexes.
Result<bool> GovernedDatabase::is_of_records(const DesignFacts& facts, const QueryRequest& request) {
  if (!request.index_name.empty()) return false;
  const Result<engine::ReadParameters> parameters = engine::compile_parameters(request);
  if (!parameters) return false;  // the other server says what is wrong
  const std::string& hash = facts.design().table.hash.name;
  return std::ranges::any_of(parameters->key.terms, [&](const expr::KeyTerm& term) {
    return term.attribute == hash && term.first.type() == Type::String &&
           term.first.string().starts_with('$');
  });
}

Result<QueryResponse> GovernedDatabase::query(const QueryRequest& request) {
  const auto facts = governor_.tables().find(request.table_name);
  if (facts == nullptr) return database().query(request);
  TAVOLA_TRY(const bool of_records, is_of_records(*facts, request));
  if (of_records) return governor_.engine().query(request);  // which has no items: the page is empty
  return database().query(request);
}

Result<ScanResponse> GovernedDatabase::scan(const ScanRequest& request) {
  const auto facts = governor_.tables().find(request.table_name);
  if (facts == nullptr || !request.index_name.empty()) return database().scan(request);
  ScanRequest asked = request;
  const RecordFilter filter(*facts, asked);
  TAVOLA_TRY(ScanResponse page, database().scan(asked));
  filter.apply(page);
  return page;
}

Result<GetRecordsResponse> GovernedDatabase::get_records(const GetRecordsRequest& request) {
  TAVOLA_TRY(GetRecordsResponse response, database().get_records(request));
  hide_records(governor_.tables(), response);
  return response;
}

// ---- Designs ----

Result<DescribeGovernanceResponse> GovernedDatabase::describe_governance(
    const DescribeGovernanceRequest& request) {
  if (!governs(request.table_name)) return DescribeGovernanceResponse{};
  return governor_.engine().describe_governance(request);
}

Result<std::shared_ptr<const design::Design>> GovernedDatabase::governing_design(
    std::string_view table_name) {
  if (!governs(table_name)) return nullptr;
  return governor_.engine().governing_design(table_name);
}

Result<MigrateTableResponse> GovernedDatabase::migrate_table(const MigrateTableRequest&) {
  return fail(
      Error::validation("a server with --upstream cannot migrate tables yet: its writes would have to go to "
                        "both tables at once"));
}

Result<std::unique_ptr<Database>> GovernedDatabase::freeze() {
  return fail(
      Error::validation("a server with --upstream has no view of the past: its tables are elsewhere"));
}

}  // namespace tavola::governed
