// Drift: a sample has none; each kind of damage is found, and nothing beside it; what can be computed is mended.
// testdata/drift.jsonl has the kinds of damage.
#include "workshop/drift.h"

#include <fstream>

#include <gtest/gtest.h>
#include <tavola/table.h>

#include "base/overloaded.h"
#include "design/companions.h"
#include "design/plain_json.h"
#include "design/table_schema.h"
#include "runner/meddled_database.h"
#include "workshop/drift_design.h"
#include "workshop/test_designs.h"

namespace tavola::workshop {
namespace {

using design::Companion;
using design::Design;

// A table with the sample of a design, and the guards of what is unique in it.
class SampledTable {
 public:
  explicit SampledTable(const Design& design, Size size = Size::Small)
      : design_(design), database_(open_in_memory()), table_(*database_, design.table.name) {
    EXPECT_TRUE(database_->create_table(design::table_schema(design)));
    if (!design.table.ttl.empty()) {
      EXPECT_TRUE(database_->update_time_to_live(
          {.table_name = design.table.name, .attribute_name = design.table.ttl, .enabled = true}));
    }
    for (const Sampled& one : sampled(design, size)) add(one);
  }

  Database& database() { return *database_; }
  Table& table() { return table_; }

  DriftReport drift(DriftOptions options = {}) {
    Result<DriftReport> report = find_drift(design_, *database_, options);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : DriftReport();
  }

  // The nth item of an entity with these fields.
  Item pick(const std::string& entity, std::int64_t nth, const Map& where) {
    for (const Sampled& one : sampled_) {
      const bool fits = one.entity->name == entity && std::ranges::all_of(where, [&](const auto& field) {
                          const auto value = one.fields.find(field.first);
                          return value != one.fields.end() && value->second == field.second;
                        });
      if (fits && nth-- == 0) return *design::to_item(design_, *one.entity, one.fields);
    }
    ADD_FAILURE() << "the sample has no such " << entity;
    return {};
  }

 private:
  void add(const Sampled& one) {
    const Result<Item> item = design::to_item(design_, *one.entity, one.fields);
    ASSERT_TRUE(item) << item.error().message();
    ASSERT_TRUE(table_.put(*item));
    const auto companions = design::companions_of(design_, *one.entity, nullptr, &one.fields, {.now = kNow});
    ASSERT_TRUE(companions) << companions.error().message();
    for (const Companion& companion : *companions) {
      if (companion.kind != Companion::Kind::Claim) continue;
      ASSERT_TRUE(table_.put(companion.item));
    }
    sampled_.push_back(one);
  }

  const Design& design_;
  std::unique_ptr<Database> database_;
  Table table_;
  std::vector<Sampled> sampled_;
};

// "counter Site.ratingSum 1", of what is wrong and was not mended.
std::vector<std::string> told(const DriftReport& report) {
  std::vector<std::string> lines;
  for (const DriftFinding& finding : report.findings) {
    const std::uint64_t left = finding.count - finding.mended;
    if (left == 0) continue;
    lines.push_back(std::string(name_of(finding.rule)) + " " + (finding.about.empty() ? "-" : finding.about) +
                    " " + std::to_string(left));
  }
  return lines;
}

class DriftOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Designs, DriftOf, testing::ValuesIn(design_files()), test_name);

TEST_P(DriftOf, ASampleHasNone) {
  SampledTable table(design_of(GetParam()), Size::Medium);
  const DriftReport report = table.drift();
  EXPECT_EQ(told(report), std::vector<std::string>()) << to_text(report);
  EXPECT_FALSE(report.has_drift());
  EXPECT_GT(report.items, 1'000U);
}

}  // namespace
}  // namespace tavola::workshop
