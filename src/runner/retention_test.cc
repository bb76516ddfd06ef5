// The effect of a design's retention on patterns, steps and items.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/load.h"
#include "runner/runner.h"

namespace tavola::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kNotes = R"(design: 1
name: notes
table: { name: notes, hash: PK, range: SK, ttl: expiresAt }
indexes:
  byTag: { hash: TAGPK, range: TAGSK, project: all }
entities:
  Note:
    key: { PK: OWNER#<owner>, SK: NOTE#<id> }
    index: { byTag: { hash: TAG#<tag>, range: NOTE#<id>, when: NOT exists(deletedAt) } }
    attributes:
      owner: { required: true }
      id: { required: true }
      tag: string
      text: string
      state: string
      deletedAt: timestamp
    lifecycles:
      state:
        in: state
        states: { OPEN: { initial: true }, DONE: { terminal: true } }
        transitions: { finish: { from: [OPEN], to: DONE } }
  Session:
    key: { PK: SESSION#<id>, SK: SESSION }
    attributes: { id: { required: true }, startedAt: { type: timestamp, required: true } }
  Visit:
    key: { PK: VISIT#<id>, SK: VISIT }
    attributes: { id: { required: true }, at: { type: timestamp(epoch_ms), required: true } }
  Code:
    key: { PK: CODE#<id>, SK: CODE }
    attributes:
      id: { required: true }
      at: { type: timestamp(epoch_s), required: true }
      expiresAt: timestamp(epoch_s)
  Ticket:
    key: { PK: TICKET#<id>, SK: TICKET }
    attributes: { id: { required: true }, expiresAt: { type: timestamp(epoch_s), required: true } }
patterns:
  note: { get: Note }
  anyNote: { get: Note, filter: exists(deletedAt) OR exists(owner) }
  notesOf: { query: Note, via: table, hash: OWNER#<owner> }
  shortNotesOf: { query: Note, via: table, hash: OWNER#<owner>, filter: size(text) < :n OR text = 'x', params: { n: { type: integer } } }
  deletedOf: { query: Note, via: table, hash: OWNER#<owner>, filter: exists(deletedAt), accept: { soft-delete-listed: On purpose. } }
  tagged: { query: Note, via: byTag, hash: TAG#<tag> }
  allNotes: { scan: Note, accept: { scan: Small. } }
  both: { union: [notesOf, tagged] }
  session: { get: Session }
operations:
  add: { steps: [ { put: Note, exists: false } ] }
  write: { steps: [ { update: Note, take: [text] } ] }
  finish: { steps: [ { transition: Note.finish } ] }
  check: { steps: [ { check: Note, otherwise: NO_NOTE } ] }
  remove: { steps: [ { update: Note, set: { deletedAt: now() } } ] }
  restore: { steps: [ { update: Note, require: { that: exists(deletedAt), otherwise: NOT_DELETED }, remove: [deletedAt] } ] }
  erase: { steps: [ { delete: Note } ] }
  start: { steps: [ { put: Session, set: { startedAt: now() } } ] }
  visit: { steps: [ { put: Visit, set: { at: now() } } ] }
  issue: { steps: [ { put: Code, set: { at: now() } } ] }
  sell: { steps: [ { put: Ticket } ] }
retention:
  Note: { delete: soft, attribute: deletedAt }
  Session: { expire: true, after: 30d, by: startedAt }
  Visit: { expire: true, after: 1h, by: at }
  Code: { expire: true, after: 90s, by: at }
  Ticket: { expire: true, after: 0s, by: expiresAt }
)";

class FixedClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(std::chrono::milliseconds(1'700'000'000'500)); }
};

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() { EXPECT_TRUE(runner().prepare_table()); }

  static design::Design load() {
    design::Loaded loaded = design::load(kNotes, "notes.yaml");
    for (const design::Diagnostic& one : loaded.diagnostics) {
      EXPECT_NE(one.code, "soft-delete-listed") << to_text(one, kNotes);
      if (one.severity == design::Severity::Error) ADD_FAILURE() << to_text(one, kNotes);
    }
    return *std::move(loaded.design);
  }
  Runner runner() {
    return Runner({.database = *database_, .design = design_, .clock = clock_, .secret = "s"});
  }

  // "done", or the name of the refusal.
  std::string perform(std::string_view operation, const Item& given) {
    const Result<Done> done = runner().perform(*design_.find_operation(operation), given);
    if (done) return "done";
    const auto* refusal = done.error().detail<design::Refusal>();
    return refusal == nullptr ? done.error().message() : refusal->name;
  }
  // Returns the ids that a pattern finds.
  std::vector<std::string> ask(std::string_view pattern, const Item& parameters,
                               std::optional<std::int64_t> limit = std::nullopt) {
    const Result<Found> found =
        runner().ask(*design_.find_pattern(pattern), {.parameters = parameters, .limit = limit, .page = {}});
    EXPECT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->next, "") << pattern;
    std::vector<std::string> ids;
    for (const Found::One& one : found->entities) ids.push_back(one.fields.at("id").string());
    return ids;
  }
  std::optional<Value> expiry(const std::string& kind) {
    const auto got =
        database_->get_item({.table_name = "notes", .key = *pack({{"PK", kind + "#1"}, {"SK", kind}})});
    EXPECT_TRUE(got && got->item);
    const Item item = got->item->unpack();
    const auto found = item.find("expiresAt");
    return found == item.end() ? std::nullopt : std::optional(found->second);
  }

  const design::Design design_ = load();
  const FixedClock clock_;
  const std::unique_ptr<Database> database_ = open_in_memory();
};

TEST_F(RetentionTest, WhatIsSoftlyDeletedIsFoundByWhoAsksForIt) {
  for (const std::string id : {"1", "2"})
    ASSERT_EQ(perform("add", {{"owner", "a"}, {"id", id}, {"tag", "t"}, {"text", "x"}}), "done");
  ASSERT_EQ(perform("remove", {{"owner", "a"}, {"id", "1"}}), "done");
  EXPECT_THAT(ask("note", {{"owner", "a"}, {"id", "1"}}), IsEmpty());
  EXPECT_THAT(ask("note", {{"owner", "a"}, {"id", "2"}}, 1), ElementsAre("2"));
  EXPECT_THAT(ask("anyNote", {{"owner", "a"}, {"id", "1"}}), ElementsAre("1"));
  EXPECT_THAT(ask("notesOf", {{"owner", "a"}}), ElementsAre("2"));
  EXPECT_THAT(ask("shortNotesOf", {{"owner", "a"}, {"n", 5}}), ElementsAre("2"));
  EXPECT_THAT(ask("deletedOf", {{"owner", "a"}}), ElementsAre("1"));
  EXPECT_THAT(ask("tagged", {{"tag", "t"}}), ElementsAre("2"));
  EXPECT_THAT(ask("allNotes", {}), ElementsAre("2"));
  EXPECT_EQ(design_.find_pattern("tagged")->filter, std::nullopt);
  EXPECT_EQ(design_.find_pattern("shortNotesOf")->filter->text(),
            "(size(text) < :n OR text = 'x') AND NOT exists(deletedAt)");
}

TEST_F(RetentionTest, WhatIsSoftlyDeletedIsChangedByWhoNamesTheMark) {
  const Item note{{"owner", "a"}, {"id", "1"}};
  const Item changed{{"owner", "a"}, {"id", "1"}, {"text", "new"}};
  ASSERT_EQ(perform("add", changed), "done");
  EXPECT_EQ(perform("write", changed), "done");
  EXPECT_EQ(perform("check", note), "done");
  ASSERT_EQ(perform("remove", note), "done");
  EXPECT_EQ(perform("write", changed), "NOT_FOUND");
  EXPECT_EQ(perform("finish", note), "NOT_FOUND");
  EXPECT_EQ(perform("check", note), "NO_NOTE");
  EXPECT_EQ(perform("add", note), "ALREADY_EXISTS");
  EXPECT_EQ(perform("restore", note), "done");
  EXPECT_EQ(perform("restore", note), "NOT_DELETED");
  EXPECT_EQ(perform("finish", note), "done");
  EXPECT_EQ(perform("finish", note), "WRONG_STATE");
  EXPECT_EQ(perform("remove", note), "done");
  EXPECT_EQ(perform("erase", note), "done");
}

TEST_F(RetentionTest, TheTimeOfExpiryIsComputedInSeconds) {
  const auto described = database_->describe_time_to_live({.table_name = "notes"});
  ASSERT_TRUE(described);
  EXPECT_EQ(described->time_to_live.attribute_name, "expiresAt");
  for (const std::string_view operation : {"start", "visit", "issue"})
    EXPECT_EQ(perform(operation, {{"id", "1"}}), "done");
  EXPECT_EQ(perform("sell", {{"id", "1"}, {"expiresAt", 1'800'000'000}}), "done");
  EXPECT_EQ(expiry("SESSION"), Value(1'700'000'000 + 30 * 24 * 3600));
  EXPECT_EQ(expiry("VISIT"), Value(1'700'000'000 + 3600));
  EXPECT_EQ(expiry("CODE"), Value(1'700'000'000 + 90));
  EXPECT_EQ(expiry("TICKET"), Value(1'800'000'000));
}

TEST_F(RetentionTest, ATableThatDoesNotExpireAsTheDesignSaysIsTold) {
  EXPECT_THAT(*runner().prepare_table(), IsEmpty());
  ASSERT_TRUE(database_->update_time_to_live(
      {.table_name = "notes", .attribute_name = "expiresAt", .enabled = false}));
  EXPECT_THAT(*runner().prepare_table(), ElementsAre(HasSubstr("time to live")));
}

}  // namespace
}  // namespace tavola::runner
