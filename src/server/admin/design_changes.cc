#include "server/admin/design_changes.h"

#include <algorithm>

#include "workshop/diff/diff.h"

namespace tavola::server {

void log_differences(const design::Design& design, Database& database, Log& log) {
  const auto governing = database.governing_design(design.table.name);
  if (!governing || *governing == nullptr || (*governing)->text == design.text) return;
  const std::vector<workshop::Difference> differences = workshop::diff(**governing, design);
  if (differences.empty()) {
    log.info("the design has changed",
             {{"design", design.name}, {"change", "nothing that items or clients show"}});
  }
  for (const workshop::Difference& one : differences) {
    const bool breaks = one.what == workshop::Difference::Class::Breaks;
    log.write(breaks ? LogLevel::Warning : LogLevel::Info, "the design has changed",
              {{"design", design.name}, {"change", workshop::to_text(one)}});
  }
}

// Fails if the design would be one of two served designs of a table of which one has roles.
Result<void> DesignChanges::check_others(const design::Design& design) const {
  const DesignList served = parts_.served->designs();
  const design::Design* const older = ServedDesigns::find_older(*served, design);
  std::vector<design::Design> others;
  for (const design::Design& one : *served) {
    if (&one != older) others.push_back(one);
  }
  return check_one_decides(others, design);
}

Result<void> DesignChanges::start(const design::Design& design, const Wishes& wishes) {
  const Result<void> can =
      drift::check_can_adopt(design, parts_.database, {.delete_indexes = wishes.delete_indexes});
  if (!can && can.error().code() != ErrorCode::ResourceNotFound) return fail(can.error());
  if (parts_.served != nullptr) TAVOLA_CHECK(check_others(design));
  log_differences(design, parts_.database, parts_.log);
  parts_.adoptions.start(design,
                         {.create_table = true,
                          .delete_indexes = wishes.delete_indexes,
                          .then = [served = parts_.served, &log = parts_.log](const design::Design& adopted) {
                            if (served == nullptr || served->replace(adopted) || served->add(adopted)) return;
                            log.warning("the design governs its table, and is not served under /v1",
                                        {{"design", adopted.name}, {"table", adopted.table.name}});
                          }});
  return {};
}

Result<DesignChanges::State> DesignChanges::state_of(std::string_view table) const {
  State state{.adoption = parts_.adoptions.status_of_table(table)};
  const Result<DescribeTableResponse> found =
      parts_.database.describe_table({.table_name = std::string(table)});
  if (!found && found.error().code() != ErrorCode::ResourceNotFound) return fail(found.error());
  state.table_exists = found.has_value();
  if (!found) return state;
  const auto& governed_by = found->table.governed_by;
  state.is_adopting = governed_by && governed_by->adopting;
  if (auto governing = parts_.database.governing_design(table)) state.design = *std::move(governing);
  if (parts_.served == nullptr) return state;
  const DesignList served = parts_.served->designs();
  const auto of_table =
      std::ranges::find_if(*served, [&](const design::Design& design) { return design.table.name == table; });
  if (of_table != served->end() && parts_.served->is_of_options(*of_table))
    state.served_from = of_table->file;
  return state;
}

}  // namespace tavola::server
