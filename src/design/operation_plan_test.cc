// Plans of operations as people read them: what is read, and then each write with its conditions and what it means when one
// does not hold. Names and values stand where their placeholders are; one that is not used fails the test, as DynamoDB
// refuses it.
#include "design/operation_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "design/load.h"
#include "design/plain_json.h"
#include "expr/compile.h"

namespace tavola::design {
namespace {

constexpr WallTime kNow{std::chrono::milliseconds(1'700'000'000'000)};

std::string replaced(std::string text, const std::string& from, const std::string& to, bool& found) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    const std::size_t end = at + from.size();
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      at = end - to.size();
      continue;
    }
    text.replace(at, from.size(), to);
    found = true;
  }
  return text;
}

// The texts of a request, with names and values for their placeholders.
class Readable {
 public:
  template <class Write>
  explicit Readable(const Write& write) : names_(write.names), values_(write.values.unpack()) {
    for (const auto& [name, attribute] : names_) used_[name] = false;
    for (const auto& [name, value] : values_) used_[name] = false;
  }
  ~Readable() {
    for (const auto& [name, used] : used_) EXPECT_TRUE(used) << name << " is not used";
  }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  std::string operator()(std::string text) {
    for (const auto& [name, value] : values_) text = replaced(text, name, to_plain_json(value), used_[name]);
    for (const auto& [name, attribute] : names_) text = replaced(text, name, attribute, used_[name]);
    return text;
  }

 private:
  const AttributeNames& names_;
  const Item values_;
  std::map<std::string, bool> used_;
};

std::string readable(const Cause& cause, Readable& text) {
  const std::string otherwise = cause.kind == Cause::Kind::Refusal ? cause.name
                                : cause.kind == Cause::Kind::Gone  ? "without " + cause.name
                                                                   : "again";
  return "  " + text(cause.condition) + " | " + otherwise + "\n";
}

std::string readable(const Action& action) {
  return std::visit(
      [&](const auto& write) {
        Readable text(write);
        std::string out;
        using Write = std::decay_t<decltype(write)>;
        if constexpr (std::is_same_v<Write, PutItemRequest>) {
          out = "put " + to_plain_json(write.item.unpack()) + "\n";
        } else if constexpr (std::is_same_v<Write, UpdateItemRequest>) {
          expr::Compiler compiler(write.names, write.values.view());
          const auto update = compiler.update(write.update_expression);
          EXPECT_TRUE(update.has_value()) << write.update_expression << ": " << update.error().message();
          out = "update " + to_plain_json(write.key.unpack()) + "\n  " + text(write.update_expression) + "\n";
        } else {
          const bool is_delete = std::is_same_v<Write, DeleteItemRequest>;
          out = (is_delete ? "delete " : "check ") + to_plain_json(write.key.unpack()) + "\n";
        }
        for (const Cause& cause : action.causes) out += readable(cause, text);
        return out;
      },
      action.write);
}

Item item_of(std::string_view json) {
  const auto value = parse_plain_json(json);
  EXPECT_TRUE(value.has_value()) << json;
  return value ? value->map() : Item();
}

// One operation of a small design, given its table's items by what they are read with.
struct Case {
  std::string design;
  std::string parameters;
  std::vector<std::string> stored = {};  // items of the table, in the order in which a query finds them
};

class Planned {
 public:
  explicit Planned(const Case& one) : loaded_(load(kTable + one.design, "case.yaml")) {
    for (const Diagnostic& diagnostic : loaded_.diagnostics) {
      EXPECT_NE(diagnostic.severity, Severity::Error) << to_text(diagnostic, kTable + one.design);
    }
    if (!loaded_.design) return;
    const Operation& operation = loaded_.design->operations.front();
    auto call = begin(*loaded_.design, operation, item_of(one.parameters), {kNow, nullptr});
    if (!call) {
      text_ += call.error().message() + "\n";
      return;
    }
    const auto asked = reads(*call);
    if (!asked) {
      text_ += asked.error().message() + "\n";
      return;
    }
    ReadItems found;
    for (const Read& read : *asked) found.push_back(find(read, one.stored));
    auto plan = design::plan(*call, found);
    if (!plan) {
      text_ += plan.error().message() + "\n";
      return;
    }
    for (const Action& action : plan->actions) text_ += readable(action);
    plan_ = *std::move(plan);
  }

  const std::string& text() const { return text_; }
  const Plan& plan() const { return plan_; }

 private:
  static inline const std::string kTable =
      "design: 1\nname: case\ntable: { name: cases, hash: PK, range: SK }\n";

