#include "server/admin/governance_page.h"

#include <algorithm>

#include "base/timestamps.h"
#include "design/items/entity_item.h"
#include "design/items/masked.h"
#include "design/model/plain_json.h"
#include "drift/import_mark.h"
#include "json/writer.h"
#include "server/admin/admin_body.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kDesignsPath = "/admin/designs/";
constexpr std::size_t kStuckItemsMax = 100;

Item shown_fields(const design::Decoded& decoded) {
  Item fields = decoded.fields;
  for (auto& [name, value] : fields) {
    const design::Attribute* const field = decoded.entity->find_field(name);
    if (field != nullptr) value = design::masked(*field, value);
  }
  return fields;
}

void write_stuck(json::Writer& out, const design::Design& design, const StuckItem& stuck) {
  const Item item = stuck.item.unpack();
  const design::Decoded decoded = design::decode(design, item);
  out.begin_object();
  out.name("since").text(iso8601(stuck.since));
  out.name("entity").text(decoded.entity == nullptr ? "" : decoded.entity->name);
  // An item is stuck in a state of its entity; without one, nothing says what is sensitive.
  if (decoded.entity != nullptr) out.name("fields").raw() += design::to_plain_json(shown_fields(decoded));
  out.end_object();
}

void write_broken(json::Writer& out, const BrokenRule& broken) {
  out.begin_object();
  out.name("rule").text(broken.rule);
  out.name("writes").integer(static_cast<std::int64_t>(broken.writes));
  out.name("key").raw() += broken.sample_key;
  out.end_object();
}

Result<void> change(const http::Request& request, const design::Design& design,
                    const GovernanceParts& parts) {
  TAVOLA_TRY(const json::Node body, read_admin_body(request.body, R"({"enforce": "warn"})"));
  if (const json::Node* const adopt = body.find("adopt"); adopt != nullptr && body.members.size() == 1) {
    if (adopt->text != "true") return fail(Error::validation("`adopt` must be true"));
    parts.adoptions.start(design, {});
    return {};
  }
  const json::Node* const word = body.find("enforce");
  const std::optional<Enforcement> wanted =
      word == nullptr || !word->is_text() ? std::nullopt : enforcement_of(word->text);
  if (!wanted || body.members.size() != 1) {
    return fail(Error::validation(
        "the body must be {\"enforce\": \"strict\"}, \"warn\" or \"off\", or {\"adopt\": true}"));
  }
  TAVOLA_CHECK(parts.database.govern_table({.table_name = design.table.name, .enforcement = wanted}));
  return {};
}

// An item of a table without a design may look like the mark.
Result<std::optional<drift::ImportMark>> unchecked_import(const design::Design& design,
                                                          const DescribeGovernanceResponse& described,
                                                          Database& database) {
  if (!described.governed_by) return std::nullopt;
  return drift::import_mark(design, database);
}

}  // namespace

std::string_view design_of_governance_path(std::string_view path) {
  if (!path.starts_with(kDesignsPath)) return {};
  const std::string_view name = path.substr(kDesignsPath.size());
  return name.contains('/') ? std::string_view() : name;
}

std::string governance_path(std::string_view design) {
  return std::string(kDesignsPath) + std::string(design);
}

std::string_view to_word(Enforcement enforcement) {
  switch (enforcement) {
    case Enforcement::Strict:
      return "strict";
    case Enforcement::Warn:
      return "warn";
    case Enforcement::Off:
      return "off";
  }
  return "strict";
}

std::optional<Enforcement> enforcement_of(std::string_view word) {
  for (const Enforcement one : {Enforcement::Strict, Enforcement::Warn, Enforcement::Off}) {
    if (word == to_word(one)) return one;
  }
  return std::nullopt;
}

Result<std::string> governance_json(const design::Design& design, Database& database,
                                    const Adoptions::Status* adoption) {
  TAVOLA_TRY(
      const DescribeGovernanceResponse described,
      database.describe_governance({.table_name = design.table.name, .stuck_items_max = kStuckItemsMax}));
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("design").text(design.name);
  out.name("table").text(design.table.name);
  if (described.governed_by) {
    out.name("enforce").text(to_word(described.governed_by->enforcement));
    out.name("adopting").boolean(described.governed_by->adopting);
  }
  if (adoption != nullptr) out.name("adoption").raw() += to_json(*adoption);
  TAVOLA_TRY(const std::optional<drift::ImportMark> mark, unchecked_import(design, described, database));
  if (mark) {
    out.name("unchecked").begin_object();
    out.name("since").text(mark->since);
    out.name("checking").boolean(mark->checking);
    out.end_object();
  }
  out.name("broken").begin_list();
  for (const BrokenRule& broken : described.broken_rules) write_broken(out, broken);
  out.end_list();
  out.name("stuck").integer(static_cast<std::int64_t>(described.stuck));
  out.name("stuckItems").begin_list();
  for (const StuckItem& stuck : described.stuck_items) write_stuck(out, design, stuck);
  out.end_list();
  out.name("unfinished").integer(static_cast<std::int64_t>(described.unfinished));
  out.end_object();
  return json;
}

http::Response governance_page(const http::Request& request, const GovernanceParts& parts) {
  const std::vector<design::Design>& designs = parts.designs;
  const std::string_view name = design_of_governance_path(request.path);
  const auto design = std::ranges::find(designs, name, &design::Design::name);
  if (design == designs.end()) return unknown_design(name);
  const bool changes = request.method == "PUT";
  if (!changes && request.method != "GET" && request.method != "HEAD") {
    return wrong_method("GET, HEAD, PUT", "GET returns the governance of the design, PUT changes it");
  }
  if (changes) {
    const Result<void> changed = change(request, *design, parts);
    if (!changed) return to_response(problem_of(changed.error()));
  }
  const std::optional<Adoptions::Status> adoption = parts.adoptions.status(*design);
  const Result<std::string> json = governance_json(*design, parts.database, adoption ? &*adoption : nullptr);
  if (!json) return to_response(problem_of(json.error()));
  return {.status = 200, .content_type = "application/json", .body = *json + "\n"};
}

}  // namespace tavola::server
