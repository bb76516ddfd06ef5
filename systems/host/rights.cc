#include "systems/host/rights.h"

#include <algorithm>

#include "design/requests/served_patterns.h"
#include "design/roles/access.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "runner/groups.h"
#include "server/v1/problem.h"

namespace tavola::systems {
namespace {

Result<design::Identity> with_listed_groups(const SystemDesign& design, const design::Identity& who) {
  return runner::with_groups(design.service().runner(design.design(), design.database()), who);
}

// Returns "all", "own", or nothing without the right.
std::string_view reach_of(const design::Design& design, const design::Identity& who,
                          const std::string& permission) {
  if (design::has_right(design, who, {permission})) return "all";
  const bool is_own = std::ranges::any_of(design.roles, [&](const design::Role& role) {
    return !role.own.empty() && design::has_right(design, who, {permission, role.own});
  });
  return is_own ? "own" : "";
}

}  // namespace

std::vector<std::string> all_permissions(const design::Design& design) {
  std::vector<std::string> all;
  for (const design::Pattern& pattern : design.patterns) {
    if (design::is_served(pattern)) all.push_back(pattern.name);
  }
  for (const design::Operation& operation : design.operations) all.push_back(operation.name);
  for (const design::Entity& entity : design.entities) {
    all.push_back("read:" + entity.name);
    all.push_back("write:" + entity.name);
  }
  return all;
}

Result<bool> may_do_any(const SystemDesign& design, const design::Identity& who,
                        const std::vector<std::string>& permissions) {
  TAVOLA_TRY(const design::Identity known, with_listed_groups(design, who));
  return std::ranges::any_of(permissions, [&](const std::string& permission) {
    return reach_of(design.design(), known, permission) == "all";
  });
}

Route rights_page(const SystemDesign& design) {
  return {"GET", "/api/rights", [&design](const Visit& visit) {
            const auto who = with_listed_groups(design, visit.who);
            if (!who) return server::problem_answer(503, who.error().message());
            std::string body;
            json::Writer json(body);
            json.begin_object();
            for (const std::string& permission : all_permissions(design.design())) {
              const std::string_view reach = reach_of(design.design(), *who, permission);
              if (!reach.empty()) json.name(permission).text(reach);
            }
            json.end_object();
            return http::json_answer(std::move(body));
          }};
}

}  // namespace tavola::systems
