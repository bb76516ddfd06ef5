// The dependent writes of an operation: copies, counters, unique guards; and steps for each item found.
#include <gtest/gtest.h>

#include "design/requests/operation_plan.h"
#include "design/test_plans.h"

namespace tavola::design {
namespace {

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

// A value that a step takes from another item is not known when the reads are decided.
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
            "query\nTOO_MANY: it would write 101 items; the maximum of a transaction is 100\n");
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

// ---- Consequences

const std::string kProductDesign = R"(
entities:
  Shop:
    key: { PK: S#<shop>, SK: S }
    ids: { shop: string }
    attributes: { mail: string, notices: integer }
  Product:
    key: { PK: S#<shop>, SK: P#<product> }
    ids: { shop: string, product: string }
    attributes: { stock: integer, least: integer, colour: string }
  Notice:
    key: { PK: S#<shop>, SK: N#<product>#<stock> }
    ids: { shop: string, product: string }
    attributes: { stock: integer, mail: string }
copies:
  notices: { kind: counter, from: Notice, to: Shop, count: notices }
consequences:
  low:
    of: Product
    read: { shopOf: { get: Shop } }
    when: (NOT exists(before.stock) OR before.stock >= before.least) AND stock < least AND change.kind <> 'delete'
    then: { put: Notice, set: { stock: stock, mail: shopOf.mail } }
operations:
)";
const std::string kSell = "  sell: { steps: [ { update: Product, set: { stock: stock - :quantity } } ] }";
const std::string kShopOfStock = R"({"PK": "S#1", "SK": "S", "mail": "a"})";
const std::string kProductOfStock = R"({"PK": "S#1", "SK": "P#p", "stock": 7, "least": 5})";

TEST(OperationPlanTest, AConsequenceIsWrittenWithItsCauseAndWithWhatFollowsFromIt) {
  EXPECT_EQ(planned({kProductDesign + kSell,
                     R"({"shop": "1", "product": "p", "quantity": 3})",
                     {kShopOfStock, kProductOfStock}}),
            R"(get {"PK":"S#1","SK":"P#p"}
get {"PK":"S#1","SK":"S"}
update {"PK":"S#1","SK":"P#p"}
  SET stock = 4
  attribute_exists(PK) | NOT_FOUND
  least = 5 AND stock = 7 | again
put {"PK":"S#1","SK":"N#p#4","mail":"a","stock":4}
  attribute_not_exists(PK) | ALREADY_EXISTS
update {"PK":"S#1","SK":"S"}
  ADD notices 1
  attribute_exists(PK) | NOT_FOUND
  mail = "a" | again
)");
}

TEST(OperationPlanTest, NothingIsReadForAConsequenceThatDoesNotFollow) {
  EXPECT_EQ(planned({kProductDesign + kSell,
                     R"({"shop": "1", "product": "p", "quantity": 2})",
                     {kShopOfStock, kProductOfStock}}),
            R"(get {"PK":"S#1","SK":"P#p"}
update {"PK":"S#1","SK":"P#p"}
  SET stock = 5
  attribute_exists(PK) | NOT_FOUND
  least = 5 AND stock = 7 | again
)");
  EXPECT_EQ(
      planned({kProductDesign + "  paint: { steps: [ { update: Product, set: { colour: ':colour' } } ] }",
               R"({"shop": "1", "product": "p", "colour": "red"})"}),
      R"(update {"PK":"S#1","SK":"P#p"}
  SET colour = "red"
  attribute_exists(PK) | NOT_FOUND
)");
}

TEST(OperationPlanTest, AConsequenceSeesWhatAnEarlierStepPuts) {
  EXPECT_EQ(
      planned({kProductDesign +
                   "  open: { steps: [ { put: Shop, exists: false, set: { mail: \"'a'\", notices: 0 } }, "
                   "{ put: Product, exists: false } ] }",
               R"({"shop": "1", "product": "p", "stock": 1, "least": 5})"}),
      R"(get {"PK":"S#1","SK":"S"}
put {"PK":"S#1","SK":"S","mail":"a","notices":1}
  attribute_not_exists(PK) | ALREADY_EXISTS
put {"PK":"S#1","SK":"P#p","least":5,"stock":1}
  attribute_not_exists(PK) | ALREADY_EXISTS
put {"PK":"S#1","SK":"N#p#1","mail":"a","stock":1}
  attribute_not_exists(PK) | ALREADY_EXISTS
)");
}

}  // namespace
}  // namespace tavola::design
