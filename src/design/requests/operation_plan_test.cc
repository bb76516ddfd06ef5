// The reads and writes of an operation for its steps (test_plans.h explains how plans are written).
#include "design/requests/operation_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/test_plans.h"

namespace tavola::design {
namespace {

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
NOT_FOUND: there is no P {"id":"1"}
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

TEST(OperationPlanTest, NullTakesAFieldAway) {
  const std::string change = kStock + "  change: { steps: [ { update: P, take: [n, m] } ] }";
  EXPECT_EQ(planned({change, R"({"id": "1", "n": 5, "m": null})"}), R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", n = 5 REMOVE m
  attribute_exists(PK) | NOT_FOUND
)");
  EXPECT_EQ(planned({change, R"({"id": "1", "n": 5})"}), R"(update {"PK":"P#1","SK":"P"}
  SET at = "2023-11-14T22:13:20Z", n = 5
  attribute_exists(PK) | NOT_FOUND
)");
  const std::string required = R"(
entities:
  P: { key: { PK: P#<id>, SK: P }, ids: { id: string }, attributes: { name: { type: string, required: true } } }
operations:
  change: { steps: [ { update: P, take: all } ] }
)";
  EXPECT_EQ(planned({required, R"({"id": "1", "name": null})"}), "name is required, and cannot be removed\n");
}

TEST(OperationPlanTest, ADurationIsInTheUnitOfTheFieldItIsAddedTo) {
  const std::string keep = R"(
entities:
  P:
    key: { PK: P#<id>, SK: P }
    ids: { id: string }
    attributes: { seconds: timestamp(epoch_s), ms: timestamp(epoch_ms) }
operations:
  keep: { steps: [ { update: P, set: { seconds: seconds + 90d - 1h, ms: ms + 1s } } ] }
)";
  EXPECT_EQ(planned({keep, R"({"id": "1"})", {R"({"PK": "P#1", "SK": "P", "seconds": 1000, "ms": 5000})"}}),
            R"(update {"PK":"P#1","SK":"P"}
  SET ms = ms + 1000, seconds = seconds + 7772400
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, WhatIsNotThereIsToldByItsFields) {
  const Planned blind({kStock + "  set: { steps: [ { update: P, set: { n: 1 } } ] }", R"({"id": "1"})"});
  EXPECT_EQ(blind.plan().actions.front().causes.front().reason, R"(there is no P {"id":"1"})");
}

TEST(OperationPlanTest, AnItemThatWasNotFoundDoesNotExist) {
  const std::string claim = kStock + R"(  claim:
    read: { old: { get: P, required: false } }
    steps:
      - { put: P, when: NOT exists(old), exists: false }
)";
  EXPECT_EQ(planned({claim, R"({"id": "1"})"}), R"(get {"PK":"P#1","SK":"P"}
put {"PK":"P#1","SK":"P","at":"2023-11-14T22:13:20Z"}
  attribute_not_exists(PK) | ALREADY_EXISTS
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
                ", and one of them needs the stored item; merge the two steps\n");
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

TEST(OperationPlanTest, WhatATransitionNeedsIsGivenByTheCall) {
  const std::string design = kJob +
                             "  finish: { params: { result: { required: false } }, steps: [ { transition: "
                             "Job.finish, set: { result: ':result' } } ] }";
  EXPECT_EQ(planned({design, R"({"id": "1"})"}), "REFUSED: finish needs result\n");
}

// ---- Times

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

// The second call must return the result of the first, so the first must know it.
TEST(OperationPlanTest, WhatIsRememberedIsKnownInFull) {
  const Planned planned({kStock + "  sell: { idempotent_by: token, params: { token: { type: string } }, "
                                  "steps: [ { update: P, as: p, set: { n: n - 1 } } ], returns: p }",
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

// ---- Items that exist

const std::string kUploads = R"x(
entities:
  File:
    key: { PK: FILE#<id>, SK: META }
    attributes:
      id: { type: string, required: true, generate: ulid }
      owner: { type: string, required: true, immutable: true }
      name: { type: string, required: true }
      at: { type: timestamp, auto: create, immutable: true }
      gone: { type: timestamp }
  Count: { key: { PK: COUNT, SK: META }, attributes: { n: integer } }
retention: { File: { delete: soft, attribute: gone } }
operations:
  announce:
    params: { print: { type: string, required: false } }
    steps:
      - { put: File, as: file, if_exists: return, set: { id: "first(:print, ulid())" } }
      - { update: Count, set: { n: n + 1 } }
    returns: file
)x";
constexpr std::string_view kAnnounced = R"({"print": "p", "owner": "anna", "name": "new.txt"})";
const std::string kOldFile =
    R"({"PK": "FILE#p", "SK": "META", "id": "p", "owner": "anna", "name": "old.txt")";

TEST(OperationPlanTest, AnItemThatIsSoughtAndMissingIsCreated) {
  EXPECT_EQ(planned({kUploads, std::string(kAnnounced)}), R"(get {"PK":"FILE#p","SK":"META"}
put {"PK":"FILE#p","SK":"META","at":"2023-11-14T22:13:20Z","id":"p","name":"new.txt","owner":"anna"}
  attribute_not_exists(PK) | again
update {"PK":"COUNT","SK":"META"}
  SET n = n + 1
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, AnItemThatExistsIsTheResultAndNothingIsDone) {
  const Planned planned(
      {kUploads, std::string(kAnnounced), {kOldFile + R"(, "at": "2020-01-01T00:00:00Z"})"}});
  EXPECT_TRUE(planned.plan().repeated);
  EXPECT_TRUE(planned.plan().actions.empty());
  EXPECT_EQ(to_plain_json(planned.plan().result),
            R"({"at":"2020-01-01T00:00:00Z","id":"p","name":"old.txt","owner":"anna"})");
}

TEST(OperationPlanTest, AnItemOfAnotherOwnerOrADeletedOneIsRefused) {
  const std::string ben = R"({"PK": "FILE#p", "SK": "META", "id": "p", "owner": "ben", "name": "old.txt"})";
  EXPECT_THAT(planned({kUploads, std::string(kAnnounced), {ben}}),
              testing::HasSubstr("ALREADY_EXISTS: there is already a File"));
  EXPECT_THAT(planned({kUploads, std::string(kAnnounced), {ben}}), testing::HasSubstr("with another owner"));
  EXPECT_THAT(
      planned({kUploads, std::string(kAnnounced), {kOldFile + R"(, "gone": "2020-01-01T00:00:00Z"})"}}),
      testing::HasSubstr("which is deleted"));
}

}  // namespace
}  // namespace tavola::design
