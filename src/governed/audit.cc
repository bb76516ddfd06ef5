#include "governed/audit.h"

#include <algorithm>
#include <utility>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "design/rules/govern.h"
#include "design/rules/table_lookup.h"

namespace tavola::governed {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;

// Knows no other item: a rule that asks for one decides nothing.
class NothingKnown final : public design::TableLookup {
 public:
  const std::optional<Item>* find(const PackedItem&) const override { return nullptr; }
  Result<std::optional<design::FoundItems>> ask(const design::Pattern&, const Item&,
                                                std::size_t) const override {
    return std::nullopt;
  }
};

// Returns whether the value depends on when, by whom or with what other item it was written.
bool is_of_its_moment(const Design& design, const Entity& entity, const std::string& name) {
  const Attribute* const field = entity.find_field(name);
  if (field == nullptr) return false;
  if (field->automatic != Attribute::Auto::No || field->generate != Attribute::Generate::No || field->only)
    return true;
  if (field->derive && field->derive->changes_by_itself()) return true;
  return std::ranges::any_of(design.copies, [&](const Copy& copy) {
    if (copy.to.text != entity.name) return false;
    return copy.count == name ||
           std::ranges::find(copy.sum, name, &design::Assignment::field) != copy.sum.end();
  });
}

// Returns the name of an attribute that the design makes otherwise; nothing if there is none.
std::optional<std::string> differing(const Design& design, const Entity& entity, const Item& made,
                                     const Item& written) {
  const auto differs = [&](const auto& attribute, const Item& other) {
    const auto found = other.find(attribute.first);
    const bool is_same = found != other.end() && found->second == attribute.second;
    return !is_same && !is_of_its_moment(design, entity, attribute.first);
  };
  for (const auto& attribute : made) {
    if (differs(attribute, written)) return attribute.first;
  }
  for (const auto& attribute : written) {
    if (differs(attribute, made)) return attribute.first;
  }
  return std::nullopt;
}

}  // namespace

std::optional<AuditFinding> audit(const Design& design, const StreamRecord& record) {
  if (!record.new_image || design::is_record(design.table, record.keys.view())) return std::nullopt;
  const std::optional<Item> before =
      record.old_image ? std::optional(record.old_image->unpack()) : std::nullopt;
  const std::optional<Item> after = record.new_image->unpack();
  const auto found = [&](std::string why) {
    return AuditFinding{.key = to_json(record.keys.unpack()), .why = std::move(why), .at = record.created_at};
  };
  const design::Ambient ambient{.now = record.created_at};
  const Result<design::Governed> governed =
      design::govern(design, {.before = before, .after = after}, ambient, NothingKnown());
  if (!governed) return found(governed.error().message());
  const std::optional<Item>& wanted = governed->item;
  if (governed->is_waiting || governed->entity == nullptr || !wanted) return std::nullopt;
  if (!governed->only_with_its_source.empty()) return std::nullopt;  // a copy: drift/ compares it
  const auto name = differing(design, *governed->entity, *wanted, *after);
  if (!name) return std::nullopt;
  return found(*name + " is not what the design makes of the item");
}

}  // namespace tavola::governed
