// The board, the timeline and the transitions, with the state in an index and in an attribute.
#include <set>
#include <string>

#include "lens/test_shop.h"

namespace tavola::lens {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWithStates = R"(design: 1
name: shop
table: { name: shop, hash: PK, range: SK }
indexes:
  byCountry: { hash: GSI1PK, range: GSI1SK }
entities:
  Site:
    key: { PK: SITE#<siteId>, SK: META }
    ids: { siteId: string }
    index: { byCountry: { hash: COUNTRY#<country>, range: lifecycle(crawl) } }
    attributes:
      country: string
      createdAt: { type: timestamp, auto: create }
      began: timestamp
      ended: timestamp
      why: string
    lifecycles:
      crawl:
        in: byCountry.range
        states:
          NEVER: { key: NEVER#, initial: true }
          PROGRESS: { title: Being crawled, key: PROGRESS#<began>, stuck_after: 2h }
          DONE: { key: DONE#<ended> }
        transitions:
          start: { from: [NEVER, DONE], to: PROGRESS, set: { began: now() } }
          finish: { from: [PROGRESS], to: DONE, set: { ended: now() }, require: [why] }
  Task:
    key: { PK: TASK#<taskId>, SK: META }
    ids: { taskId: string }
    attributes:
      status: { type: enum, values: [OPEN, CLOSED] }
    lifecycles:
      work:
        in: status
        states: { OPEN: { initial: true }, CLOSED: { terminal: true } }
        transitions: { close: { from: [OPEN], to: CLOSED } }
operations:
  startCrawl: { steps: [{ transition: Site.start, as: site }], returns: site }
)";

class LifecyclesTest : public ShopTest {
 protected:
  LifecyclesTest() : ShopTest(kWithStates) {}
  void fill() override {
    put({{"PK", "SITE#a"}, {"SK", "META"}, {"country", "DE"}});
    put({{"PK", "SITE#b"}, {"SK", "META"}, {"country", "DE"}});
    put({{"PK", "SITE#c"}, {"SK", "META"}, {"country", "FR"}});
    put({{"PK", "TASK#1"}, {"SK", "META"}});
    start("b");
  }
  void start(const std::string& site) {
    const runner::Runner runner({.database = *database_, .design = design_, .clock = clock_});
    ASSERT_TRUE(runner.perform(*design_.find_operation("startCrawl"), {{"siteId", site}}));
  }
  static std::string ids(const json::Node& column) {
    std::string text;
    for (const json::Node& item : column.find("items")->elements) {
      text += item.find("key")->find("PK")->text_at("S") + (item.text_at("stuck") == "true" ? "! " : " ");
    }
    return text;
  }

  static constexpr std::string_view kGermany =
      R"({"entity":"Site","lifecycle":"crawl","parameters":{"country":"DE"}})";
};

TEST_F(LifecyclesTest, ABoardAsksWhichPartitionIsMeant) {
  const std::string board = seen("board", R"({"entity":"Site"})");
  EXPECT_TRUE(board.starts_with(
      R"({"by":"index","index":"byCountry","needs":["country"],)"
      R"("choices":[{"fields":{"country":"DE"},"items":2},{"fields":{"country":"FR"},"items":1}])"))
      << board;
}

TEST_F(LifecyclesTest, AColumnIsReadFromTheIndex) {
  const json::Node board = answer("board", kGermany);
  EXPECT_EQ(board.find("choices"), nullptr);
  const auto& columns = board.find("columns")->elements;
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].text_at("state") + ": " + ids(columns[0]), "NEVER: SITE#a ");
  EXPECT_EQ(columns[1].text_at("title") + ": " + ids(columns[1]), "Being crawled: SITE#b ");
  EXPECT_EQ(columns[1].text_at("stuckAfter"), "7200000");
  EXPECT_EQ(columns[2].text_at("state") + ": " + ids(columns[2]), "DONE: ");
  EXPECT_EQ(columns[1].find("items")->elements[0].text_at("since"), "2027-01-15T08:00:00Z");
}

TEST_F(LifecyclesTest, WhatStaysTooLongIsStuck) {
  clock_.advance(2h - 1ms);
  EXPECT_EQ(ids(answer("board", kGermany).find("columns")->elements[1]), "SITE#b ");
  clock_.advance(1ms);
  EXPECT_EQ(ids(answer("board", kGermany).find("columns")->elements[1]), "SITE#b! ");
}

TEST_F(LifecyclesTest, OneColumnIsReadFurther) {
  put({{"PK", "SITE#d"}, {"SK", "META"}, {"country", "DE"}});
  const std::string state = R"({"entity":"Site","parameters":{"country":"DE"},"state":"NEVER","limit":1)";
  const json::Node first = answer("board", state + "}");
  ASSERT_EQ(first.find("columns")->elements.size(), 1U);
  const json::Node& column = first.find("columns")->elements[0];
  EXPECT_EQ(ids(column), "SITE#a ");
  const std::string text = seen("board", state + "}");
  const json::Node& next = *column.find("next");
  const json::Node rest =
      answer("board", state + ",\"page\":" + text.substr(next.begin, next.end - next.begin) + "}");
  EXPECT_EQ(ids(rest.find("columns")->elements[0]), "SITE#d ");
}

TEST_F(LifecyclesTest, WithoutAnIndexABoardScans) {
  const json::Node board = answer("board", R"({"entity":"Task"})");
  EXPECT_EQ(board.text_at("by"), "scan");
  EXPECT_EQ(ids(board.find("columns")->elements[0]), "TASK#1 ");
}

TEST_F(LifecyclesTest, AScannedColumnLeavesNothingOut) {
  std::set<std::string> expected{"TASK#1"};
  for (const char* task : {"TASK#2", "TASK#3", "TASK#4", "TASK#5"}) {
    put({{"PK", task}, {"SK", "META"}});
    expected.insert(task);
  }
  std::set<std::string> found;
  std::string page = "null";
  do {
    const std::string text =
        seen("board", R"({"entity":"Task","state":"OPEN","limit":2,"page":)" + page + "}");
    const auto board = json::parse(text);
    ASSERT_TRUE(board && board->find("columns") != nullptr) << text;
    const json::Node& column = board->find("columns")->elements[0];
    for (const json::Node& item : column.find("items")->elements)
      found.insert(item.find("key")->find("PK")->text_at("S"));
    const json::Node& next = *column.find("next");
    page = text.substr(next.begin, next.end - next.begin);
  } while (page != "null");
  EXPECT_EQ(found, expected);
}

TEST_F(LifecyclesTest, TransitionsNameTheirOperationsAndNeeds) {
  const std::string board = seen("board", kGermany);
  EXPECT_TRUE(board.contains(
      R"("transitions":[{"name":"start","title":"","doc":"","from":["NEVER","DONE"],"to":"PROGRESS",)"
      R"("operations":["startCrawl"],"needs":[]},)"
      R"({"name":"finish","title":"","doc":"","from":["PROGRESS"],"to":"DONE","operations":[],)"
      R"("needs":[{"name":"why","type":"string","required":true}]}])"))
      << board;
}

TEST_F(LifecyclesTest, AMoveIsARequestThatChangesTheState) {
  const std::string finish = R"({"key":{"PK":{"S":"SITE#b"},"SK":{"S":"META"}},"transition":"finish")";
  EXPECT_EQ(seen("move", finish + "}"), "why is required");
  const json::Node request = answer("move", finish + R"(,"parameters":{"why":"all read"}})");
  EXPECT_EQ(request.text_at("operation"), "UpdateItem");
  ASSERT_NE(request.find("request"), nullptr);
  EXPECT_EQ(request.find("request")->text_at("TableName"), "shop");
  EXPECT_EQ(ids(answer("board", kGermany).find("columns")->elements[1]), "SITE#b ");  // nothing was sent
}

TEST_F(LifecyclesTest, AMoveFromAnotherStateIsRefused) {
  const json::Node refused = answer(
      "move",
      R"({"key":{"PK":{"S":"SITE#a"},"SK":{"S":"META"}},"transition":"finish","parameters":{"why":"x"}})");
  ASSERT_NE(refused.find("refused"), nullptr);
  EXPECT_EQ(refused.find("refused")->text_at("name"), "WRONG_STATE");
}

TEST_F(LifecyclesTest, TheTimelineSaysWhatTimestampsMean) {
  EXPECT_TRUE(
      seen("timeline", R"({"key":{"PK":{"S":"SITE#b"},"SK":{"S":"META"}}})")
          .contains(R"("states":[{"lifecycle":"crawl","state":"PROGRESS","since":"2027-01-15T08:00:00Z",)"
                    R"("stuck":false,"stuckAt":"2027-01-15T10:00:00Z"}])"));
  const json::Node events = answer("timeline", R"({"key":{"PK":{"S":"SITE#b"},"SK":{"S":"META"}}})");
  std::string text;
  for (const json::Node& event : events.find("events")->elements) {
    text += event.text_at("field") + ": " + event.text_at("what") + "\n";
  }
  EXPECT_TRUE(text.contains("createdAt: created\n")) << text;
  EXPECT_TRUE(text.contains("began: start: became PROGRESS\n")) << text;
}

}  // namespace
}  // namespace tavola::lens