  std::vector<Item> find(const Read& read, const std::vector<std::string>& stored) {
    const auto* get = std::get_if<GetItemRequest>(&read.request);
    text_ += get != nullptr ? "get " + to_plain_json(get->key.unpack()) + "\n" : "query\n";
    std::vector<Item> items;
    for (const std::string& json : stored) {
      const Item item = item_of(json);
      const bool is_asked = get == nullptr
                                ? decode(*loaded_.design, item).entity == read.entity
                                : std::ranges::all_of(get->key.unpack(), [&](const auto& part) {
                                    return item.contains(part.first) && item.at(part.first) == part.second;
                                  });
      if (is_asked) items.push_back(item);
    }
    return items;
  }

  Loaded loaded_;
  std::string text_;
  Plan plan_;
};

std::string planned(const Case& one) { return Planned(one).text(); }

// ---- Updates

const std::string kStock = R"(
entities:
  P:
    key: { PK: P#<id>, SK: P }
    ids: { id: string }
    attributes: { n: integer, m: integer, name: string, label: { derive: 'concat(name, "!")' }, at: { type: timestamp, auto: update } }
operations:
)";

TEST(OperationPlanTest, AnUpdateThatTheDatabaseCanComputeReadsNothing) {
  EXPECT_EQ(
      planned({kStock +
                   "  sell: { params: { q: { type: integer } }, steps: [ { update: P, require: { that: 'n "
                   ">= :q', otherwise: FEW }, "
                   "set: { n: 'n - :q' } } ] }",
               R"({"id": "1", "q": 2})"}),
      R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", n = n - 2
  attribute_exists(PK) | NOT_FOUND
  n >= 2 | FEW
)");
}

