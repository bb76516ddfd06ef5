// The names that a rule of a design may use: the fields of an entity, and what has been read or written under a name.
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

  // `product` in product.name; without an entity, a name for a plain value.
  void add(std::string name, const Entity* entity) { others_.emplace_back(std::move(name), entity); }

  // The same names, and the fields of `entity`.
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
  // The entity behind a name; null when there is none.
  const Entity* find_other(std::string_view name) const;

 private:
  const Entity* entity_ = nullptr;
  std::vector<std::pair<std::string, const Entity*>> others_;
};

// Whether the entity has a field of this name, or a state that is a key and is known by it.
bool has_field(const Entity& entity, std::string_view name);
// All such names.
std::vector<std::string> field_names(const Entity& entity);

}  // namespace tavola::design
