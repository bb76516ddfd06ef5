// An update expression and its condition, as far as the write rules ask about them. A put says everything by its item; an update says by
// its expression which values are the client's.
#pragma once

#include <string_view>

#include <tavola/packed.h>

namespace tavola::design {

class AskedUpdate {
 public:
  virtual ~AskedUpdate() = default;

  // Returns whether it gives the attribute a value. One that keeps the value if there is one does not:
  // SET a = if_not_exists(a, :v).
  virtual bool assigns(std::string_view attribute) const = 0;
  // Returns whether its condition would hold for this item.
  virtual bool would_hold(const ItemView& item) const = 0;
};

}  // namespace tavola::design
