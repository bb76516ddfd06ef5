// Drift: a sample has none; each kind of damage is found, and no other; computable values are repaired.
// testdata/drift.jsonl lists the kinds of damage.
#include "drift/drift.h"

#include <fstream>

#include <gtest/gtest.h>

#include <tavola/table.h>

#include "database/forwarding_database.h"
#include "design/items/dependent_writes.h"
#include "design/items/table_schema.h"
#include "design/model/plain_json.h"
#include "drift/adopt.h"
#include "runner/test_meddled_database.h"
#include "workshop/test_designs.h"

namespace tavola::drift {
namespace {

using design::DependentWrite;
using design::Design;

// A table with the sample of a design, and the guards of its unique values.
class SampledTable {
 public:
  explicit SampledTable(const Design& design, workshop::Size size = workshop::Size::Small)
      : design_(design), database_(open_in_memory()), table_(*database_, design.table.name) {
    EXPECT_TRUE(database_->create_table(design::table_schema(design)));
    if (!design.table.ttl.empty()) {
      EXPECT_TRUE(database_->update_time_to_live(
          {.table_name = design.table.name, .attribute_name = design.table.ttl, .enabled = true}));
    }
    for (const workshop::Sampled& one : sampled(design, size)) add(one);
  }

  Database& database() { return *database_; }
  Table& table() { return table_; }

  DriftReport drift(DriftOptions options = {}) {
    Result<DriftReport> report = find_drift(design_, *database_, options);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : DriftReport();
  }

  // Applies one step of a line of testdata/drift.jsonl.
  void damage(const Map& step) {
    if (step.contains("put")) {
      EXPECT_TRUE(table_.put(step.at("put").map()));
      return;
    }
    const workshop::Sampled* const one = pick(step);
    ASSERT_NE(one, nullptr);
    Item item = *design::to_item(design_, *one->entity, one->fields);
    if (step.contains("guard")) item = guard_of(*one);
    if (step.contains("delete")) {
      EXPECT_TRUE(table_.remove(key_of(item)));
      return;
    }
    for (const auto& [name, value] : map_in(step, "set")) item.insert_or_assign(name, value);
    for (const Value& name : list_in(step, "remove")) item.erase(name.string());
    for (const Value& name : list_in(step, "take")) {
      item.insert_or_assign(name.string(), first(one->entity->name)->fields.at(name.string()));
    }
    EXPECT_TRUE(table_.put(item));
  }

 private:
  void add(const workshop::Sampled& one) {
    const Result<Item> item = design::to_item(design_, *one.entity, one.fields);
    ASSERT_TRUE(item) << item.error().message();
    ASSERT_TRUE(table_.put(*item));
    const auto dependent_writes =
        design::dependent_writes_of(design_, *one.entity, nullptr, &one.fields, {.now = workshop::kNow});
    ASSERT_TRUE(dependent_writes) << dependent_writes.error().message();
    for (const DependentWrite& dependent : *dependent_writes) {
      if (dependent.kind != DependentWrite::Kind::Claim) continue;
      ASSERT_TRUE(table_.put(dependent.item));
    }
    sampled_.push_back(one);
  }

  static Map map_in(const Map& step, const char* name) {
    const auto found = step.find(name);
    return found == step.end() ? Map() : found->second.map();
  }
  static List list_in(const Map& step, const char* name) {
    const auto found = step.find(name);
    return found == step.end() ? List() : found->second.list();
  }

  const workshop::Sampled* first(const std::string& entity) const {
    const auto found =
        std::ranges::find(sampled_, entity, [](const workshop::Sampled& one) { return one.entity->name; });
    return found == sampled_.end() ? nullptr : &*found;
  }

