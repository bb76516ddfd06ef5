#include "server/console/request_routes.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/pages/page_answers.h"
#include "server/console/metrics_answer.h"
#include "server/requests/rows.h"
#include "server/requests/viewers.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kRequestsPath = "/console/requests";
constexpr std::string_view kMetricsPath = "/console/metrics";

// Returns nullopt if the text is not a number of a request; 0 for an empty one: the beginning.
std::optional<std::uint64_t> request_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (problem != std::errc() || end != text.data() + text.size())) return std::nullopt;
  return number;
}

http::Response not_a_number(std::string_view text) {
  return problem_answer(400,
                        "\"" + std::string(text) + "\" is not the id of a request: ids are whole numbers");
}

// The requests that are recorded, and who looks at them.
class Inspector {
 public:
  explicit Inspector(const RequestRouteParts& parts)
      : recorder_(parts.recorder), reader_(parts.asked), viewers_(recorder_, reader_) {}

  void answer(const Visit& visit, http::Reply reply) {
    if (visit.standing == Standing::Limited) {
      return reply(problem_answer(
          403, "This key is limited to some tables, and the page shows the requests of everybody"));
    }
    const http::Request& request = visit.request;
    if (request.method != "GET")
      return reply(problem_answer(405, "Recorded requests are read only: use GET"));
    const std::string_view rest = request.path.substr(kRequestsPath.size());
    if (rest == "/events") return wait(request, std::move(reply));
    reply(rest.empty() || rest == "/" ? page(request) : one(rest.substr(1), request));
  }
  void close() { viewers_.close(); }

 private:
  void wait(const http::Request& request, http::Reply reply) {
    const std::string_view seen = request.header("last-event-id");
    const std::string_view text = seen.empty() ? parameter(request.query, "after") : seen;
    const std::optional<std::uint64_t> after = request_number(text);
    if (!after) return reply(not_a_number(text));
    viewers_.wait(*after, std::move(reply));
  }

  http::Response page(const http::Request& request) {
    const std::string_view text = parameter(request.query, "after");
    const std::optional<std::uint64_t> after = request_number(text);
    if (!after) return not_a_number(text);
    viewers_.look();
    return http::json_answer(page_json(recorder_.read(*after, RequestViewers::kRowsMax), reader_));
  }

  http::Response one(std::string_view text, const http::Request& request) {
    const std::optional<std::uint64_t> number = request_number(text);
    if (!number) return not_a_number(text);
    viewers_.look();
    const std::optional<RecordedRequest> found = recorder_.find(*number);
    if (!found) {
      return problem_answer(404, "The request is no longer kept: the server keeps the last " +
                                     std::to_string(RequestRecorder::kRequestsMax) +
                                     " at most, as long as somebody looks at them");
    }
    return http::json_answer(request_json(
        *found, reader_, asks_for_sensitive(request) ? SensitiveValues::Shown : SensitiveValues::Masked));
  }

  RequestRecorder& recorder_;
  const AskedReader reader_;
  RequestViewers viewers_;
};

http::Response metrics_page(const Visit& visit, const http::Metrics& metrics) {
  if (visit.standing == Standing::Limited) {
    return problem_answer(
        403, "This key is limited to some tables, and the metrics count requests on every table");
  }
  if (visit.request.method != "GET") return problem_answer(405, "Metrics are read only: use GET");
  return http::json_answer(
      metrics_json(metrics.text(), {std::chrono::system_clock::now(), resident_bytes()}));
}

}  // namespace

std::vector<Route> request_routes(const RequestRouteParts& parts) {
  const auto inspector = std::make_shared<Inspector>(parts);
  return {{.path = std::string(kRequestsPath),
           .effect = always_reads,
           .answer = [inspector](const Visit& visit,
                                 http::Reply reply) { inspector->answer(visit, std::move(reply)); },
           .feature = "requests",
           .close = [inspector] { inspector->close(); }},
          {.path = std::string(kMetricsPath),
           .effect = always_reads,
           .answer = at_once(
               [&metrics = parts.metrics](const Visit& visit) { return metrics_page(visit, metrics); }),
           .feature = "metrics"}};
}

}  // namespace tavola::server
