// The attributes of a packed item one by one, and an item made of attributes that are packed already.
#pragma once

#include <span>
#include <string_view>

#include <tavola/packed.h>

#include "value/varint.h"

namespace tavola {

// Calls take(name, value) with the bytes of each attribute of the item, in its order. Reads each size once; an iterator of the
// item reads it twice.
template <class Take>
void each_attribute(const ItemView& item, Take take) {
  std::string_view rest = item.bytes().substr(1);
  take_varint(rest);
  while (!rest.empty()) {
    const std::string_view name = take_sized(rest);
    take(name, take_sized(rest));
  }
}

// Returns the item that has these attributes, in ascending order of their names. It is allocated once.
PackedItem assembled(std::span<const MapView::Entry> attributes);

}  // namespace tavola
