// Erases changes that can no longer be read.
#pragma once

#include <stop_token>

#include "base/clock.h"
#include "store/store.h"

namespace tavola::engine {

// Erases changes older than 24 hours that no point-in-time recovery needs, and streams that were switched off more than
// 24 hours ago. An unreadable record is reported after the rest was erased.
Result<void> forget_old_changes(store::Store& store, WallTime now, const std::stop_token& stop);

}  // namespace tavola::engine
