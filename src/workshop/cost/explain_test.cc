#include "workshop/cost/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "design/lint/overlapping_entities.h"
#include "design/model/plain_json.h"
#include "workshop/test_golden.h"
#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const design::Pattern& pattern(const std::string& name) { return *library().find_pattern(name); }
const design::Operation& operation(const std::string& name) { return *library().find_operation(name); }
const design::Entity& entity(const std::string& name) { return *library().find_entity(name); }

Explanation explained(const std::string& name, const Item& given = {}) {
  const auto explanation = explain(library(), pattern(name), given, kNow);
  EXPECT_TRUE(explanation) << (explanation ? "" : explanation.error().message());
  return explanation.value_or(Explanation{});
}

std::vector<std::string> also(const std::string& name) {
  std::vector<std::string> names;
  for (const design::Entity* other : also_read(library(), pattern(name))) names.push_back(other->name);
  return names;
}

// ---- Units and sizes ----

TEST(Units, RoundUpAsDynamoDBDoes) {
  EXPECT_EQ(to_text(read_units(1, Consistency::Eventual)), "0.5");
  EXPECT_EQ(to_text(read_units(4096, Consistency::Strong)), "1");
  EXPECT_EQ(to_text(read_units(4097, Consistency::Strong)), "2");
  EXPECT_EQ(to_text(read_units(0, Consistency::Eventual)), "0.5")
      << "a request that finds nothing costs as well";
  EXPECT_EQ(to_text(write_units(1024)), "1");
  EXPECT_EQ(to_text(write_units(1025)), "2");
}

TEST(Estimate, ItemsFromTheirFields) {
  // PK READER#<26> 35, SK META 6, readerId 34, name 54, email half of 25, since 25, loanCount 13
  EXPECT_EQ(item_bytes(library(), entity("Reader")), 35U + 6 + 34 + 54 + 13 + 25 + 13);
}

TEST(Estimate, IndexesHoldWhatTheyProject) {
  const design::Design& design = library();
  const std::size_t all = item_bytes(design, entity("Loan"));
  const std::size_t keys = entry_bytes(design, entity("Loan"), *design.find_index("byState"));
  EXPECT_LT(keys, all);
  design::Index whole = *design.find_index("byState");
  whole.projection = {};
  EXPECT_EQ(entry_bytes(design, entity("Loan"), whole), all);
}

TEST(Estimate, OneWriteIsNoTransaction) {
  const OperationEstimate cost = estimate(library(), operation("addBook"));
  EXPECT_FALSE(cost.is_transaction);
  EXPECT_EQ(to_text(cost.write_units), "2") << "the book and its entry in byYear";
}

TEST(Estimate, TransactionsWriteTwice) {
  const OperationEstimate cost = estimate(library(), operation("lendBook"));
  EXPECT_TRUE(cost.is_transaction);
  std::vector<std::string> writes;
  for (const Access& access : cost.writes) writes.push_back(access.what);
  EXPECT_THAT(writes,
              ElementsAre("record of the operation", "transition Book", "put Loan", "copy loans to Reader"));
  // Each counts twice: the record 1, the book and its entry 2, the loan and its entry 2, the reader 1.
  EXPECT_EQ(to_text(cost.write_units), "12");
}

// ---- Patterns ----

