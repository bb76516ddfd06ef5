// Splits a batch into a part that is performed now and a rest that is returned: UnprocessedItems, UnprocessedKeys.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>

namespace tavola {

// The two parts of a batch.
template <class Table>
struct BatchParts {
  std::vector<Table> now;
  std::vector<Table> later;
};

// Splits a batch. `items` is the member that holds a table's keys or writes; `held` has one entry per item, in their
// order: true if it is left for later.
template <class Table, class Items>
BatchParts<Table> divide(const std::vector<Table>& tables, Items Table::* items,
                         const std::vector<bool>& held) {
  BatchParts<Table> parts;
  std::size_t number = 0;
  for (const Table& table : tables) {
    Table now = table;
    Table later = table;
    (now.*items).clear();
    (later.*items).clear();
    for (const auto& item : table.*items) ((held[number++] ? later : now).*items).push_back(item);
    if (!(now.*items).empty()) parts.now.push_back(std::move(now));
    if (!(later.*items).empty()) parts.later.push_back(std::move(later));
  }
  return parts;
}

// Returns whether the batch may be split. A request that the database would refuse must reach it whole. So must one
// that names a table twice, by name and by ARN, because the rest is returned by table.
template <class Table, class Items>
bool may_be_divided(const std::vector<Table>& tables, Items Table::* items, std::size_t items_max) {
  std::size_t count = 0;
  for (const Table& table : tables) {
    if ((table.*items).empty()) return false;
    if (std::ranges::count(tables, table.table_name, &Table::table_name) > 1) return false;
    count += (table.*items).size();
  }
  return count <= items_max;
}

// Adds the writes that were held back to those that the database left unprocessed: one entry per table.
inline void add_unprocessed(BatchWriteItemResponse& response, std::vector<TableWrites> later) {
  for (TableWrites& table : later) {
    const auto left =
        std::ranges::find(response.unprocessed_items, table.table_name, &TableWrites::table_name);
    if (left == response.unprocessed_items.end()) {
      response.unprocessed_items.push_back(std::move(table));
    } else {
      std::ranges::move(table.writes, std::back_inserter(left->writes));
    }
  }
}

// Orders the response as if the whole request had been performed: one entry per table of the request, as far as
// present.
inline void put_into_order(const BatchGetItemRequest& request, BatchParts<KeysToGet> parts,
                           BatchGetItemResponse& response) {
  std::vector<TableItems> answered;
  std::vector<KeysToGet> unprocessed;
  const auto named = [](auto& list, std::string_view name) {
    using Entry = typename std::remove_reference_t<decltype(list)>::value_type;
    return std::ranges::find(list, name, &Entry::table_name);
  };
  for (const KeysToGet& table : request.tables) {
    const auto found = named(response.tables, table.table_name);
    answered.push_back(found == response.tables.end() ? TableItems{.table_name = table.table_name}
                                                      : std::move(*found));
    auto later = named(parts.later, table.table_name);
    const auto did_not_fit = named(response.unprocessed_keys, table.table_name);
    if (later == parts.later.end() && did_not_fit == response.unprocessed_keys.end()) continue;
    KeysToGet& left = unprocessed.emplace_back(std::move(later == parts.later.end() ? *did_not_fit : *later));
    if (later == parts.later.end() || did_not_fit == response.unprocessed_keys.end()) continue;
    left.keys.insert(left.keys.end(), did_not_fit->keys.begin(), did_not_fit->keys.end());
  }
  response.tables = std::move(answered);
  response.unprocessed_keys = std::move(unprocessed);
}

}  // namespace tavola
