// A drift report, for people and for programs.
#include <algorithm>

#include "drift/drift.h"
#include "json/writer.h"

namespace tavola::drift {
namespace {

std::string key_text(const Item& key) {
  std::string text;
  for (const auto& [name, value] : key) {
    text += (text.empty() ? "" : ", ") + name + "=" + (value.is_string() ? value.string() : to_json(value));
  }
  return text;
}

std::string_view meaning(DriftRule rule) {
  switch (rule) {
    case DriftRule::Table:
      return "The table differs from the design";
    case DriftRule::UnmatchedItem:
      return "Items of no entity";
    case DriftRule::Field:
      return "Fields that break the design";
    case DriftRule::DerivedValue:
      return "Wrong computed values";
    case DriftRule::IndexKey:
      return "Wrong index keys";
    case DriftRule::EntityAttribute:
      return "Wrong entity attributes";
    case DriftRule::StateKey:
      return "State keys that contradict the fields";
    case DriftRule::CopyMissing:
      return "Missing copies";
    case DriftRule::CopyDifferent:
      return "Copies that differ from their source";
    case DriftRule::CopyOrphaned:
      return "Copies without a source";
    case DriftRule::Counter:
      return "Wrong counters";
    case DriftRule::GuardMissing:
      return "Unique values without a guard";
    case DriftRule::GuardOrphaned:
      return "Guards of unique values without a holder";
    case DriftRule::NotUnique:
      return "Unique values that two items have";
    case DriftRule::Reference:
      return "References to missing items";
    case DriftRule::PatternUnused:
      return "Patterns without a request since the server started";
    case DriftRule::RequestUnexplained:
      return "Requests that no pattern explains";
  }
  return "";
}

std::string outcome(const DriftReport& report, const DriftFinding& finding) {
  if (!report.repair || is_about_use(finding.rule)) return "";
  if (finding.mended == finding.count) return ", repaired";
  std::string text = finding.mended == 0 ? ", left" : ", " + std::to_string(finding.mended) + " repaired";
  if (!finding.why_left.empty()) text += " (" + finding.why_left + ")";
  return text;
}

std::uint64_t sum(const DriftReport& report, std::uint64_t DriftFinding::* number) {
  std::uint64_t total = 0;
  for (const DriftFinding& finding : report.findings) {
    if (!is_about_use(finding.rule)) total += finding.*number;
  }
  return total;
}

std::string summary(const DriftReport& report) {
  const std::uint64_t wrong = sum(report, &DriftFinding::count);
  const std::uint64_t mended = sum(report, &DriftFinding::mended);
  std::string text = report.table + ": " + std::to_string(report.items) + " items, ";
  if (wrong == 0) return text + "no drift\n";
  text += std::to_string(wrong) + (wrong == 1 ? " difference" : " differences") + " from " + report.design;
  if (report.repair) {
    text += ", " + std::to_string(mended) + " repaired, " + std::to_string(wrong - mended) + " not repaired";
  } else {
    text += "; --repair corrects what can be computed";
  }
  return text + "\n";
}

}  // namespace

std::string to_text(const DriftSample& sample) {
  return key_text(sample.key) + (sample.key.empty() ? "" : ": ") + sample.text;
}

std::string findings_text(const DriftReport& report) {
  std::string text;
  std::optional<DriftRule> last;
  for (const DriftFinding& finding : report.findings) {
    if (last != finding.rule) {
      text += std::string(text.empty() ? "" : "\n") + std::string(meaning(finding.rule)) + " (" +
              std::string(name_of(finding.rule)) + ")\n";
    }
    last = finding.rule;
    if (finding.rule == DriftRule::PatternUnused) {
      text += "  " + finding.about + "\n";
      continue;
    }
    text += "  " + (finding.about.empty() ? report.table : finding.about) + ": " +
            std::to_string(finding.count) + outcome(report, finding) + "\n";
    for (const DriftSample& sample : finding.samples) {
      text += "    " + to_text(sample) + "\n";
    }
    if (finding.count > finding.samples.size() && !finding.samples.empty() && !is_about_use(finding.rule)) {
      text += "    and " + std::to_string(finding.count - finding.samples.size()) + " more\n";
    }
  }
  return text;
}

std::string to_text(const DriftReport& report) {
  std::string text = findings_text(report);
  if (!text.empty()) text += "\n";
  for (const std::string& note : report.notes) text += "Note: " + note + ".\n";
  return text + summary(report);
}

std::string to_json(const DriftReport& report) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("design").text(report.design);
  json.name("table").text(report.table);
  json.name("items").integer(static_cast<std::int64_t>(report.items));
  json.name("itemsToWrite").integer(static_cast<std::int64_t>(report.items_to_write));
  json.name("drift").boolean(report.has_drift());
  json.name("findings").begin_list();
  for (const DriftFinding& finding : report.findings) {
    json.begin_object();
    json.name("rule").text(name_of(finding.rule));
    json.name("about").text(finding.about);
    json.name("count").integer(static_cast<std::int64_t>(finding.count));
    json.name("computable").integer(static_cast<std::int64_t>(finding.computable));
    if (report.repair) {
      json.name("mended").integer(static_cast<std::int64_t>(finding.mended));
      if (finding.mended < finding.count) json.name("whyLeft").text(finding.why_left);
    }
    json.name("samples").begin_list();
    for (const DriftSample& sample : finding.samples) {
      json.begin_object();
      if (!sample.key.empty()) json.name("key").raw() += tavola::to_json(sample.key);
      json.name("text").text(sample.text);
      json.end_object();
    }
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.name("notes").begin_list();
  for (const std::string& note : report.notes) json.text(note);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::drift
