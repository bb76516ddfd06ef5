// A batch of which a part is performed now and the rest is left: UnprocessedItems, UnprocessedKeys.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>

namespace tavola {

// What a batch is divided into.
template <class Table>
struct BatchParts {
  std::vector<Table> now;
  std::vector<Table> later;
};

// `items` is the member of a table's part that holds its keys or writes; `held` says of each item, in their order, whether it is
// left for later.
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

// What the database would refuse as a whole must come to it as a whole. So must a table that is named twice, by its name and by its
// ARN: what is left is told by tables.
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

// As if the whole request had been answered: an answer for each of its tables, as far as the response goes.
inline void put_into_order(const BatchGetItemRequest& request, BatchParts<KeysToGet> parts,
                           BatchGetItemResponse& response) {
  std::vector<TableItems> answered;
  std::vector<KeysToGet> unprocessed;
  const auto named = [](auto& list, std::string_view name) {
    using Table = typename std::remove_reference_t<decltype(list)>::value_type;
    return std::ranges::find(list, name, &Table::table_name);
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