  const workshop::Sampled* pick(const Map& step) const {
    Map where = map_in(step, "where");
    const std::string& entity = step.at("of").string();
    for (const Value& name : list_in(step, "like"))
      where[name.string()] = first(entity)->fields.at(name.string());
    Number nth = step.contains("nth") ? step.at("nth").number() : Number(0);
    for (const workshop::Sampled& one : sampled_) {
      const bool fits = one.entity->name == entity && std::ranges::all_of(where, [&](const auto& field) {
                          const auto value = one.fields.find(field.first);
                          return value != one.fields.end() && value->second == field.second;
                        });
      const bool has_all = std::ranges::all_of(
          list_in(step, "has"), [&](const Value& name) { return one.fields.contains(name.string()); });
      if (!fits || !has_all) continue;
      if (nth.is_zero()) return &one;
      nth = *(nth - Number(1));
    }
    ADD_FAILURE() << "the sample has no such " << entity;
    return nullptr;
  }

  Item guard_of(const workshop::Sampled& one) const {
    const auto dependent_writes =
        design::dependent_writes_of(design_, *one.entity, nullptr, &one.fields, {.now = workshop::kNow});
    for (const DependentWrite& dependent : *dependent_writes) {
      if (dependent.kind == DependentWrite::Kind::Claim) return dependent.item;
    }
    ADD_FAILURE() << one.entity->name << " has no guard";
    return {};
  }

  Item key_of(const Item& item) const {
    return {{design_.table.hash.name, item.at(design_.table.hash.name)},
            {design_.table.range->name, item.at(design_.table.range->name)}};
  }

  const Design& design_;
  std::unique_ptr<Database> database_;
  Table table_;
  std::vector<workshop::Sampled> sampled_;
};

// Returns "counter Site.ratingSum 1", for each difference that was not repaired.
std::vector<std::string> findings(const DriftReport& report) {
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
INSTANTIATE_TEST_SUITE_P(Designs, DriftOf, testing::ValuesIn(workshop::design_files()), workshop::test_name);

TEST_P(DriftOf, ASampleHasNone) {
  SampledTable table(workshop::design_of(GetParam()), workshop::Size::Medium);
  const DriftReport report = table.drift();
  EXPECT_EQ(findings(report), std::vector<std::string>()) << to_text(report);
  EXPECT_FALSE(report.has_drift());
  EXPECT_GT(report.items, 1'000U);
}

struct Damage {
  std::string name;
  std::string design;
  List steps;
  std::vector<std::string> finds;
  std::vector<std::string> left;
};

std::vector<Damage> all_damage() {
  std::vector<Damage> all;
  std::ifstream in(TAVOLA_SOURCE_DIR "/src/drift/testdata/drift.jsonl");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const Result<Value> read = design::parse_plain_json(line);
    EXPECT_TRUE(read) << line << read.error().message();
    if (!read) continue;
    const Map& one = read->map();
    const auto texts = [&](const char* name) {
      std::vector<std::string> lines;
      for (const Value& text : one.at(name).list()) lines.push_back(text.string());
      return lines;
    };
    all.push_back({one.at("name").string(), one.at("design").string(), one.at("steps").list(), texts("finds"),
                   texts("left")});
  }
  return all;
}

std::uint64_t sum(const DriftReport& report, std::uint64_t DriftFinding::* number) {
  std::uint64_t total = 0;
  for (const DriftFinding& finding : report.findings) total += finding.*number;
  return total;
}

TEST(Drift, EachKindOfDamageIsFoundAndMendedAndNothingElse) {
  const std::vector<Damage> all = all_damage();
  EXPECT_GT(all.size(), 30U);
  for (const Damage& damage : all) {
    SCOPED_TRACE(damage.name);
    SampledTable table(workshop::design_of(damage.design));
    for (const Value& step : damage.steps) table.damage(step.map());
    const DriftReport report = table.drift();
    EXPECT_EQ(findings(report), damage.finds) << to_text(report);
    EXPECT_EQ(report.has_drift(), !damage.finds.empty());
    const DriftReport mended = table.drift({.repair = true});
    EXPECT_EQ(findings(mended), damage.left) << to_text(mended);
    EXPECT_EQ(sum(report, &DriftFinding::computable), sum(mended, &DriftFinding::mended)) << to_text(mended);
    const DriftReport again = table.drift();
    EXPECT_EQ(findings(again), damage.left) << to_text(again);
  }
}

TEST(Drift, CountersAreCountedInSharesWhenTheyAreMany) {
  SampledTable table(workshop::design_of("fus-main.yaml"));
  for (int nth = 0; nth < 3; ++nth) {
    table.damage({{"of", "Site"}, {"nth", nth}, {"set", Map{{"commentCount", 999}}}});
  }
  const std::vector<std::string> expected{"counter Site.commentCount 3"};
  EXPECT_EQ(findings(table.drift()), expected);
  EXPECT_EQ(findings(table.drift({.totals_max = 3})), expected);
  EXPECT_EQ(findings(table.drift({.totals_max = 1})), expected);
  EXPECT_EQ(findings(table.drift({.repair = true, .totals_max = 3})), std::vector<std::string>());
  EXPECT_EQ(findings(table.drift()), std::vector<std::string>());
}

TEST(Drift, OnlySoManySamplesAreKept) {
  SampledTable table(workshop::design_of("InventorySystem.yaml"));
  for (int nth = 0; nth < 4; ++nth) {
    table.damage({{"of", "Sale"}, {"nth", nth}, {"set", Map{{"totalAmount", 1}}}});
  }
  const DriftReport report = table.drift({.samples_max = 2});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings.front().count, 4U);
  EXPECT_EQ(report.findings.front().samples.size(), 2U);
  EXPECT_NE(to_text(report).find("and 2 more"), std::string::npos);
}

// ---- Concurrent writes

const Item kShopKey{{"PK", "SHOP#s1"}, {"SK", "META"}};
const Item kShop{{"PK", "SHOP#s1"}, {"SK", "META"},    {"entityType", "SHOP"},
                 {"shopId", "s1"},  {"name", "Lamps"}, {"ownerId", "anna"}};
const Item kProduct{{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}, {"entityType", "PRODUCT"},
                    {"shopId", "s1"},  {"productId", "p1"},  {"name", "Lamp"},
                    {"sku", "L1"},     {"unitPrice", 5}};

class DriftMeanwhile : public testing::Test {
 protected:
  DriftMeanwhile() : design_(workshop::design_of("InventorySystem.yaml")), database_(open_in_memory()) {
    EXPECT_TRUE(database_->create_table(design::table_schema(design_)));
  }

