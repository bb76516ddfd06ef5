#include "server/console/design_routes.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/files.h"
#include "json/writer.h"
#include "lens/lens.h"
#include "server/admin/governance_page.h"
#include "server/console/design_drafts.h"
#include "server/console/design_json.h"
#include "server/console/design_traffic.h"
#include "server/console/drift_looks.h"
#include "server/console/sample_designs.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

using design::Design;
using lens::Question;

constexpr std::string_view kDesignsRoute = "/console/designs";
constexpr std::string_view kInferRoute = "/console/designs/infer";
constexpr std::string_view kLensRoute = "/console/lens";
constexpr std::string_view kSamplesRoute = "/console/samples";
constexpr std::string_view kDriftMembers = "repair page";

// Returns the parts of a path behind a route: "NAME", "traffic".
std::pair<std::string_view, std::string_view> parts_behind(std::string_view path, std::string_view route) {
  path.remove_prefix(std::min(route.size() + 1, path.size()));
  const std::size_t slash = path.find('/');
  return {path.substr(0, slash),
          slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1)};
}

// Missing things are answered with 404, unlike under /v1, where they mean that a table is gone.
http::Response answer_of(const Result<std::string>& answer) {
  if (answer) return {.status = 200, .content_type = "application/json", .body = *answer + "\n"};
  Problem problem = problem_of(answer.error());
  const ErrorCode code = answer.error().code();
  if (code == ErrorCode::ResourceNotFound || code == ErrorCode::TableNotFound) {
    problem = {
        .kind = "not-found", .title = "There is no such thing", .status = 404, .detail = problem.detail};
  } else if (code == ErrorCode::ResourceInUse) {
    problem = {
        .kind = "conflict", .title = "This is not possible now", .status = 409, .detail = problem.detail};
  }
  return to_response(problem);
}

Error not_found(std::string what) { return {ErrorCode::ResourceNotFound, std::move(what)}; }

bool is_set(const http::Request& request, std::string_view members, std::string_view name) {
  const auto question = Question::parse(request.body, members);
  return question && question->is_set(name).value_or(false);
}

Effect design_effect(const http::Request& request) {
  const auto [name, part] = parts_behind(request.path, kDesignsRoute);
  if (request.method != "POST") return Effect::Reads;
  if (part.empty()) return name == "apply" ? Effect::Changes : Effect::Reads;
  return part == "drift" && is_set(request, kDriftMembers, "repair") ? Effect::Changes : Effect::Reads;
}

Effect lens_effect(const http::Request& request) {
  const bool may_repair = parts_behind(request.path, kLensRoute).second == "copies";
  return may_repair && is_set(request, "key repair", "repair") ? Effect::Changes : Effect::Reads;
}

// Returns the test cases of a design: of a sample, or those beside the file that the server was started with. The file of a design that
// somebody applied is a name of theirs: nothing is read beside it.
std::string cases_of(const Design& design, const ServedDesigns& served) {
  for (const SampleDesign& sample : sample_designs()) {
    if (sample.file == design.file && sample.text == design.text) return std::string(sample.cases);
  }
  if (!served.is_of_options(design)) return {};
  std::filesystem::path path = design.file;
  path.replace_extension(".cases.yaml");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  return read_file(path).value_or("");
}

class DesignAnswers {
 public:
  explicit DesignAnswers(const DesignRouteParts& parts)
      : parts_(parts),
        looks_({.database = parts.database, .clock = parts.clock}),
        drafts_({.served = parts.served,
                 .changes = parts.changes,
                 .looks = looks_,
                 .database = parts.database,
                 .clock = parts.clock}) {}

  Result<std::string> about_designs(const Visit& visit) {
    const auto [name, part] = parts_behind(visit.request.path, kDesignsRoute);
    if (visit.request.method == "GET") {
      if (name.empty()) return list(visit);
      if (part.empty()) return one(visit, name);
      if (part == "traffic") return traffic(visit, name);
      return fail(not_found("there is nothing at this address"));
    }
    const bool is_for_everybody = part.empty() && (name == "check" || name == "cases" || name == "infer");
    if (visit.standing == Standing::Limited && !is_for_everybody) return fail(no_operator());
    return part.empty() ? about_draft(visit, name) : part == "drift" ? drift(visit, name) : nowhere();
  }

