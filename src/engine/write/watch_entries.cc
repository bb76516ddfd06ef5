#include "engine/write/watch_entries.h"

#include "engine/records/keys.h"
#include "engine/write/table_rules.h"

namespace tavola::engine {

void change_watch(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                  const std::optional<ItemView>& after, std::vector<store::Write>& writes) {
  const auto old_watch = before ? table.rules->stuck_at(*before) : std::nullopt;
  const auto new_watch = after ? table.rules->stuck_at(*after) : std::nullopt;
  if (old_watch == new_watch) return;
  if (old_watch) writes.push_back(store::Write::erase(watch_key(*old_watch, item_key)));
  if (new_watch) writes.push_back(store::Write::put(watch_key(*new_watch, item_key), ""));
}

}  // namespace tavola::engine