  // Repairs while `meddle` is called once, before the first request of this operation.
  DriftReport mended(std::string_view operation, const std::function<void()>& meddle) {
    bool is_done = false;
    runner::MeddledDatabase meddled(*database_, [&](std::string_view asked) -> Result<void> {
      if (asked == operation && !is_done) {
        is_done = true;
        meddle();
      }
      return {};
    });
    const Result<DriftReport> report = find_drift(design_, meddled, {.repair = true});
    EXPECT_TRUE(is_done);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : DriftReport();
  }

  const Design& design_;
  std::unique_ptr<Database> database_;
  Table table_{*database_, "InventorySystem"};
};

TEST_F(DriftMeanwhile, AnItemIsComputedAnew) {
  ASSERT_TRUE(table_.put(kShop));
  Item product = kProduct;
  product["category"] = "old";
  product["GSI1SK"] = "PRODUCT#p1";
  ASSERT_TRUE(table_.put(product));
  const DriftReport report = mended("UpdateItem", [&] {
    product["category"] = "new";
    product["added"] = 1;
    EXPECT_TRUE(table_.put(product));
  });
  EXPECT_FALSE(report.has_drift()) << to_text(report);
  const auto stored = *table_.get({{"PK", "SHOP#s1"}, {"SK", "PRODUCT#p1"}});
  EXPECT_EQ(stored->at("GSI1PK"), Value("SHOP#s1#CATEGORY#new"));
  EXPECT_EQ(stored->at("added"), Value(1));
}

TEST_F(DriftMeanwhile, ACopyIsMadeOfWhatItsSourceIsThen) {
  ASSERT_TRUE(table_.put(kShop));
  const DriftReport report = mended("TransactWriteItems", [&] {
    EXPECT_TRUE(
        table_.update(kShopKey, "SET #n = :n", {.values = {{":n", "Chairs"}}, .names = {{"#n", "name"}}}));
  });
  EXPECT_FALSE(report.has_drift()) << to_text(report);
  const auto copy = *table_.get({{"PK", "USER#anna"}, {"SK", "SHOP#s1"}});
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->at("name"), Value("Chairs"));
}

TEST_F(DriftMeanwhile, ACopyWhoseSourceComesBackStays) {
  ASSERT_TRUE(table_.put({{"PK", "USER#anna"},
                          {"SK", "SHOP#s1"},
                          {"entityType", "OWNED_SHOP"},
                          {"ownerId", "anna"},
                          {"shopId", "s1"},
                          {"name", "Lamps"}}));
  const DriftReport report = mended("TransactWriteItems", [&] { EXPECT_TRUE(table_.put(kShop)); });
  EXPECT_TRUE(report.findings.empty()) << to_text(report);
  EXPECT_TRUE(*table_.get({{"PK", "USER#anna"}, {"SK", "SHOP#s1"}}));
}

TEST_F(DriftMeanwhile, WhatLooksWrongIsReadAgainBeforeItIsTold) {
  ASSERT_TRUE(table_.put(kShop));
  // GetItem reads the copy; by then the shop has lost its owner.
  const DriftReport report =
      mended("GetItem", [&] { EXPECT_TRUE(table_.update(kShopKey, "REMOVE ownerId")); });
  EXPECT_TRUE(report.findings.empty()) << to_text(report);
}

TEST_F(DriftMeanwhile, WhatIsRefusedIsLeftWithTheReason) {
  ASSERT_TRUE(table_.put(kShop));
  runner::MeddledDatabase strict(*database_, [](std::string_view asked) -> Result<void> {
    if (asked == "TransactWriteItems") return fail(Error::validation("OwnedShop is a copy"));
    return {};
  });
  const Result<DriftReport> report = find_drift(design_, strict, {.repair = true});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->has_drift());
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings.front().why_left, "OwnedShop is a copy");
}