  Result<std::string> about_lens(const Visit& visit) {
    const auto [name, lens] = parts_behind(visit.request.path, kLensRoute);
    const auto service = parts_.served.service();
    TAVOLA_TRY(const auto design, design_named(visit, name));
    return lens::look(
        {.design = *design,
         .database = visit.database,
         .clock = parts_.clock,
         .sensitive = asks_for_sensitive(visit.request) ? lens::Sensitive::Shown : lens::Sensitive::Masked,
         .page_secret = service->parts().secret},
        lens, visit.request.body);
  }

  void stop() { looks_.stop(); }

  Result<std::string> samples(const Visit& visit) {
    if (visit.request.method != "POST") return nowhere();
    if (visit.standing == Standing::Limited) return fail(no_operator());
    TAVOLA_CHECK(load_sample_designs({.database = parts_.database,
                                      .served = parts_.served,
                                      .adoptions = parts_.adoptions,
                                      .changes = parts_.changes,
                                      .clock = parts_.clock,
                                      .log = parts_.log}));
    return list(visit);
  }

 private:
  static Error no_operator() {
    return {ErrorCode::AccessDenied, "this needs a key without limits, because it concerns the whole server"};
  }
  static Result<std::string> nowhere() { return fail(not_found("there is nothing at this address")); }

  // Returns whether the sender may know the design: that of a table that they may describe, or one whose table does not exist yet.
  static bool may_see(const Visit& visit, const Design& design) {
    if (visit.standing == Standing::Unlimited) return true;
    return visit.database.describe_table({.table_name = design.table.name}).has_value();
  }

  Result<std::shared_ptr<const Design>> design_named(const Visit& visit, std::string_view name) const {
    const DesignList served = parts_.served.designs();
    const auto found = std::ranges::find(*served, name, &Design::name);
    if (found == served->end() || !may_see(visit, *found))
      return fail(not_found("there is no design " + std::string(name)));
    return std::shared_ptr<const Design>(served, &*found);
  }

  Result<std::string> list(const Visit& visit) const {
    const DesignList served = parts_.served.designs();
    std::string out;
    json::Writer json(out);
    json.begin_object();
    json.name("designs").begin_list();
    for (const Design& design : *served) {
      if (may_see(visit, design)) write_line(json, design);
    }
    json.end_list();
    json.end_object();
    return out;
  }

  void write_line(json::Writer& json, const Design& design) const {
    const auto described = parts_.database.describe_table({.table_name = design.table.name});
    const auto adoption = parts_.adoptions.status(design);
    const auto& governed = described ? described->table.governed_by : std::nullopt;
    json.begin_object();
    json.name("name").text(design.name);
    json.name("table").text(design.table.name);
    json.name("title").text(design.notes.title);
    json.name("enforce").text(governed ? to_word(governed->enforcement) : "");
    json.name("state").text(!described           ? "no table"
                            : !governed          ? "not governed"
                            : governed->adopting ? "adopting"
                                                 : "enforced");
    json.name("progress").raw() += adoption ? to_json(*adoption) : "null";
    json.end_object();
  }

  Result<std::string> one(const Visit& visit, std::string_view name) const {
    TAVOLA_TRY(const auto design, design_named(visit, name));
    TAVOLA_TRY(std::string governance, governance_of(visit, *design));
    return to_json(ShownDesign{
        .design = *design, .governance = std::move(governance), .cases = cases_of(*design, parts_.served)});
  }

  // The items that are stuck or broke a rule are not for everybody.
  Result<std::string> governance_of(const Visit& visit, const Design& design) const {
    const bool is_there = parts_.database.describe_table({.table_name = design.table.name}).has_value();
    if (!is_there || visit.standing == Standing::Limited)
      return std::string(R"({"broken":[],"stuck":0,"stuckItems":[],"unfinished":0})");
    const auto adoption = parts_.adoptions.status(design);
    TAVOLA_TRY(std::string governance,
               governance_json(design, parts_.database, adoption ? &*adoption : nullptr));
    governance.pop_back();
    return governance + ",\"migration\":" + migration_json(design.table.name, parts_.database) + "}";
  }

