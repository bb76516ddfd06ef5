#include "design/rules/write_rules.h"

#include <algorithm>

#include "database/item_key.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/rules/govern_writes.h"
#include "design/rules/lifecycle_rule.h"
#include "value/optional_item.h"

namespace tavola::design {

Result<RuledWrites> WriteRules::decide(std::span<const WantedWrite> writes, const Ambient& ambient,
                                       const StoredItems& stored) const {
  if (std::optional<RuledWrites> decided = decide_shortly(writes, ambient, stored))
    return *std::move(decided);
  std::vector<UnpackedWrite> wanted;
  wanted.reserve(writes.size());
  const std::vector<KeySchemaElement> key_schema = key_schema_of(design_);
  for (const WantedWrite& write : writes) {
    const ItemView image = write.after ? *write.after : write.before.value_or(ItemView());
    wanted.push_back({.key = key_of_item(key_schema, image),
                      .before = unpacked(write.before),
                      .after = unpacked(write.after),
                      .expires = write.expires,
                      .asked = write.asked});
  }
  return govern_writes(design_, wanted, ambient, stored);
}

std::optional<RuledWrites> WriteRules::decide_shortly(std::span<const WantedWrite> writes,
                                                      const Ambient& ambient,
                                                      const PackedLookup& lookup) const {
  RuledWrites ruled;
  std::vector<CounterAddition> additions;
  ruled.changes.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::optional<ItemView>& wanted = writes[i].after;
    if (!wanted) return std::nullopt;
    std::optional<CompiledRules::Decided> decided =
        compiled_.decide({writes[i].before, *wanted, writes[i].asked}, ambient);
    if (!decided) return std::nullopt;
    ruled.changes.push_back({.write = i,
                             .cause = i,
                             .key = {},
                             .after = std::move(decided->item),
                             .has_checked_index_keys = decided->has_checked_index_keys});
    for (CounterAddition& one : decided->additions) {
      one.cause = i;
      additions.push_back(std::move(one));
    }
  }
  if (additions.empty()) return ruled;
  if (std::ranges::any_of(additions, [&](const auto& one) { return is_written(writes, one.key); }))
    return std::nullopt;
  const Counting counting = add_to_counters(additions, lookup, ruled.changes);
  ruled.is_waiting = counting == Counting::Waiting;
  return counting == Counting::Undecided ? std::nullopt : std::optional(std::move(ruled));
}

bool WriteRules::is_written(std::span<const WantedWrite> writes, const PackedItem& key) const {
  const Table& table = design_.table;
  return std::ranges::any_of(writes, [&](const WantedWrite& write) {
    const ItemView& item = write.after ? *write.after : *write.before;
    return item.find(table.hash.name) == key.find(table.hash.name) &&
           (!table.range || item.find(table.range->name) == key.find(table.range->name));
  });
}

std::optional<std::int64_t> WriteRules::stuck_at(const ItemView& item) const {
  if (!compiled_.can_be_stuck()) return std::nullopt;
  if (const auto known = compiled_.stuck_at(item)) return *known;
  const Decoded decoded = decode(design_, item.unpack());
  return decoded.entity == nullptr ? std::nullopt : design::stuck_at(*decoded.entity, decoded.fields);
}

}  // namespace tavola::design
