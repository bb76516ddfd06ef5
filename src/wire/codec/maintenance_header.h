// The header that marks requests of Tavola's own tools (drift, copies, dumps, archives). A server does not count them among the
// requests that the users of a table make.
#pragma once

#include <string_view>

namespace tavola::wire {

inline constexpr std::string_view kMaintenanceHeader = "x-tavola-maintenance";

}  // namespace tavola::wire