TEST(OperationPlanTest, WhatIsDerivedFromWhatIsKnownIsWrittenAlong) {
  EXPECT_EQ(planned({kStock + "  rename: { steps: [ { update: P, set: { name: ':name' } } ] }",
                     R"({"id": "1", "name": "x"})"}),
            R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", label = "x!", name = "x"
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, AnUpdateThatTheDatabaseCannotComputeIsGuardedByWhatWasRead) {
  EXPECT_EQ(planned({kStock + "  grow: { steps: [ { update: P, set: { n: 'n * m' } } ] }",
                     R"({"id": "1"})",
                     {R"({"PK": "P#1", "SK": "P", "n": 3, "m": 4, "at": "2020-01-01T00:00:00Z"})"}}),
            R"(get {"PK":"P#1","SK":"P"}
update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", n = 12
  attribute_exists(PK) | NOT_FOUND
  m = 4 AND n = 3 | again
)");
}

TEST(OperationPlanTest, WhatIsReadAndNotThereIsRefusedAtOnce) {
  EXPECT_EQ(planned({kStock + "  grow: { steps: [ { update: P, set: { n: 'n * m' } } ] }", R"({"id": "1"})"}),
            R"(get {"PK":"P#1","SK":"P"}
NOT_FOUND: there is no P {"id":{"S":"1"}}
)");
}

TEST(OperationPlanTest, AConditionOnParametersAloneIsDecidedAtOnce) {
  const std::string design = kStock +
                             "  add: { params: { q: { type: integer } }, steps: [ { update: P, require: { "
                             "that: ':q > 0', otherwise: NONE }, "
                             "set: { n: 'n + :q' } } ] }";
  EXPECT_EQ(planned({design, R"({"id": "1", "q": 0})"}), "NONE: :q > 0 does not hold\n");
  EXPECT_EQ(planned({design, R"({"id": "1", "q": 1})"}), R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", n = n + 1
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, StepsThatAreNotTakenNeedNoKey) {
  const std::string design = R"(
entities:
  P: { key: { PK: P#<id>, SK: P }, ids: { id: string }, attributes: { n: integer, m: integer } }
  Q: { key: { PK: Q#<q>, SK: Q }, ids: { q: string }, attributes: { n: integer, m: integer } }
operations:
  change:
    params: { q: { type: string, required: false } }
    steps:
      - { update: P, set: { n: 1 } }
      - { update: Q, when: 'exists(:q)', set: { n: n * m } }
)";
  EXPECT_EQ(planned({design, R"({"id": "1"})"}), R"(update {"PK":"P#1","SK":"P"}
  SET n = 1
  attribute_exists(PK) | NOT_FOUND
)");
}

// ---- Two steps, one item

TEST(OperationPlanTest, TwoUpdatesOfOneItemBecomeOne) {
  EXPECT_EQ(
      planned(
          {kStock + "  both: { steps: [ { update: P, set: { n: 'n + 1' } }, { update: P, set: { m: 5 } } ] }",
           R"({"id": "1"})"}),
      R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", m = 5, n = n + 1
  attribute_exists(PK) | NOT_FOUND
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, TwoStepsThatContradictEachOtherAreRefusedInWords) {
  const auto two = [](const std::string& first, const std::string& second) {
    return planned({kStock + "  both: { steps: [ " + first + ", " + second + " ] }",
                    R"({"id": "1"})",
                    {R"({"PK": "P#1", "SK": "P", "n": 3, "m": 4})"}});
  };
  EXPECT_EQ(two("{ update: P, set: { n: 'n + 1' } }", "{ update: P, set: { n: 'n + 2' } }"),
            "two steps would write `n` of {\"PK\":{\"S\":\"P#1\"},\"SK\":{\"S\":\"P\"}}; a transaction "
            "writes it once\n");
  const std::string same =
      "two steps would write the same item, {\"PK\":{\"S\":\"P#1\"},\"SK\":{\"S\":\"P\"}}";
  EXPECT_EQ(two("{ put: P, exists: false }", "{ put: P, exists: false }"),
            same + "; a transaction writes an item once\n");
  EXPECT_EQ(two("{ update: P, set: { n: 1 } }", "{ delete: P }"),
            same + "; a transaction writes an item once\n");
  EXPECT_EQ(two("{ update: P, set: { m: 1 } }", "{ update: P, set: { n: n * 2 } }"),
            "get {\"PK\":\"P#1\",\"SK\":\"P\"}\n" + same +
                ", and one of them must know what is stored; make one step of them\n");
}

TEST(OperationPlanTest, ACheckJoinsWhatIsWritten) {
  EXPECT_EQ(planned({kStock + "  both: { steps: [ { check: P, require: { that: m > 1, otherwise: SMALL } }, "
                              "{ delete: P, exists: true } ] }",
                     R"({"id": "1"})"}),
            R"(delete {"PK":"P#1","SK":"P"}
  attribute_exists(PK) | NOT_FOUND
  m > 1 | SMALL
  attribute_exists(PK) | NOT_FOUND
)");
}

// ---- Copies

const std::string kFile = R"(
entities:
  File:
    key: { PK: F#<id>, SK: F }
    attributes: { id: { type: string, required: true }, owner: { type: string, required: true }, name: string, size: integer }
  Owned:
    key: { PK: O#<owner>, SK: F#<id> }
    attributes: { id: string, owner: string, name: string }
copies:
  owned: { kind: mirror, from: File, to: Owned, carry: [name] }
operations:
)";
const std::string kStoredFile =
    R"({"PK": "F#1", "SK": "F", "id": "1", "owner": "a", "name": "n", "size": 1})";

TEST(OperationPlanTest, ANewEntityIsWrittenWithItsCopy) {
  EXPECT_EQ(
      planned({kFile + "  add: { steps: [ { put: File, exists: false } ] }", R"({"id": "1", "owner": "a"})"}),
      R"(put {"PK":"F#1","SK":"F","id":"1","owner":"a"}
  attribute_not_exists(PK) | ALREADY_EXISTS
put {"PK":"O#a","SK":"F#1","id":"1","owner":"a"}
)");
}

TEST(OperationPlanTest, ACopyChangesWithItsSource) {
  EXPECT_EQ(planned({kFile + "  rename: { steps: [ { update: File, set: { name: ':name' } } ] }",
                     R"({"id": "1", "name": "m"})",
                     {kStoredFile}}),
            R"(get {"PK":"F#1","SK":"F"}
update {"PK":"F#1","SK":"F"}
  SET name = "m"
  attribute_exists(PK) | NOT_FOUND
  id = "1" AND name = "n" AND owner = "a" | again
put {"PK":"O#a","SK":"F#1","id":"1","name":"m","owner":"a"}
)");
}

TEST(OperationPlanTest, ACopyMovesWithItsSource) {
  EXPECT_EQ(planned({kFile + "  give: { steps: [ { update: File, set: { owner: ':to' } } ] }",
                     R"({"id": "1", "to": "b"})",
                     {kStoredFile}}),
            R"(get {"PK":"F#1","SK":"F"}
update {"PK":"F#1","SK":"F"}
  SET owner = "b"
  attribute_exists(PK) | NOT_FOUND
  id = "1" AND name = "n" AND owner = "a" | again
delete {"PK":"O#a","SK":"F#1"}
put {"PK":"O#b","SK":"F#1","id":"1","name":"n","owner":"b"}
)");
}

TEST(OperationPlanTest, ACopyGoesWithItsSource) {
  EXPECT_EQ(planned({kFile + "  drop: { steps: [ { delete: File } ] }", R"({"id": "1"})", {kStoredFile}}),
            R"(get {"PK":"F#1","SK":"F"}
delete {"PK":"F#1","SK":"F"}
  attribute_exists(PK) | NOT_FOUND
  id = "1" AND name = "n" AND owner = "a" | again
delete {"PK":"O#a","SK":"F#1"}
)");
}

TEST(OperationPlanTest, ACopyThatIsCheckedGoesAllTheSame) {
  EXPECT_EQ(planned({kFile + "  drop: { steps: [ { check: Owned, key: { owner: ':owner', id: ':id' } }, { "
                             "delete: File } ] }",
                     R"({"id": "1", "owner": "a"})",
                     {kStoredFile}}),
            R"(get {"PK":"F#1","SK":"F"}
delete {"PK":"O#a","SK":"F#1"}
  attribute_exists(PK) | NOT_FOUND
delete {"PK":"F#1","SK":"F"}
  attribute_exists(PK) | NOT_FOUND
  id = "1" AND name = "n" AND owner = "a" | again
)");
}

TEST(OperationPlanTest, WhatCopiesDoNotCarryNeedsNoReading) {
  EXPECT_EQ(
      planned({kFile + "  grow: { steps: [ { update: File, set: { size: size + 1 } } ] }", R"({"id": "1"})"}),
      R"(update {"PK":"F#1","SK":"F"}
  SET size = size + 1
  attribute_exists(PK) | NOT_FOUND
)");
}

// What a step sets from another item is not known when it is decided what to read.
TEST(OperationPlanTest, ACopyChangesWithWhatComesFromAnItemThatIsRead) {
  EXPECT_EQ(planned({kFile + "  rename: { read: { other: { get: File, key: { id: ':from' } } }, "
                             "steps: [ { update: File, set: { name: other.name } } ] }",
                     R"({"id": "1", "from": "2"})",
                     {kStoredFile, R"({"PK": "F#2", "SK": "F", "id": "2", "owner": "b", "name": "m"})"}}),
            R"(get {"PK":"F#2","SK":"F"}
get {"PK":"F#1","SK":"F"}
update {"PK":"F#1","SK":"F"}
  SET name = "m"
  attribute_exists(PK) | NOT_FOUND
  id = "1" AND name = "n" AND owner = "a" | again
put {"PK":"O#a","SK":"F#1","id":"1","name":"m","owner":"a"}
check {"PK":"F#2","SK":"F"}
  name = "m" | again
)");
}

// ---- Counters

const std::string kSite = R"(
entities:
  Site: { key: { PK: S#<site>, SK: S }, ids: { site: string }, attributes: { count: { type: integer, default: 0 }, sum: { type: integer, default: 0 } } }
  Rating:
    key: { PK: S#<site>, SK: R#<user> }
    ids: { site: string, user: string }
    attributes: { stars: { type: integer, required: true }, shown: boolean }
copies:
  ratings: { kind: counter, from: Rating, to: Site, count: count, sum: { sum: stars } }
patterns:
  ratingsOf: { query: Rating, via: table, hash: S#<site>, range: begins_with R# }
operations:
)";
const std::string kStoredRating = R"({"PK": "S#1", "SK": "R#a", "stars": 3})";

TEST(OperationPlanTest, WhatIsNewCounts) {
  EXPECT_EQ(planned({kSite + "  rate: { steps: [ { put: Rating, exists: false } ] }",
                     R"({"site": "1", "user": "a", "stars": 3})"}),
            R"(put {"PK":"S#1","SK":"R#a","stars":3}
  attribute_not_exists(PK) | ALREADY_EXISTS
update {"PK":"S#1","SK":"S"}
  ADD count 1, sum 3
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, WhatChangesCountsByTheDifference) {
  EXPECT_EQ(planned({kSite + "  rate: { steps: [ { put: Rating } ] }",
                     R"({"site": "1", "user": "a", "stars": 5})",
                     {kStoredRating}}),
            R"(get {"PK":"S#1","SK":"R#a"}
put {"PK":"S#1","SK":"R#a","stars":5}
  stars = 3 | again
update {"PK":"S#1","SK":"S"}
  ADD sum 2
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, WhatGoesCountsDownOrFindsNothingToCount) {
  EXPECT_EQ(planned({kSite + "  unrate: { steps: [ { delete: Rating } ] }",
                     R"({"site": "1", "user": "a"})",
                     {kStoredRating}}),
            R"(get {"PK":"S#1","SK":"R#a"}
delete {"PK":"S#1","SK":"R#a"}
  attribute_exists(PK) | NOT_FOUND
  stars = 3 | again
update {"PK":"S#1","SK":"S"}
  ADD count -1, sum -3
  attribute_exists(PK) | without ratings
)");
}

TEST(OperationPlanTest, WhatIsCountedOnWhatGoesIsNotCounted) {
  const std::string all = "{ delete: Rating, each: ratingsOf as one }";
  const std::string stored_site = R"({"PK": "S#1", "SK": "S", "count": 1, "sum": 3})";
  const std::string rating = R"(delete {"PK":"S#1","SK":"R#a"}
  stars = 3 | again
)";
  EXPECT_EQ(planned({kSite + "  drop: { steps: [ { delete: Site }, " + all + " ] }",
                     R"({"site": "1"})",
                     {stored_site, kStoredRating}}),
            R"(get {"PK":"S#1","SK":"S"}
query
delete {"PK":"S#1","SK":"S"}
  attribute_exists(PK) | NOT_FOUND
  count = 1 AND sum = 3 | again
)" + rating);
  EXPECT_EQ(planned({kSite + "  drop: { steps: [ " + all + ", { delete: Site } ] }",
                     R"({"site": "1"})",
                     {stored_site, kStoredRating}}),
            R"(query
get {"PK":"S#1","SK":"S"}
)" + rating + R"(delete {"PK":"S#1","SK":"S"}
  attribute_exists(PK) | without ratings
  attribute_exists(PK) | NOT_FOUND
  count = 1 AND sum = 3 | again
)");
}

TEST(OperationPlanTest, WhatIsCountedOnWhatIsWrittenIsPartOfIt) {
  EXPECT_EQ(
      planned({kSite + "  open: { steps: [ { put: Site, exists: false }, { put: Rating, exists: false } ] }",
               R"({"site": "1", "user": "a", "stars": 3})"}),
      R"(put {"PK":"S#1","SK":"S","count":1,"sum":3}
  attribute_not_exists(PK) | ALREADY_EXISTS
put {"PK":"S#1","SK":"R#a","stars":3}
  attribute_not_exists(PK) | ALREADY_EXISTS
)");
  EXPECT_EQ(planned({kSite + "  restart: { steps: [ { update: Site, set: { count: 10 } }, { put: Rating, "
                             "exists: false } ] }",
                     R"({"site": "1", "user": "a", "stars": 3})"}),
            R"(update {"PK":"S#1","SK":"S"}
  SET count = 11 ADD sum 3
  attribute_exists(PK) | NOT_FOUND
put {"PK":"S#1","SK":"R#a","stars":3}
  attribute_not_exists(PK) | ALREADY_EXISTS
)");
}

TEST(OperationPlanTest, WhatMovesCountsDownHereAndUpThere) {
  const std::string design = R"(
entities:
  Box: { key: { PK: B#<box>, SK: B }, ids: { box: string }, attributes: { count: { type: integer, default: 0 } } }
  Thing: { key: { PK: T#<id>, SK: T }, ids: { id: string }, attributes: { box: string } }
copies:
  things: { kind: counter, from: Thing, to: Box, count: count, when: exists(box) }
operations:
  move: { steps: [ { update: Thing, set: { box: ":box" } } ] }
)";
  EXPECT_EQ(planned({design, R"({"id": "1", "box": "y"})", {R"({"PK": "T#1", "SK": "T", "box": "x"})"}}),
            R"(get {"PK":"T#1","SK":"T"}
update {"PK":"T#1","SK":"T"}
  SET box = "y"
  attribute_exists(PK) | NOT_FOUND
  box = "x" | again
update {"PK":"B#x","SK":"B"}
  ADD count -1
  attribute_exists(PK) | without things
update {"PK":"B#y","SK":"B"}
  ADD count 1
  attribute_exists(PK) | NOT_FOUND
)");
}

// ---- Each

TEST(OperationPlanTest, EachItemIsWrittenOnceAndKnownFromWhatWasFound) {
  EXPECT_EQ(
      planned(
          {kSite + "  praise: { steps: [ { update: Rating, each: ratingsOf as one, set: { stars: 5 } } ] }",
           R"({"site": "1"})",
           {kStoredRating, kStoredRating}}),
      R"(query
update {"PK":"S#1","SK":"R#a"}
  SET stars = 5
  attribute_exists(PK) | NOT_FOUND
  stars = 3 | again
update {"PK":"S#1","SK":"S"}
  ADD sum 2
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, MoreThanATransactionHoldsIsRefused) {
  std::vector<std::string> stored;
  for (int i = 0; i < 101; ++i)
    stored.push_back(R"({"PK": "S#1", "SK": "R#)" + std::to_string(i) + R"(", "stars": 3})");
  const std::string design =
      kSite + "  hide: { steps: [ { update: Rating, each: ratingsOf as one, set: { shown: false } } ] }";
  EXPECT_EQ(planned({design, R"({"site": "1"})", stored}),
            "query\nTOO_MANY: it would write 101 items, and a transaction writes 100 at most\n");
  stored.pop_back();
  EXPECT_EQ(Planned({design, R"({"site": "1"})", stored}).plan().actions.size(), 100U);
}

// ---- Unique

const std::string kUser = R"(
entities:
  User: { key: { PK: U#<id>, SK: U }, ids: { id: string }, attributes: { team: string, mail: { type: string, unique: { within: [team], otherwise: TAKEN } } } }
operations:
)";

TEST(OperationPlanTest, AUniqueValueIsClaimedAndGuardsMove) {
  EXPECT_EQ(planned({kUser + "  add: { steps: [ { put: User, exists: false } ] }",
                     R"({"id": "1", "team": "a#b", "mail": "c"})"}),
            R"(put {"PK":"U#1","SK":"U","mail":"c","team":"a#b"}
  attribute_not_exists(PK) | ALREADY_EXISTS
put {"PK":"$unique#User.mail#a%23b#c","SK":"$unique","of":{"PK":"U#1","SK":"U"}}
  attribute_not_exists(PK) | TAKEN
)");
  EXPECT_EQ(planned({kUser + "  move: { steps: [ { update: User, set: { mail: ':mail' } } ] }",
                     R"({"id": "1", "mail": "d"})",
                     {R"({"PK": "U#1", "SK": "U", "team": "t", "mail": "c"})"}}),
            R"(get {"PK":"U#1","SK":"U"}
update {"PK":"U#1","SK":"U"}
  SET mail = "d"
  attribute_exists(PK) | NOT_FOUND
  mail = "c" AND team = "t" | again
delete {"PK":"$unique#User.mail#t#c","SK":"$unique"}
put {"PK":"$unique#User.mail#t#d","SK":"$unique","of":{"PK":"U#1","SK":"U"}}
  attribute_not_exists(PK) | TAKEN
)");
}

TEST(OperationPlanTest, AUniqueValueIsFreeForWhoeverComesInTheSameOperation) {
  EXPECT_EQ(
      planned({kUser +
                   "  replace: { steps: [ { delete: User }, { put: User, key: { id: ':new' }, exists: false, "
                   "set: { team: ':team', mail: ':mail' } } ] }",
               R"({"id": "1", "new": "2", "team": "t", "mail": "c"})",
               {R"({"PK": "U#1", "SK": "U", "team": "t", "mail": "c"})"}}),
      R"(get {"PK":"U#1","SK":"U"}
delete {"PK":"U#1","SK":"U"}
  attribute_exists(PK) | NOT_FOUND
  mail = "c" AND team = "t" | again
put {"PK":"$unique#User.mail#t#c","SK":"$unique","of":{"PK":"U#2","SK":"U"}}
put {"PK":"U#2","SK":"U","mail":"c","team":"t"}
  attribute_not_exists(PK) | ALREADY_EXISTS
)");
  EXPECT_EQ(planned({kUser + "  twins: { steps: [ { put: User, exists: false }, { put: User, key: { id: "
                             "':new' }, exists: false, "
                             "set: { team: ':team', mail: ':mail' } } ] }",
                     R"({"id": "1", "new": "2", "team": "t", "mail": "c"})"}),
            "TAKEN: another User has the mail c\n");
}

// ---- Transitions

const std::string kJob = R"(
indexes:
  byState: { hash: H, range: R }
entities:
  Job:
    key: { PK: J#<id>, SK: J }
    ids: { id: string }
    index: { byState: { hash: <kind>, range: lifecycle(work) } }
    attributes: { kind: string, began: timestamp, status: string, result: string, error: { type: string, when: status = FAILED } }
    lifecycles:
      work:
        in: byState.range
        states: { NEW: { key: NEW# }, BUSY: { key: BUSY#<began> } }
        transitions: { begin: { from: NEW, to: BUSY, set: { began: now() } }, stop: { from: BUSY, to: NEW } }
      ending:
        in: status
        states: { OPEN: { initial: true }, FAILED: {}, DONE: { terminal: true } }
        transitions:
          fail: { from: OPEN, to: FAILED, require: [error] }
          retry: { from: FAILED, to: OPEN }
          finish: { from: OPEN, to: DONE, require: [result] }
operations:
)";

TEST(OperationPlanTest, ATransitionInAnIndexKeyWritesTheKey) {
  EXPECT_EQ(planned({kJob + "  begin: { steps: [ { transition: Job.begin } ] }", R"({"id": "1"})"}),
            R"(update {"PK":"J#1","SK":"J"}
  SET R = "BUSY#2023-11-14T22:13:20Z", began = "2023-11-14T22:13:20Z"
  attribute_exists(PK) | NOT_FOUND
  R = "NEW#" OR attribute_not_exists(R) | WRONG_STATE
)");
  EXPECT_EQ(
      planned({kJob + "  stop: { steps: [ { transition: Job.stop, remove: [began] } ] }", R"({"id": "1"})"}),
      R"(update {"PK":"J#1","SK":"J"}
  SET R = "NEW#" REMOVE began
  attribute_exists(PK) | NOT_FOUND
  begins_with(R, "BUSY#") | WRONG_STATE
)");
}

TEST(OperationPlanTest, ATransitionInAnAttributeWritesItAndWhatDependsOnIt) {
  EXPECT_EQ(planned({kJob + "  fail: { steps: [ { transition: Job.fail, otherwise: LATE } ] }",
                     R"({"id": "1", "error": "e"})"}),
            R"(update {"PK":"J#1","SK":"J"}
  SET error = "e", status = "FAILED"
  attribute_exists(PK) | LATE
  status = "OPEN" | LATE
)");
  EXPECT_EQ(planned({kJob + "  retry: { steps: [ { transition: Job.retry, remove: [error] } ] }",
                     R"({"id": "1"})"}),
            R"(update {"PK":"J#1","SK":"J"}
  SET status = "OPEN" REMOVE error
  attribute_exists(PK) | NOT_FOUND
  status = "FAILED" | WRONG_STATE
)");
}

TEST(OperationPlanTest, WhatATransitionNeedsIsGivenOrStored) {
  const std::string design = kJob +
                             "  finish: { params: { result: { required: false } }, steps: [ { transition: "
                             "Job.finish, set: { result: ':result' } } ] }";
  EXPECT_EQ(planned({design, R"({"id": "1"})"}), R"(update {"PK":"J#1","SK":"J"}
  SET status = "DONE" REMOVE error
  attribute_exists(PK) | NOT_FOUND
  status = "OPEN" | WRONG_STATE
  attribute_exists(result) | REFUSED
)");
}

// ---- Moments

TEST(OperationPlanTest, OnlyMomentsAreWrittenAsTheFieldWritesThem) {
  const std::string design = R"(
entities:
  P: { key: { PK: P#<id>, SK: P }, ids: { id: string }, attributes: { s: 'timestamp(epoch_s)', t: 'timestamp(epoch_s)', i: timestamp } }
operations:
  change: { steps: [ { update: P, set: )";
  const auto set = [&](const std::string& what) {
    const std::string given = what.contains(":s") ? R"({"id": "1", "s": 1700000000})" : R"({"id": "1"})";
    const std::string text =
        planned({design + what + " } ] }", given, {R"({"PK": "P#1", "SK": "P", "t": 1600000000})"}});
    if (!text.contains("SET")) return text;
    return text.substr(text.find("SET"), text.find('\n', text.find("SET")) - text.find("SET"));
  };
  EXPECT_EQ(set("{ s: ':s' }"), "SET s = 1700000000");
  EXPECT_EQ(set("{ s: now() }"), "SET s = 1700000000");
  EXPECT_EQ(set("{ s: now() + 1d, t: ':s' }"), "SET s = 1700086400, t = 1700000000");
  EXPECT_EQ(set("{ s: t }"), "SET s = t");
  EXPECT_EQ(set("{ i: 'first(i, now())' }"), "SET i = \"2023-11-14T22:13:20Z\"");
}

// ---- Reads, snapshots, idempotency

const std::string kSale = R"(
entities:
  Product: { key: { PK: P#<product>, SK: P }, ids: { product: string }, attributes: { name: string, price: number, stock: integer } }
  Sale:
    key: { PK: P#<product>, SK: S#<sale> }
    ids: { product: string, sale: string }
    attributes: { name: string, total: number, quantity: integer }
copies:
  names: { kind: snapshot, from: Product, to: Sale, carry: [name] }
operations:
  sell:
    idempotent_by: sale
    read: { item: { get: Product } }
    steps:
      - { put: Sale, as: sold, exists: false, set: { total: ":quantity * item.price" } }
    returns: sold
)";
const std::string kStoredProduct = R"({"PK": "P#p", "SK": "P", "name": "n", "price": 2.5, "stock": 3})";

TEST(OperationPlanTest, WhatWasUsedOfAnItemReadIsACondition) {
  const Planned planned({kSale, R"({"product": "p", "sale": "s", "quantity": 2})", {kStoredProduct}});
  std::string text = planned.text();
  const std::size_t given = text.find("\"given\":\"");
  ASSERT_NE(given, std::string::npos);
  text.erase(given + 9, 64);
  EXPECT_EQ(text, R"(get {"PK":"$once#sell#s","SK":"$once"}
get {"PK":"P#p","SK":"P"}
put {"PK":"P#p","SK":"S#s","name":"n","quantity":2,"total":5}
  attribute_not_exists(PK) | ALREADY_EXISTS
check {"PK":"P#p","SK":"P"}
  name = "n" AND price = 2.5 | again
put {"PK":"$once#sell#s","SK":"$once","given":"","result":{"name":"n","product":"p","quantity":2,"sale":"s","total":5}}
  attribute_not_exists(PK) | again
)");
  EXPECT_EQ(to_plain_json(planned.plan().result),
            R"({"name":"n","product":"p","quantity":2,"sale":"s","total":5})");
}

TEST(OperationPlanTest, WhatWasDoneIsNotDoneAgain) {
  const Planned first({kSale, R"({"product": "p", "sale": "s", "quantity": 2})", {kStoredProduct}});
  const std::size_t at = first.text().find("put {\"PK\":\"$once");
  ASSERT_NE(at, std::string::npos);
  const std::string record = first.text().substr(at + 4, first.text().find('\n', at) - at - 4);
  const Planned again({kSale, R"({"product": "p", "sale": "s", "quantity": 2})", {record}});
  EXPECT_TRUE(again.plan().repeated);
  EXPECT_TRUE(again.plan().actions.empty());
  EXPECT_EQ(again.plan().result, first.plan().result);
  EXPECT_EQ(planned({kSale, R"({"product": "p", "sale": "s", "quantity": 3})", {record}}),
            "get {\"PK\":\"$once#sell#s\",\"SK\":\"$once\"}\nget {\"PK\":\"P#p\",\"SK\":\"P\"}\n"
            "DIFFERENT_REQUEST: it was done before with other parameters\n");
}

// The second call must answer what the first did, so the first must know it.
TEST(OperationPlanTest, WhatIsRememberedIsKnownInFull) {
  const Planned planned({kStock + "  sell: { idempotent_by: token, steps: [ { update: P, as: p, set: { n: "
                                  "n - 1 } } ], returns: p }",
                         R"({"id": "1", "token": "t"})",
                         {R"({"PK": "P#1", "SK": "P", "n": 3, "m": 4})"}});
  EXPECT_FALSE(planned.plan().read_back.has_value());
  EXPECT_EQ(to_plain_json(planned.plan().result), R"({"at":"2023-11-14T22:13:20Z","id":"1","m":4,"n":2})");
}

TEST(OperationPlanTest, WhatLaterStepsUseIsKnown) {
  const std::string design = R"(
entities:
  P: { key: { PK: P#<id>, SK: P }, ids: { id: string }, attributes: { n: integer } }
  Log: { key: { PK: P#<id>, SK: L#<n:04> }, ids: { id: string }, attributes: { n: integer } }
operations:
  next: { steps: [ { update: P, as: p, set: { n: n + 1 } }, { put: Log, exists: false, set: { n: p.n } } ] }
)";
  EXPECT_EQ(planned({design, R"({"id": "1"})", {R"({"PK": "P#1", "SK": "P", "n": 3})"}}),
            R"(get {"PK":"P#1","SK":"P"}
update {"PK":"P#1","SK":"P"}
  SET n = 4
  attribute_exists(PK) | NOT_FOUND
  n = 3 | again
put {"PK":"P#1","SK":"L#0004","n":4}
  attribute_not_exists(PK) | ALREADY_EXISTS
)");
}

}  // namespace
}  // namespace tavola::design
