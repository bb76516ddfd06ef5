#include "server/admin/apply_plan.h"

#include <algorithm>

#include "base/joined.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

using workshop::Difference;

std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string keys_of(const GlobalIndex& index) {
  return "(" + joined(index.key_schema, &KeySchemaElement::name) + ")";
}

bool is_of_items(const drift::DriftFinding& finding) {
  return finding.rule != drift::DriftRule::Table && !drift::is_about_use(finding.rule);
}

// Differences of the table that an application leaves; its indexes have lines of their own.
std::vector<std::string> table_lines(const drift::DriftReport& report) {
  std::vector<std::string> lines;
  for (const drift::DriftFinding& finding : report.findings) {
    if (finding.rule != drift::DriftRule::Table) continue;
    for (const drift::DriftSample& sample : finding.samples) {
      if (!sample.text.starts_with("index ")) lines.push_back(sample.text);
    }
  }
  return lines;
}

std::string head(const ApplyPlan& plan) {
  std::string text = plan.file + " → table " + plan.table + ": ";
  if (plan.creates_table) return text + "the table does not exist and will be created\n";
  text += "about " + counted(static_cast<std::uint64_t>(std::max<std::int64_t>(plan.items, 0)), "item");
  text += plan.before ? ", governed by the design " + *plan.before + "\n" : ", without a design\n";
  if (plan.resumes) text += "A design was not applied completely; this continues.\n";
  return text;
}

std::string indexes_text(const ApplyPlan& plan) {
  std::string text;
  for (const GlobalIndex& index : plan.indexes.missing)
    text += "  create   " + index.name + " " + keys_of(index) + "\n";
  for (const GlobalIndex& index : plan.indexes.replaced) {
    text += "  replace  " + index.name + " " + keys_of(index) +
            ": its keys or its projection differ, so it is deleted and created, with --delete-indexes\n";
  }
  for (const std::string& name : plan.indexes.unused)
    text += "  delete   " + name + ": the design does not have it; with --delete-indexes\n";
  return text.empty() ? text : "\nIndexes\n" + text;
}

std::string differences_text(const ApplyPlan& plan) {
  if (!plan.before || plan.has_same_text) return "";
  if (plan.differences.empty()) return "\nDesign\n  only comments, documentation or sizes differ\n";
  std::string text = "\nDesign\n";
  for (const Difference& one : plan.differences) text += "  " + workshop::to_text(one) + "\n";
  return text;
}

std::string finding_line(const drift::DriftFinding& finding, std::uint64_t count) {
  const std::string_view rule = drift::name_of(finding.rule);
  return "    " + std::string(rule) + std::string(rule.size() < 16 ? 16 - rule.size() : 1, ' ') +
         (finding.about.empty() ? "" : finding.about + ": ") + std::to_string(count) + "\n";
}

std::string items_text(const drift::DriftReport& report) {
  std::string written;
  std::string left;
  for (const drift::DriftFinding& finding : report.findings) {
    if (!is_of_items(finding)) continue;
    if (finding.computable > 0) written += finding_line(finding, finding.computable);
    if (finding.computable == finding.count) continue;
    left += finding_line(finding, finding.count - finding.computable);
    for (const drift::DriftSample& sample : finding.samples) left += "      " + drift::to_text(sample) + "\n";
  }
  std::string text = "\nItems (" + counted(report.items, "item") + " read)\n";
  if (!written.empty()) {
    text += "  to write (" + counted(report.items_to_write, "item") +
            " rewritten; copies, counters and guards beside them)\n" + written;
  }
  if (!left.empty())
    text += "  cannot follow the design: stay as they are until somebody changes them\n" + left;
  if (written.empty() && left.empty()) text += "  all follow the design\n";
  for (const std::string& line : table_lines(report)) text += "  stays different: " + line + "\n";
  return text;
}

void write_index_names(json::Writer& out, std::string_view name, const std::vector<GlobalIndex>& indexes) {
  out.name(name).begin_list();
  for (const GlobalIndex& index : indexes) out.text(index.name);
  out.end_list();
}

}  // namespace

bool ApplyPlan::is_empty() const {
  return !creates_table && has_same_text && !resumes && indexes.missing.empty() && indexes.replaced.empty();
}

std::size_t ApplyPlan::breaking() const {
  return static_cast<std::size_t>(
      std::ranges::count(differences, Difference::Class::Breaks, &Difference::what));
}

std::uint64_t ApplyPlan::left() const {
  std::uint64_t count = 0;
  if (!read) return count;
  for (const drift::DriftFinding& finding : read->findings)
    count += is_of_items(finding) ? finding.count - finding.computable : 0;
  return count;
}

Result<ApplyPlan> plan_of(const design::Design& design, const PlannedTable& table) {
  ApplyPlan plan{.file = design.file,
                 .design = design.name,
                 .table = design.table.name,
                 .items = table.description.item_count,
                 .resumes = table.is_adopting,
                 .served_from = table.served_from};
  TAVOLA_TRY(plan.indexes, drift::index_changes(design, table.description));
  if (table.is_unreadable) plan.before = "of another version of Tavola, which cannot be compared";
  if (table.stored == nullptr) return plan;
  const design::Design& stored = *table.stored;
  plan.before = stored.name + (stored.revision.empty() ? "" : ", revision " + stored.revision);
  plan.has_same_text = stored.text == design.text;
  plan.differences = workshop::diff(stored, design);
  return plan;
}

std::string to_text(const ApplyPlan& plan) {
  std::string text = head(plan) + indexes_text(plan) + differences_text(plan);
  if (plan.is_empty()) return text + "\nNothing is to be done: the table has this design.\n";
  if (plan.read) {
    text += items_text(*plan.read);
  } else if (!plan.creates_table) {
    text += "\nItems were not read: whether all of them can follow the design is not known.\n";
  }
  if (plan.breaking() > 0)
    text += "\n" + counted(plan.breaking(), "change") + " of the design may break stored items or clients.\n";
  return text;
}

std::string to_json(const ApplyPlan& plan) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("design").text(plan.design);
  out.name("table").text(plan.table);
  out.name("createsTable").boolean(plan.creates_table);
  if (plan.before) out.name("governedBy").text(*plan.before);
  out.name("resumes").boolean(plan.resumes);
  out.name("nothingToDo").boolean(plan.is_empty());
  out.name("indexes").begin_object();
  write_index_names(out, "create", plan.indexes.missing);
  write_index_names(out, "replace", plan.indexes.replaced);
  out.name("delete").begin_list();
  for (const std::string& name : plan.indexes.unused) out.text(name);
  out.end_list();
  out.end_object();
  out.name("differences").raw() += workshop::to_json(plan.differences);
  out.name("breaking").integer(static_cast<std::int64_t>(plan.breaking()));
  if (plan.read) {
    out.name("left").integer(static_cast<std::int64_t>(plan.left()));
    out.name("items").raw() += drift::to_json(*plan.read);
  }
  out.end_object();
  return json;
}

}  // namespace tavola::server
