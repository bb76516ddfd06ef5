#include "server/admin/faults_page.h"

#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

Result<FaultPlan> plan_of(std::string_view body) {
  constexpr std::string_view kExample = R"({"faults": "throttle=0.05,seed=7"})";
  TAVOLA_TRY(const json::Node root, read_admin_body(body, kExample));
  const json::Node* const text = root.find("faults");
  if (text == nullptr || !text->is_text() || root.members.size() != 1) {
    return fail(Error::validation("the body must be " + std::string(kExample) + " or the like"));
  }
  return parse_fault_plan(text->text);
}

std::string to_json(const Faults& faults) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  const FaultPlan plan = faults.plan();
  json.name("faults").text(plan.rules.empty() ? std::string() : to_text(plan));
  json.name("injected").begin_object();
  for (const auto& [name, kind] : EnumNames<FaultKind>::kAll) {
    json.name(name).integer(static_cast<std::int64_t>(faults.injected(kind)));
  }
  json.end_object();
  json.end_object();
  return out + "\n";
}

}  // namespace

http::Response faults_page(const http::Request& request, Faults& faults) {
  if (request.method == "PUT") {
    Result<FaultPlan> plan = plan_of(request.body);
    if (!plan) return to_response(problem_of(plan.error()));
    faults.replace(*std::move(plan));
  } else if (request.method == "DELETE") {
    faults.replace({});
  } else if (request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD, PUT, DELETE",
                        "GET lists the faults, PUT replaces them, DELETE removes them");
  }
  return {.status = 200, .content_type = "application/json", .body = to_json(faults)};
}

}  // namespace tavola::server
