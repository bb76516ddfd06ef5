// The plan of a sample: the number of items of each entity, in an order in which targets of references are made
// first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "design/model/model.h"

namespace tavola::workshop {

// A field that holds a field of another entity: Product.shopId is Shop.shopId.
struct Link {
  std::string field;
  const design::Entity* target = nullptr;
  std::string target_field;
};

struct EntityPlan {
  const design::Entity* entity = nullptr;
  std::vector<Link> links;  // links to entities with links of their own first
  unsigned level = 0;       // the longest chain of links from it
  std::size_t count = 0;
};

// Plans about `total` items in all, including those of mirrors and fanouts, which are not in the plan.
std::vector<EntityPlan> plan_sample(const design::Design& design, std::size_t total);

// Returns whether items of `entity` are written only along with those of others.
bool is_produced(const design::Design& design, const design::Entity& entity);

}  // namespace tavola::workshop
