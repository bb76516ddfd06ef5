// A store as it is at one moment, as a store: what is above needs not know that it reads the past.
#pragma once

#include <memory>

#include "store/store.h"

namespace tavola::store {

// Later writes to `store` are not seen through it, and it refuses to be written. It must end before `store` does.
std::unique_ptr<Store> freeze(const Store& store);

}  // namespace tavola::store
