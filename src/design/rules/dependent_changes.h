// The dependent writes of one request (design/items/dependent_writes.h), applied to the images of the items that they change.
#pragma once

#include <cstddef>
#include <vector>

#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/items/dependent_writes.h"
#include "design/model/model.h"
#include "design/rules/request_images.h"
#include "design/rules/ruled_writes.h"

namespace tavola::design {

class DependentChanges {
 public:
  // Borrows all three. Violations and remainders go into `result`.
  DependentChanges(const Design& design, RequestImages& images, RuledWrites& result)
      : design_(design), images_(images), result_(result) {}

  void add(DependentWrite write, std::size_t cause);
  // Adds the images of the items that change. Leaves copies that are too many for one transaction in the remainders.
  void look_up_items();
  // Applies the writes of one kind. All items must have been looked up.
  void apply(DependentWrite::Kind kind);
  // Called when all kinds are applied, before more writes are added.
  void forget_applied() { pending_.clear(); }

 private:
  struct Pending {
    PackedItem key;        // of the item that changes
    DependentWrite write;  // without its key
    std::size_t cause;
  };

  void postpone_excess();
  void postpone(const Pending& one);
  // Adds the image of the record that counts for a deleted item.
  void look_up_record(const Pending& one);

  void put(const Pending& one, RequestImage& image);
  void remove(const Pending& one, RequestImage& image);
  void add_numbers(const Pending& one, RequestImage& image);
  void claim(const Pending& one, RequestImage& image);
  void violate(const Pending& one, const std::string& message, ErrorCode code = ErrorCode::Validation);
  // Refuses to count for an item that does not exist.
  void violate_missing(const Pending& one);

  // Returns whether a unique guard belongs to another existing item: the value was written twice while the design was not enforced.
  bool is_held_by_another(const DependentWrite& write, const Item& guard);
  // Returns whether the stored item is the copy of another existing source.
  bool is_of_another(const DependentWrite& write, const Item& stored);

  const Design& design_;
  RequestImages& images_;
  RuledWrites& result_;
  std::vector<Pending> pending_;
};

}  // namespace tavola::design