// ---- The table, and its use

TEST(DriftOfTable, KeysIndexesAndTimeToLiveAreCompared) {
  const Design& design = workshop::design_of("InventorySystem.yaml");
  const std::unique_ptr<Database> database = open_in_memory();
  EXPECT_FALSE(find_drift(design, *database, {}));  // there is none
  CreateTableRequest other = design::table_schema(design);
  other.global_indexes.pop_back();
  other.global_indexes.front().projection = {.type = ProjectionType::KeysOnly};
  std::erase_if(other.attribute_definitions,
                [](const AttributeDefinition& one) { return one.name.starts_with("GSI2"); });
  ASSERT_TRUE(database->create_table(other));
  ASSERT_TRUE(database->update_time_to_live(
      {.table_name = design.table.name, .attribute_name = "until", .enabled = true}));
  const Result<DriftReport> report = find_drift(design, *database, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(findings(*report), std::vector<std::string>{"table - 3"});
  std::vector<std::string> texts;
  for (const DriftSample& sample : report->findings.front().samples) texts.push_back(sample.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"index GSI1 projects KEYS_ONLY, not ALL",
                                             "index GSI2 is missing", "time to live is by until, not off"}));
}

TEST(DriftOfTable, ItemsOfAnotherKeyAreNotRead) {
  const Design& design = workshop::design_of("InventorySystem.yaml");
  const std::unique_ptr<Database> database = open_in_memory();
  ASSERT_TRUE(database->create_table({.table_name = design.table.name,
                                      .attribute_definitions = {{"id", Type::String}},
                                      .key_schema = {{"id", KeyType::Hash}}}));
  Table table(*database, design.table.name);
  ASSERT_TRUE(table.put({{"id", "x"}}));
  const Result<DriftReport> report = find_drift(design, *database, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->has_drift());
  EXPECT_EQ(report->items, 0U);
}

