#include "design/requests/unchanged.h"

namespace tavola::design {

std::string attribute_of(const Design& design, const Entity& entity, const std::string& field) {
  if (const Lifecycle* lifecycle = entity.find_lifecycle(field); lifecycle && lifecycle->attribute.empty()) {
    const Index* index = design.find_index(lifecycle->index);
    return index != nullptr && index->range ? index->range->name : std::string();
  }
  const Attribute* found = entity.find_field(field);
  return found != nullptr && found->stored ? field : std::string();
}

void add_unchanged(const Design& design, const Entity& entity, const FieldNames& consulted,
                   const std::optional<Item>& stored, PendingWrite& write) {
  Cause cause{.kind = Cause::Kind::Changed, .name = {}, .reason = "it changed concurrently", .condition = {}};
  if (!stored) {
    cause.condition = absent_condition(design.table, write.parts);
    write.causes.push_back(std::move(cause));
    return;
  }
  FieldNames attributes;
  for (const std::string& field : consulted) {
    if (std::string attribute = attribute_of(design, entity, field); !attribute.empty()) {
      attributes.insert(std::move(attribute));
    }
  }
  for (const std::string& attribute : attributes) {
    const auto found = stored->find(attribute);
    const std::string name = write.parts.name(attribute);
    cause.condition += cause.condition.empty() ? "" : " AND ";
    cause.condition += found == stored->end() ? "attribute_not_exists(" + name + ")"
                                              : name + " = " + write.parts.value(found->second);
  }
  if (cause.condition.empty()) cause.condition = exists_condition(design.table, write.parts);
  write.causes.push_back(std::move(cause));
}

}  // namespace tavola::design
