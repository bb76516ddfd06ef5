// /admin/clock, with --test-clock: GET returns the time, PUT {"now": "2026-01-15T10:00:00Z"} or {"advance": "2h"} sets it, DELETE
// returns to the time of the machine. With --test-clock-header, the header x-tavola-now is the time of one request.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <tavola/error.h>
#include <tavola/time.h>

#include "http/message.h"
#include "server/admin/settable_clock.h"

namespace tavola::server {

inline constexpr std::string_view kClockPath = "/admin/clock";
inline constexpr std::string_view kTimeHeader = "x-tavola-now";

struct TestTime {
  SettableClock* clock = nullptr;        // null: the time cannot be set
  std::function<Result<void>()> settle;  // removes the items that have expired by the new time
  bool is_in_headers = false;
};

// Never fails: errors are responses. A PUT is answered when expired items are removed.
http::Response clock_page(const http::Request& request, const TestTime& test);

// Returns the time in the header of a request; nullopt if it has none. Fails with Validation if it is not a time, or if the server
// does not accept the header.
Result<std::optional<WallTime>> time_of(const http::Request& request, const TestTime& test);

}  // namespace tavola::server