TEST(Explain, PlaceholdersWhereNothingIsGiven) {
  const Explanation explanation = explained("loansSince");
  ASSERT_EQ(explanation.reads.size(), 1U);
  EXPECT_EQ(explanation.reads[0].sent.operation, "Query");
  EXPECT_THAT(explanation.reads[0].sent.request, HasSubstr(R"({"S":"READER#<readerId>"})"));
  EXPECT_THAT(explanation.reads[0].sent.request, HasSubstr(R"({"S":"LOAN#<start>"})"));
}

TEST(Explain, NumbersAreMarkedAsWell) {
  const Explanation explanation = explained("booksOfYear");
  EXPECT_THAT(explanation.reads.at(0).sent.request, HasSubstr(R"({"N":"<year>"})"));
  EXPECT_EQ(explanation.reads[0].index, "byYear");
}

TEST(Explain, ExamplesAreTaken) {
  EXPECT_THAT(explained("book").reads.at(0).sent.request, HasSubstr(R"("PK":{"S":"BOOK#b1"})"));
}

TEST(Explain, WhatIsGivenIsTaken) {
  EXPECT_THAT(explained("booksOfYear", {{"year", 1999}}).reads.at(0).sent.request,
              HasSubstr(R"({"N":"1999"})"));
  const auto wrong = explain(library(), pattern("booksOfYear"), {{"year", "old"}}, kNow);
  EXPECT_FALSE(wrong);
  const auto unknown = explain(library(), pattern("booksOfYear"), {{"jahr", 1999}}, kNow);
  EXPECT_FALSE(unknown);
}

TEST(Explain, WhatElseTheKeysReturn) {
  EXPECT_THAT(also("everythingOf"), ElementsAre("Loan"));
  EXPECT_THAT(also("loansOf"), IsEmpty());
  EXPECT_THAT(also("loansSince"), IsEmpty());
  EXPECT_THAT(also("allBooks"), ElementsAre("Reader", "Loan"));
  EXPECT_THAT(also("book"), IsEmpty());
}

TEST(Explain, CostsUpToTheLimit) {
  const Explanation explanation = explained("loansOf");
  ASSERT_FALSE(explanation.reads.at(0).costs.empty());
  EXPECT_EQ(explanation.reads[0].costs.back().items, 50);
  EXPECT_THAT(explained("allBooks").reads.at(0).costs, IsEmpty());
}

TEST(Explain, AsTextAndJson) {
  std::string text;
  std::string json;
  for (const design::Pattern& one : library().patterns) {
    text += to_text(explained(one.name)) + "\n";
    json += to_json(explained(one.name)) + "\n";
  }
  for (const design::Operation& one : library().operations) {
    text += to_text(library(), one) + "\n";
    json += to_json(library(), one) + "\n";
  }
  expect_golden("library/explain.txt", text);
  expect_golden("library/explain.jsonl", json);
}

// ---- Operations ----

TEST(ExplainOperation, OneWrite) {
  const design::Ambient ambient{.now = kNow, .random = &Random::system()};
  const Item given{{"bookId", "b1"}, {"title", "Emma"}, {"year", 1815}};
  const auto reads = explain_reads(library(), operation("addBook"), given, ambient);
  ASSERT_TRUE(reads) << reads.error().message();
  EXPECT_THAT(*reads, IsEmpty());
  const auto writes = explain_writes(library(), operation("addBook"), given, ambient, {});
  ASSERT_TRUE(writes) << writes.error().message();
  ASSERT_TRUE(writes->sent);
  EXPECT_EQ(writes->sent->operation, "PutItem");
  EXPECT_THAT(writes->sent->request, HasSubstr(R"("PK":{"S":"BOOK#b1"})"));
  EXPECT_THAT(to_json(*writes), HasSubstr(R"("name":"ALREADY_EXISTS")"));
  EXPECT_TRUE(yaml::parse(to_json(*writes)).problems.empty());
}

TEST(ExplainOperation, BadParametersAreTold) {
  EXPECT_FALSE(explain_reads(library(), operation("addBook"), {{"title", 5}}, {.now = kNow}));
}

TEST(ExplainOperation, ConsequencesAreWrittenAndWhatTheyNeedIsRead) {
  const design::Design trail = load_design(read_text(TAVOLA_SOURCE_DIR "/src/design/testdata/trail.yaml"));
  const design::Operation& sell = *trail.find_operation("sell");
  EXPECT_THAT(to_text(trail, sell), HasSubstr("  get Shop: about"));
  EXPECT_THAT(to_text(trail, sell), HasSubstr("  consequence lowStock: put Notice: about"));
  EXPECT_THAT(to_text(trail, *trail.find_operation("paint")), Not(HasSubstr("consequence")));
  const design::Ambient ambient{.now = kNow, .random = &Random::system()};
  const Item given{{"shop", "s"}, {"product", "p"}, {"quantity", 3}};
  const Item product{{"PK", "SHOP#s"}, {"SK", "PRODUCT#p"}, {"stock", 7}, {"least", 5}};
  const Item shop{{"PK", "SHOP#s"}, {"SK", "META"}, {"name", "Corner"}, {"mail", "a@example.com"}};
  design::ReadItems found{std::vector<Item>{product}};
  const auto asked = explain_writes(trail, sell, given, ambient, found);
  ASSERT_TRUE(asked) << asked.error().message();
  ASSERT_EQ(asked->unread.size(), 1U);
  EXPECT_THAT(to_json(*asked), HasSubstr(R"({"reads":[{"operation":"GetItem")"));
  found.push_back(std::vector<Item>{shop});
  const auto writes = explain_writes(trail, sell, given, ambient, found);
  ASSERT_TRUE(writes) << writes.error().message();
  ASSERT_TRUE(writes->sent);
  EXPECT_THAT(writes->sent->request, HasSubstr(R"("mail":{"S":"a@example.com"})"));
}

// ---- All designs ----

class ExplainAll : public testing::TestWithParam<std::string> {};
TEST_P(ExplainAll, PatternsWithoutParameters) {
  const design::Design& design = design_of(GetParam());
  for (const design::Pattern& one : design.patterns) {
    const auto explanation = explain(design, one, {}, kNow);
    ASSERT_TRUE(explanation) << one.name << ": " << explanation.error().message();
    EXPECT_TRUE(yaml::parse(to_json(*explanation)).problems.empty()) << to_json(*explanation);
    const bool is_served =
        one.form != design::Pattern::Form::None && one.form != design::Pattern::Form::Transition;
    EXPECT_EQ(explanation->reads.empty(), !is_served) << one.name;
    for (const ExplainedRead& read : explanation->reads) {
      EXPECT_THAT(read.sent.request, HasSubstr(R"("TableName":")" + design.table.name)) << one.name;
      EXPECT_GT(read.item_bytes, 0U);
    }
  }
}
TEST_P(ExplainAll, OperationsWriteSomething) {
  const design::Design& design = design_of(GetParam());
  for (const design::Operation& one : design.operations) {
    const OperationEstimate cost = estimate(design, one);
    EXPECT_GE(cost.writes.size(), one.steps.size()) << one.name;
    EXPECT_GT(cost.write_units.halves, 0) << one.name;
    EXPECT_TRUE(yaml::parse(to_json(design, one)).problems.empty());
  }
}
INSTANTIATE_TEST_SUITE_P(Designs, ExplainAll, testing::ValuesIn(design_files()), test_name);

// ---- Through a server with --upstream ----

TEST(Upstream, OperationsReadWhatTheyCompareUnlessAllIsNew) {
  const auto prices = parse_prices(standard_prices());
  ASSERT_TRUE(prices);
  const std::string text = upstream_text(library(), library().operations, *prices);
  EXPECT_THAT(text, HasSubstr("addBook: nothing; it writes new items alone"));
  // The record of the operation, the book, the loan and the reader: one unit each.
  EXPECT_THAT(text, HasSubstr("lendBook: 4 read units, 0.5 USD for a million times"));
  const std::string json = upstream_json(library(), library().operations, *prices);
  EXPECT_THAT(
      json, HasSubstr(R"("operation":"lendBook","moreReadUnits":4,"moreWriteUnits":0,"morePerMillion":0.5)"));
}

}  // namespace
}  // namespace tavola::workshop
