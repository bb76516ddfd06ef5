// WallTime: a point in time as DynamoDB's tables, backups and streams report it.
#pragma once

#include <chrono>

namespace tavola {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

}  // namespace tavola
