// The names that a rule of a design may use: the fields of an entity, and the names of items that were read or
// written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "design/model/model.h"
#include "expr/rules/rule.h"

namespace tavola::design {

// Borrows the entities.
class Vocabulary : public expr::Vocabulary {
 public:
  Vocabulary() = default;
  explicit Vocabulary(const Entity* entity) : entity_(entity) {}

  // Makes only those fields known that this entity has, too.
  void restrict_to(const Entity* entity) { also_.push_back(entity); }
  // Adds `product` of product.name; without an entity, the name stands for a plain value.
  void add(std::string name, const Entity* entity) { others_.emplace_back(std::move(name), entity); }

  // Returns these names with the fields of `entity`.
  Vocabulary with(const Entity* entity) const {
    Vocabulary names = *this;
    names.entity_ = entity;
    return names;
  }

  bool is_name(std::string_view word) const override;
  bool is_value_of(std::string_view name, std::string_view word) const override;
  bool counts_seconds(std::string_view name) const override;
  std::string nearest(std::string_view word) const override;

  const Entity* entity() const { return entity_; }
  // Returns the entity of a name; null if there is none.
  const Entity* find_other(std::string_view name) const;

 private:
  const Entity* entity_ = nullptr;
  std::vector<const Entity*> also_;
  std::vector<std::pair<std::string, const Entity*>> others_;
};

// The names that the rules of a consequence use besides fields: the changed item before and after, and the change itself.
inline constexpr std::string_view kBeforeName = "before";
inline constexpr std::string_view kAfterName = "after";
inline constexpr std::string_view kChangeName = "change";
// The fields of the change: the key of the item as a text, `create`, `update` or `delete`, and the name of the entity.
const Entity& change_entity();
// Returns the names that the rules of a consequence may use: the fields that all entities in `of` have, the names above, and its reads.
// Entities that do not exist are left out.
Vocabulary names_in(const Design& design, const Consequence& consequence);

// Returns whether the entity has a field of this name, or a state that is a key and goes by it.
bool has_field(const Entity& entity, std::string_view name);
// Returns all such names.
std::vector<std::string> field_names(const Entity& entity);

}  // namespace tavola::design
