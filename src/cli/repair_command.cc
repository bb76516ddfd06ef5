#include "cli/repair_command.h"

#include <cstdint>
#include <string_view>

#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "engine/repair.h"
#include "transfer/exports/buckets.h"

namespace tavola::cli {
namespace {

std::string items_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " item" : " items");
}

std::string line_of(const engine::RepairedTable& table) {
  std::string line = "table " + table.name + ": " + items_of(table.items);
  if (!table.counted) return line + "; its recorded count is lost, so more may be missing\n";
  if (table.items < *table.counted)
    return line + " of " + std::to_string(*table.counted) + " by its recorded count\n";
  return line + "\n";
}

std::string to_text(const engine::RepairReport& report, const std::string& to) {
  std::string text;
  for (const store::FileProblem& problem : report.problems) text += problem.file + ": " + problem.what + "\n";
  for (const std::string& table : report.lost_tables)
    text += "table " + table + ": its definition cannot be read\n";
  if (report.stray_items > 0) {
    text += std::to_string(report.stray_items) +
            " items and index entries belong to tables whose definition is lost, and cannot be read\n";
  }
  for (const engine::RepairedTable& table : report.tables) text += line_of(table);
  return text + (report.is_complete() ? "Nothing is missing" : "Some data is missing") +
         "; everything that was readable is in " + to + ".\n";
}

}  // namespace

Output run(const RepairOptions& options) {
  if (transfer::contain_one_another(options.from, options.to)) {
    return failed(Error::validation("the new directory " + options.to + " and " + options.from +
                                    " may not be inside one another; name another directory with --to"));
  }
  ProgressBar files("bytes");
  ProgressBar items;
  const auto watch = [&](std::string_view doing, std::uint64_t done, std::uint64_t expected) {
    (expected > 0 ? files : items).show(doing, done, expected);  // how many items there are, nobody knows
  };
  const Result<engine::RepairReport> report = engine::repair(options.from, options.to, watch);
  if (!report) return failed(report.error());
  return {.out = to_text(*report, options.to), .err = {}, .exit_code = report->is_complete() ? 0 : kRefused};
}

}  // namespace tavola::cli
