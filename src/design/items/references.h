// References: fields with `ref`, which name an item of another entity.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tavola/value.h>

#include "design/model/model.h"
#include "design/model/refusal.h"

namespace tavola::design {

// The refusal of a deletion while another item names the deleted one.
inline constexpr std::string_view kStillReferenced = "STILL_REFERENCED";

// The detail of that refusal, if the other item is known.
struct StillReferenced : Violation {
  StillReferenced(Item other, std::string hiding)
      : Violation(std::string(kStillReferenced), ""),
        item(std::move(other)),
        without_item(std::move(hiding)) {}
  Item item;                 // names the deleted one
  std::string without_item;  // the message for who may not read that item
};

// Returns the field of the target's key that a reference holds: the one of the same name; otherwise the last that the entity of the
// reference lacks; otherwise the last. The other fields of the key are those of the same names beside the reference.
std::string referenced_field(const Entity& entity, const std::string& reference, const Entity& target);

// Returns the key of the item that a reference with this value names, in an item of `entity` with these fields. Returns nothing
// if they do not give the whole key.
std::optional<Item> referenced_key(const Design& design, const Entity& entity, const Attribute& reference,
                                   const Value& value, const Item& fields);

// Returns why a reference is refused whose target does not exist: Booking.hotel must be a Hotel that exists (was "h7").
std::string missing_target(const Entity& entity, const Attribute& reference, const Value& value);

}  // namespace tavola::design
