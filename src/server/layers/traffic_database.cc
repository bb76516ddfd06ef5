#include "server/layers/traffic_database.h"

#include <map>

namespace tavola::server {
namespace {

using drift::Performed;

double units_of(const std::optional<ConsumedCapacity>& used) { return used ? used->units : 0; }

Performed performed(const GetItemResponse& response) {
  const std::uint64_t found = response.item ? 1 : 0;
  return {.scanned = found, .returned = found, .read_units = units_of(response.consumed_capacity)};
}

Performed performed(const Page& page) {
  return {.scanned = static_cast<std::uint64_t>(page.scanned_count),
          .returned = static_cast<std::uint64_t>(page.count),
          .read_units = units_of(page.consumed_capacity)};
}

// Returns the units that each key of a table cost on average.
double units_of_each(const std::vector<ConsumedCapacity>& used, std::string_view table, std::size_t keys) {
  const auto found = std::ranges::find(used, table, &ConsumedCapacity::table_name);
  return found == used.end() || keys == 0 ? 0 : found->units / static_cast<double>(keys);
}

}  // namespace

template <class Request, class Call>
auto TrafficDatabase::measured(const Request& request, Call call) {
  if (request.return_consumed_capacity != ReturnConsumedCapacity::None) return call(request);
  Request asked = request;
  asked.return_consumed_capacity = ReturnConsumedCapacity::Total;
  return call(asked);
}

template <class Request, class Call>
Result<Page> TrafficDatabase::paged(const Request& request, Call call) {
  if (!is_counted(request.table_name)) return call(request);
  Result<Page> page = measured(request, call);
  Performed cost = page ? performed(*page) : Performed();
  if (request.exclusive_start_key) cost.requests = 0;  // further pages belong to the same question
  each_of(request.table_name, [&](drift::RequestsSeen& seen) { seen.note(request, cost); });
  if (page && request.return_consumed_capacity == ReturnConsumedCapacity::None)
    page->consumed_capacity.reset();
  return page;
}

Result<GetItemResponse> TrafficDatabase::get_item(const GetItemRequest& request) {
  if (!is_counted(request.table_name)) return database().get_item(request);
  auto response =
      measured(request, [this](const GetItemRequest& asked) { return database().get_item(asked); });
  const Performed cost = response ? performed(*response) : Performed();
  each_of(request.table_name, [&](drift::RequestsSeen& seen) { seen.note_get(request.key, cost); });
  if (response && request.return_consumed_capacity == ReturnConsumedCapacity::None)
    response->consumed_capacity.reset();
  return response;
}

Result<QueryResponse> TrafficDatabase::query(const QueryRequest& request) {
  return paged(request, [this](const QueryRequest& asked) { return database().query(asked); });
}

Result<ScanResponse> TrafficDatabase::scan(const ScanRequest& request) {
  return paged(request, [this](const ScanRequest& asked) { return database().scan(asked); });
}

Result<BatchGetItemResponse> TrafficDatabase::batch_get_item(const BatchGetItemRequest& request) {
  const bool is_any = std::ranges::any_of(
      request.tables, [this](const KeysToGet& keys) { return is_counted(keys.table_name); });
  if (!is_any) return database().batch_get_item(request);
  auto response = measured(
      request, [this](const BatchGetItemRequest& asked) { return database().batch_get_item(asked); });
  for (const KeysToGet& keys : request.tables) {
    // The answer does not say which key an item is of.
    const Performed cost = response
                               ? Performed{.scanned = 1,
                                           .returned = 1,
                                           .read_units = units_of_each(response->consumed_capacity,
                                                                       keys.table_name, keys.keys.size())}
                               : Performed();
    each_of(keys.table_name, [&](drift::RequestsSeen& seen) {
      for (const PackedItem& key : keys.keys) seen.note_get(key, cost);
    });
  }
  if (response && request.return_consumed_capacity == ReturnConsumedCapacity::None)
    response->consumed_capacity.clear();
  return response;
}

Result<TransactGetItemsResponse> TrafficDatabase::transact_get_items(const TransactGetItemsRequest& request) {
  const bool is_any = std::ranges::any_of(
      request.gets, [this](const GetItemRequest& get) { return is_counted(get.table_name); });
  if (!is_any) return database().transact_get_items(request);
  auto response = measured(
      request, [this](const TransactGetItemsRequest& asked) { return database().transact_get_items(asked); });
  std::map<std::string_view, std::size_t> gets;
  for (const GetItemRequest& get : request.gets) ++gets[get.table_name];
  for (std::size_t at = 0; at < request.gets.size(); ++at) {
    const GetItemRequest& get = request.gets[at];
    Performed cost;
    if (response) {
      cost.scanned = cost.returned = response->items[at] ? 1 : 0;
      cost.read_units = units_of_each(response->consumed_capacity, get.table_name, gets.at(get.table_name));
    }
    each_of(get.table_name, [&](drift::RequestsSeen& seen) { seen.note_get(get.key, cost); });
  }
  if (response && request.return_consumed_capacity == ReturnConsumedCapacity::None)
    response->consumed_capacity.clear();
  return response;
}

}  // namespace tavola::server
