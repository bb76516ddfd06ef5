#include "transfer/archive/removing.h"

#include <set>

#include "database/item_key.h"
#include "design/items/table_schema.h"
#include "expr/rules/rule.h"

namespace tavola::transfer {
namespace {

// DynamoDB allows 300 operators and 4 KB in one condition. Further attributes are compared when the item is
// read.
constexpr std::size_t kComparedMax = 120;

// Returns the attributes that the design may add to such an item: its fields, and the index keys.
std::set<std::string, std::less<>> known_names(const design::Design& design, const design::Entity& entity) {
  std::set<std::string, std::less<>> names;
  for (const design::Attribute& field : entity.fields) {
    if (field.stored) names.insert(field.name);
  }
  for (const design::Index& index : design.indexes) {
    names.insert(index.hash.name);
    if (index.range) names.insert(index.range->name);
  }
  return names;
}

// Requires every attribute unchanged, and no further ones that the design knows.
Result<DeleteItemRequest> removal_of(const design::Design& design, const design::Entity& entity,
                                     const PackedItem& archived) {
  DeleteItemRequest request{.table_name = design.table.name,
                            .key = key_of_item(design::key_schema_of(design), archived.view())};
  expr::ExpressionParts parts;
  std::size_t compared = 0;
  const auto add = [&](const std::string& condition) {
    request.condition_expression += (compared++ == 0 ? "" : " AND ") + condition;
  };
  for (const auto& [name, value] : archived.view()) {
    if (compared == kComparedMax) break;
    if (request.key.find(name)) continue;
    const std::string attribute = parts.name(name);
    add(attribute + " = " + parts.value(value.unpack()));
  }
  for (const std::string& name : known_names(design, entity)) {
    if (compared == kComparedMax) break;
    if (!archived.find(name)) add("attribute_not_exists(" + parts.name(name) + ")");
  }
  // For an item with only its key: the item exists.
  if (compared == 0) add("attribute_exists(" + parts.name(design.table.hash.name) + ")");
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  request.return_values = ReturnValues::AllOld;
  return request;
}

}  // namespace

Result<void> remove_as_archived(const ArchiveParts& parts, const design::Entity& entity,
                                const PackedItem& archived, Removal& removal) {
  const design::Design& design = parts.design;
  TAVOLA_TRY(const DeleteItemRequest request, removal_of(design, entity, archived));
  // Compares the whole item first: a condition cannot exclude unknown attributes.
  TAVOLA_TRY(const GetItemResponse stored,
             parts.database.get_item(
                 {.table_name = design.table.name, .key = request.key, .consistent_read = true}));
  if (!stored.item) {
    ++removal.gone;
    return {};
  }
  if (*stored.item != archived) {
    ++removal.kept;
    return {};
  }
  const Result<DeleteItemResponse> removed = parts.database.delete_item(request);
  if (!removed) {
    if (removed.error().code() != ErrorCode::ConditionalCheckFailed) return fail(removed.error());
    ++removal.kept;
    return {};
  }
  const std::optional<PackedItem>& before = removed->attributes;
  if (before && *before != archived) {
    // A concurrent write added an attribute that the condition does not name: the item is put back.
    PutItemRequest back{.table_name = design.table.name, .item = *before};
    back.condition_expression = "attribute_not_exists(#key)";
    back.names = {{"#key", design.table.hash.name}};
    const Result<PutItemResponse> put = parts.database.put_item(back);
    if (!put && put.error().code() != ErrorCode::ConditionalCheckFailed) return fail(put.error());
    ++removal.kept;
    return {};
  }
  ++removal.removed;
  return {};
}

}  // namespace tavola::transfer
