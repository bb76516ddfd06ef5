#include "server/health_page.h"

#include <chrono>
#include <utility>

#include "json/writer.h"

namespace tavola::server {
namespace {

// A thread that serves nobody for so long is stuck: no request should take it a tenth of that.
constexpr std::chrono::seconds kStallMax(5);

http::Response json(int status, std::string body) {
  http::Response response{
      .status = status, .content_type = "application/json", .body = std::move(body) + "\n"};
  response.add_header("Cache-Control", "no-store");
  return response;
}

}  // namespace

std::vector<std::string> HealthPage::problems(Audience audience) const {
  std::vector<std::string> problems;
  if (const std::string trouble = parts_.watch.trouble(); !trouble.empty()) {
    problems.push_back(
        audience == Audience::Owner ? trouble : "the store does not take writes; the server's log says why");
  }
  if (const std::string unread = parts_.watch.unread_builds(); !unread.empty()) {
    problems.push_back(audience == Audience::Owner
                           ? "the index builds cannot be read: " + unread
                           : "the index builds cannot be read; the server's log says why");
  }
  if (const std::chrono::milliseconds stall = parts_.server.longest_stall(); stall > kStallMax) {
    problems.push_back("a thread has served nobody for " + std::to_string(stall.count()) + " ms");
  }
  return problems;
}

http::Response HealthPage::answer(std::string_view path, Audience audience) const {
  if (path == "/health/live") return json(200, R"({"status":"alive"})");
  const std::vector<std::string> found = problems(audience);
  const std::vector<std::string> building = parts_.watch.builds();
  std::string body;
  json::Writer out(body);
  out.begin_object();
  out.name("status").text(found.empty() ? "healthy" : "unhealthy");
  out.name("problems").begin_list();
  for (const std::string& problem : found) out.text(problem);
  out.end_list();
  out.name("threads").begin_object();
  out.name("longestStallMilliseconds").integer(parts_.server.longest_stall().count());
  out.end_object();
  out.name("indexBuilds").begin_object();
  out.name("count").integer(static_cast<std::int64_t>(building.size()));
  if (audience == Audience::Owner) {
    out.name("tables").begin_list();
    for (const std::string& table : building) out.text(table);
    out.end_list();
  }
  out.end_object();
  out.name("log").begin_object();
  out.name("droppedLines").integer(static_cast<std::int64_t>(parts_.log.dropped_lines()));
  out.end_object();
  out.end_object();
  return json(found.empty() ? 200 : 503, std::move(body));
}

}  // namespace tavola::server
