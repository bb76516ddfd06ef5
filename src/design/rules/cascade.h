// Deletions that concern other items (`on_delete`): the items that name a deleted item are deleted with it (cascade), lose the
// reference (detach), or keep it from being deleted (restrict).
#pragma once

#include <optional>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/references.h"
#include "design/model/model.h"
#include "design/rules/request_images.h"
#include "design/rules/ruled_writes.h"

namespace tavola::design {

// A deleted item. Borrows both.
struct Gone {
  const Entity& entity;
  const Item& fields;
};

// Returns the parameters of the pattern of a cascade: the fields of the deleted item. A parameter of the reference's name is the
// value by which it names the item.
Item cascade_parameters(const Design& design, const Cascade& cascade, const Gone& gone);

// Returns the key of an item of the cascade's entity: the item that the pattern of the cascade found, or the source that it is a copy
// of. Returns nothing when the item is of another entity, or lacks a field of the key.
std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found);

// Returns whether an item of the cascade's entity names the deleted item. A pattern may find others, too, and an item may have
// changed since it was found.
bool names_gone(const Design& design, const Cascade& cascade, const Gone& gone, const Item& item);

// Returns the item after the deletion of what it names: nothing if it is deleted, too.
std::optional<Item> after_deletion(const Cascade& cascade, Item item);

// The items that change because the writes of a request delete others.
class Cascades {
 public:
  // Borrows all three. Violations and remainders go into `result`.
  Cascades(const Design& design, RequestImages& images, RuledWrites& result)
      : design_(design), images_(images), result_(result) {}

  // Adds the items that are deleted or changed with a deleted one. Those that are too many for one transaction are left in the
  // remainders.
  Result<void> add(const RequestImage& deleted);
  // Checks, once all changes are decided, that nothing names a deleted item: neither an item whose reference is restricted nor one
  // that the request itself writes.
  Result<void> check();

 private:
  struct Followed {
    PackedItem key;  // of an item that the request writes and that named a deleted one
    const RequestImage* deleted;
    const Cascade* cascade;
  };

  Result<void> follow(const RequestImage& deleted, const Gone& gone, const Cascade& cascade);
  void change_along(PackedItem key, const RequestImage& deleted, const Gone& gone, const Cascade& cascade);
  Result<void> check_restricted(const RequestImage& deleted, const Cascade& cascade);
  // Returns the key of an item that names the deleted one after the request; nothing if there is none among those found.
  std::optional<Item> first_left(const std::vector<Item>& found, const Gone& gone, const Cascade& cascade);

  const Design& design_;
  RequestImages& images_;
  RuledWrites& result_;
  std::vector<const RequestImage*> restricted_;  // deleted items that others may keep
  std::vector<Followed> followed_;
};

}  // namespace tavola::design
