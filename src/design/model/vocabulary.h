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
  std::vector<std::pair<std::string, const Entity*>> others_;
};

// Returns whether the entity has a field of this name, or a state that is a key and goes by it.
bool has_field(const Entity& entity, std::string_view name);
// Returns all such names.
std::vector<std::string> field_names(const Entity& entity);

}  // namespace tavola::design
