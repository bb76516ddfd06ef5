// What a sample consists of: how many of each entity, in an order in which whatever is pointed at is made first.
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
  std::vector<Link> links;  // those to what is itself made of others first
  unsigned level = 0;       // how many links it is away from what has none
  std::size_t count = 0;
};

// About `total` items in all, those of mirrors and fanouts included; what these write is not in the plan.
std::vector<EntityPlan> plan_sample(const design::Design& design, std::size_t total);

// Whether items of `entity` are written along with those of others, and by nobody else.
bool is_produced(const design::Design& design, const design::Entity& entity);

}  // namespace tavola::workshop
