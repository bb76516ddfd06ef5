#include "design/rules/write_rules.h"

#include "database/item_key.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/rules/govern_writes.h"
#include "design/rules/lifecycle_rule.h"
#include "value/optional_item.h"

namespace tavola::design {

Result<RuledWrites> WriteRules::decide(std::span<const WantedWrite> writes, const Ambient& ambient,
                                       const TableLookup& lookup) const {
  if (std::optional<RuledWrites> decided = decide_shortly(writes, ambient)) return *std::move(decided);
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
  return govern_writes(design_, wanted, ambient, lookup);
}

std::optional<RuledWrites> WriteRules::decide_shortly(std::span<const WantedWrite> writes,
                                                      const Ambient& ambient) const {
  RuledWrites ruled;
  ruled.changes.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::optional<ItemView>& wanted = writes[i].after;
    if (!wanted) return std::nullopt;
    std::optional<PackedItem> after = compiled_.decide({writes[i].before, *wanted, writes[i].asked}, ambient);
    if (!after) return std::nullopt;
    ruled.changes.push_back({.write = i, .cause = i, .key = {}, .after = std::move(after)});
  }
  return ruled;
}

std::optional<std::int64_t> WriteRules::stuck_at(const ItemView& item) const {
  if (!compiled_.can_be_stuck()) return std::nullopt;
  if (const auto known = compiled_.stuck_at(item)) return *known;
  const Decoded decoded = decode(design_, item.unpack());
  return decoded.entity == nullptr ? std::nullopt : design::stuck_at(*decoded.entity, decoded.fields);
}

}  // namespace tavola::design