TEST(DriftOfUse, IsToldAndIsNoDrift) {
  SampledTable table(workshop::design_of("InventorySystem.yaml"));
  drift::RequestsSeen seen(workshop::design_of("InventorySystem.yaml"));
  seen.note(ScanRequest{.table_name = "InventorySystem", .index_name = "GSI1"});
  seen.note_get(*pack(kShopKey));
  const drift::RequestCounts counts = seen.counts();
  const DriftReport report = table.drift({.requests = &counts});
  EXPECT_FALSE(report.has_drift());
  const std::vector<std::string> lines = findings(report);
  EXPECT_EQ(std::ranges::count(lines, "request-unexplained Scan of GSI1 1"), 1);
  EXPECT_EQ(std::ranges::count(lines, "pattern-unused listProducts 1"), 1);
  EXPECT_EQ(std::ranges::count(lines, "pattern-unused getShop 1"), 0);
  EXPECT_EQ(table.drift().notes.size(), 1U);  // requests were not counted
}

// Records how a table is governed.
class GovernedSteps final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  using Step = GovernTableRequest::Adoption;

  Result<GovernTableResponse> govern_table(const GovernTableRequest& request) override {
    steps.push_back(request.adoption);
    return ForwardingDatabase::govern_table(request);
  }

  std::vector<Step> steps;
};

// While a table is adopted, violations are counted and not refused. A change that affects no item needs no such time.
TEST(Adoption, OfADesignThatLeavesItemsAsTheyAreChecksNothing) {
  using Step = GovernedSteps::Step;
  const Design first = workshop::design_of("InventorySystem.yaml");
  SampledTable sample(first);
  GovernedSteps database(sample.database());
  ASSERT_TRUE(adopt_table(first, database, {}));
  EXPECT_EQ(database.steps, (std::vector<Step>{Step::Begin, Step::End}));
  const auto steps_of = [&](const std::string& text) {
    database.steps.clear();
    const Result<Adopted> adopted = adopt_table(workshop::load_design(text), database, {});
    EXPECT_TRUE(adopted && adopted->is_enforced && adopted->is_complete());
    EXPECT_EQ((*database.governing_design(first.table.name))->text, text);
    return database.steps;
  };
  const std::string commented = "# A comment\n" + first.text;
  EXPECT_EQ(steps_of(commented), std::vector<Step>{Step::None});
  std::string titled = first.text;
  titled.replace(titled.find("A UUID unless"), std::string_view("A UUID unless").size(), "Random unless");
  EXPECT_EQ(steps_of(titled), std::vector<Step>{Step::None});
  std::string bounded = titled;
  bounded.replace(bounded.find("max_length: 200"), std::string_view("max_length: 200").size(),
                  "max_length: 300");
  EXPECT_EQ(steps_of(bounded), (std::vector<Step>{Step::Begin, Step::End}));
}

TEST(DriftText, TellsWhatIsAndWhatShouldBe) {
  DriftReport report{.design = "music", .table = "songs", .items = 3, .repair = false};
  EXPECT_EQ(to_text(report), "songs: 3 items, no drift\n");
  report.findings.push_back({.rule = DriftRule::Counter,
                             .about = "Site.ratingSum",
                             .count = 2,
                             .mended = 1,
                             .samples = {{{{"PK", "SITE#a"}}, "ratingSum is 3, counted 5"}},
                             .why_left = "it is not a number"});
  report.notes = {"something was not looked at"};
  EXPECT_EQ(to_text(report),
            "Wrong counters (counter)\n  Site.ratingSum: 2\n    PK=SITE#a: ratingSum is 3, counted 5\n"
            "    and 1 more\n\nNote: something was not looked at.\n"
            "songs: 3 items, 2 differences from music; --repair corrects what can be computed\n");
  report.repair = true;
  EXPECT_NE(to_text(report).find("Site.ratingSum: 2, 1 repaired (it is not a number)"), std::string::npos);
  const Result<Value> json = design::parse_plain_json(to_json(report));
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(json->map().at("drift"), Value(true));
  EXPECT_EQ(json->map().at("findings").list().front().map().at("rule"), Value("counter"));
}

}  // namespace
}  // namespace tavola::drift
