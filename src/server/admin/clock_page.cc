#include "server/admin/clock_page.h"

#include <string>

#include "base/timestamps.h"
#include "design/language/language.h"
#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

Error not_a_time(std::string_view name, std::string_view text) {
  return Error::validation(std::string(name) + " must be a time like 2026-01-15T10:00:00Z (was " +
                           std::string(text) + ")");
}

Result<void> change(std::string_view body, SettableClock& clock) {
  constexpr std::string_view kExample = R"({"now": "2026-01-15T10:00:00Z"} or {"advance": "2h"})";
  TAVOLA_TRY(const json::Node root, read_admin_body(body, kExample));
  const json::Node* const now = root.find("now");
  const json::Node* const advance = root.find("advance");
  const json::Node* const given = now != nullptr ? now : advance;
  if (given == nullptr || !given->is_text() || root.members.size() != 1) {
    return fail(Error::validation("the body must be " + std::string(kExample)));
  }
  if (now != nullptr) {
    const auto time = parse_iso8601(now->text);
    if (!time) return fail(not_a_time("now", now->text));
    clock.set(*time);
    return {};
  }
  const auto by = design::parse_duration(advance->text);
  if (!by || !clock.advance(*by)) {
    return fail(Error::validation(
        "advance must be a duration like 90s, 2h or 30d, and end before the year 10000 (was " +
        std::string(advance->text) + ")"));
  }
  return {};
}

std::string to_json(const SettableClock& clock) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("now").text(iso8601(clock.now()));
  json.name("set").boolean(clock.is_set());
  json.end_object();
  return out + "\n";
}

}  // namespace

http::Response clock_page(const http::Request& request, const TestTime& test) {
  if (test.clock == nullptr) {
    return to_response({.kind = "forbidden",
                        .title = "The time of this server cannot be set",
                        .status = 403,
                        .detail = "Start the server with --test-clock to set its time in tests"});
  }
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (request.method == "PUT") {
    if (const Result<void> changed = change(request.body, *test.clock); !changed)
      return to_response(problem_of(changed.error()));
  } else if (request.method == "DELETE") {
    test.clock->release();
  } else if (!is_read) {
    return wrong_method("GET, HEAD, PUT, DELETE",
                        "GET shows the time, PUT sets or advances it, DELETE returns to the machine's");
  }
  if (!is_read) {
    if (const Result<void> settled = test.settle(); !settled) return to_response(problem_of(settled.error()));
  }
  return {.status = 200, .content_type = "application/json", .body = to_json(*test.clock)};
}

Result<std::optional<WallTime>> time_of(const http::Request& request, const TestTime& test) {
  const std::string_view value = request.header(kTimeHeader);
  if (value.empty()) return std::nullopt;
  if (!test.is_in_headers) {
    return fail(Error::validation("the server does not accept the header " + std::string(kTimeHeader) +
                                  "; start it with --test-clock-header"));
  }
  const std::optional<WallTime> time = parse_iso8601(value);
  if (!time) return fail(not_a_time(kTimeHeader, value));
  return time;
}

}  // namespace tavola::server
