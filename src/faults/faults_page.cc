#include "faults/faults_page.h"

#include "api/problem.h"
#include "base/json_writer.h"
#include "yaml/parse.h"

namespace tavola::faults {
namespace {

Result<FaultPlan> plan_of(std::string_view body) {
  const yaml::Document document = yaml::parse(body);
  const yaml::Node* const text = document.problems.empty() ? document.root.find("faults") : nullptr;
  if (text == nullptr || text->kind != yaml::Kind::Text || document.root.entries.size() != 1) {
    return fail(Error::validation("the body must be {\"faults\": \"throttle=0.05,seed=7\"} or the like"));
  }
  return parse_fault_plan(text->text);
}

std::string to_json(const Faults& faults) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  const FaultPlan plan = faults.plan();
  json.name("faults").text(plan.rules.empty() ? std::string() : to_text(plan));
  json.name("injected").begin_object();
  for (const auto& [name, kind] : EnumNames<Kind>::kAll) {
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
    if (!plan) return api::to_response(api::problem_of(plan.error()));
    faults.replace(*std::move(plan));
  } else if (request.method == "DELETE") {
    faults.replace({});
  } else if (request.method != "GET" && request.method != "HEAD") {
    return api::wrong_method("GET, HEAD, PUT, DELETE",
                             "GET lists the faults, PUT replaces them, DELETE removes them");
  }
  return {.status = 200, .content_type = "application/json", .body = to_json(faults)};
}

}  // namespace tavola::faults
