// The header that marks requests of Tavola's own tools (drift, copies, dumps, archives). A server does not count them among the
// requests that the users of a table make. Requests with the value `as-is` move whole tables: writes and scans of keys that may do this are
// performed as they are (`as_is`, tavola/items.h), those of others as usual.
#pragma once

#include <string_view>

namespace tavola::wire {

inline constexpr std::string_view kMaintenanceHeader = "x-tavola-maintenance";
inline constexpr std::string_view kAsIs = "as-is";

}  // namespace tavola::wire