  Result<std::string> traffic(const Visit& visit, std::string_view name) const {
    if (visit.standing == Standing::Limited) return fail(no_operator());
    const auto counts = parts_.traffic == nullptr ? std::nullopt : parts_.traffic->counts(name);
    if (!counts) return fail(not_found("there is no design " + std::string(name)));
    return traffic_json(*counts);
  }

  Result<std::string> about_draft(const Visit& visit, std::string_view what) {
    const auto asked = [&](std::string_view members) { return Question::parse(visit.request.body, members); };
    if (what == "check") {
      TAVOLA_TRY(const Question question, asked(DesignDrafts::kCheckMembers));
      return drafts_.check(question);
    }
    if (what == "plan") {
      TAVOLA_TRY(const Question question, asked(DesignDrafts::kPlanMembers));
      return drafts_.plan(question);
    }
    if (what == "apply") {
      TAVOLA_TRY(const Question question, asked(DesignDrafts::kApplyMembers));
      return drafts_.apply(question);
    }
    if (what == "progress") {
      TAVOLA_TRY(const Question question, asked(DesignDrafts::kProgressMembers));
      return drafts_.progress(question);
    }
    if (what == "cases") {
      TAVOLA_TRY(const Question question, asked(DesignDrafts::kCasesMembers));
      return DesignDrafts::run_cases(question);
    }
    if (what != "infer") return nowhere();
    TAVOLA_TRY(const Question question, asked(DesignDrafts::kInferMembers));
    return DesignDrafts::infer(question, visit.database);
  }

  // {"repair": false, "page": page} → a drift report (drift/drift.h), and while items are read {"items", "drift": false, "findings": [],
  // "notes": [], "doing", "expected", "next": page}.
  Result<std::string> drift(const Visit& visit, std::string_view name) {
    TAVOLA_TRY(const auto design, design_named(visit, name));
    TAVOLA_TRY(const Question question, Question::parse(visit.request.body, kDriftMembers));
    TAVOLA_TRY(const bool repair, question.is_set("repair"));
    TAVOLA_TRY(std::string page, question.text("page"));
    if (page.empty()) {
      TAVOLA_TRY(page, looks_.begin({.design = design, .repair = repair}));
    }
    TAVOLA_TRY(const DriftLooks::State state, looks_.wait_for(page));
    if (state.report) return drift::to_json(*state.report);
    std::string out;
    json::Writer json(out);
    json.begin_object();
    json.name("items").integer(static_cast<std::int64_t>(state.items));
    json.name("doing").text(state.doing);
    json.name("expected").integer(static_cast<std::int64_t>(state.expected));
    json.name("drift").boolean(false);
    json.name("findings").begin_list();
    json.end_list();
    json.name("notes").begin_list();
    json.end_list();
    json.name("next").text(page);
    json.end_object();
    return out;
  }

  const DesignRouteParts parts_;
  DriftLooks looks_;
  DesignDrafts drafts_;
};

}  // namespace

std::vector<Route> design_routes(const DesignRouteParts& parts) {
  const auto answers = std::make_shared<DesignAnswers>(parts);
  const auto route = [&](std::string_view path, std::string_view feature,
                         Result<std::string> (DesignAnswers::*answer)(const Visit&)) {
    return Route{.path = std::string(path),
                 .effect = always_reads,
                 .answer = at_once([answers, answer](const Visit& visit) {
                   return answer_of((answers.get()->*answer)(visit));
                 }),
                 .feature = std::string(feature)};
  };
  std::vector<Route> routes{route(kDesignsRoute, "designs", &DesignAnswers::about_designs),
                            route(kInferRoute, "infer", &DesignAnswers::about_designs),
                            route(kLensRoute, "lenses", &DesignAnswers::about_lens)};
  routes[0].effect = design_effect;
  routes[0].close = [answers] { answers->stop(); };
  routes[2].effect = lens_effect;
  if (parts.samples == Samples::Offered) {
    routes.push_back(route(kSamplesRoute, "samples", &DesignAnswers::samples));
    routes.back().effect = changes_unless_get;
  }
  return routes;
}

}  // namespace tavola::server
