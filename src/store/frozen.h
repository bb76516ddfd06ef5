// A store as of one point in time, as a Store: its users need not know that they read a snapshot.
#pragma once

#include <memory>

#include "store/store.h"

namespace tavola::store {

// Does not show later writes to `store`, and refuses writes. Must be destroyed before `store`.
std::unique_ptr<Store> freeze(const Store& store);

}  // namespace tavola::store
