// The operations on a database in memory. tests/conformance/partiql tests the result of each statement; here are
// properties of all of them: a SELECT finds the items that match its WHERE clause, once, whichever plan reads them and
// however the pages are cut.
#include <random>

#include <gtest/gtest.h>

#include <tavola/partiql.h>
#include <tavola/table.h>

#include "expr/evaluate/compile.h"
#include "partiql/plan.h"

namespace tavola::partiql {
namespace {

std::unique_ptr<Database> song_database() {
  std::unique_ptr<Database> database = open_in_memory();
  const IndexProjection keys{.type = ProjectionType::KeysOnly};
  const IndexProjection some{.type = ProjectionType::Include, .attributes = {"y"}};
  const std::vector<KeySchemaElement> by_x{{"x"}, {"r", KeyType::Range}};
  const std::vector<KeySchemaElement> local{{"h"}, {"x", KeyType::Range}};
  const auto made = database->create_table(
      {.table_name = "songs",
       .attribute_definitions = {{"h"}, {"r", Type::Number}, {"x", Type::Number}},
       .key_schema = {{"h"}, {"r", KeyType::Range}},
       .global_indexes = {{.name = "byX", .key_schema = by_x},
                          {.name = "byXKeys", .key_schema = by_x, .projection = keys},
                          {.name = "byXSome", .key_schema = by_x, .projection = some}},
       .local_indexes = {{.name = "localX", .key_schema = local},
                         {.name = "localXKeys", .key_schema = local, .projection = keys},
                         {.name = "localXSome", .key_schema = local, .projection = some}}});
  EXPECT_TRUE(made.has_value());
  Table table(*database, "songs");
  for (const char* hash : {"a", "b", "c"}) {
    for (int range = 0; range < 6; ++range) {
      Item item{{"h", hash}, {"r", range}, {"z", range % 4}};
      if (range % 3 != 0) item["x"] = range % 2;
      if (range % 2 == 0) item["y"] = std::string(1, static_cast<char>('a' + range));
      EXPECT_TRUE(table.put(item).has_value());
    }
  }
  return database;
}

// A condition of any shape over the key and other attributes.
class Conditions {
 public:
  explicit Conditions(unsigned seed) : random_(seed) {}

  std::string any(int depth) {
    switch (depth == 0 ? 3 : below(6)) {
      case 0:
        return "(" + any(depth - 1) + " OR " + any(depth - 1) + ")";
      case 1:
      case 2:
        return "(" + any(depth - 1) + " AND " + any(depth - 1) + ")";
      case 4:
        return below(3) == 0 ? "NOT " + any(depth - 1) : leaf();
      default:
        return leaf();
    }
  }
  int below(int most) { return std::uniform_int_distribution(0, most - 1)(random_); }

 private:
  std::string number() { return std::to_string(below(7)); }
  std::string hash() { return std::string("'") + "abcd"[below(4)] + "'"; }
  std::string leaf() {
    static constexpr std::array<std::string_view, 6> kOperators{" = ", " <> ", " < ", " <= ", " > ", " >= "};
    const std::string op(kOperators[static_cast<std::size_t>(below(6))]);
    switch (below(10)) {
      case 0:
      case 1:
        return "h = " + hash();
      case 2:
        return "h IN [" + hash() + ", " + hash() + "]";
      case 3:
        return "r" + op + number();
      case 4: {
        const int low = below(6);
        return "r BETWEEN " + std::to_string(low) + " AND " + std::to_string(low + below(3));
      }
      case 5:
        return number() + op + "r";
      case 6:
        return "r IN [" + number() + ", " + number() + ", " + number() + "]";
      case 7:
        return "x" + op + number();
      case 8:
        return "z" + op + number();
      default:
        return below(2) == 0 ? "y IS MISSING" : "begins_with(y, 'c')";
    }
  }

  std::mt19937 random_;
};

std::vector<std::string> sorted(const std::vector<PackedItem>& items) {
  std::vector<std::string> bytes;
  for (const PackedItem& item : items) bytes.push_back(item.bytes());
  std::ranges::sort(bytes);
  return bytes;
}

// Returns all entries of the source for which the condition holds, found without a plan.
std::vector<PackedItem> matching(Database& database, const std::string& statement, const std::string& index) {
  const auto prepared = prepare(statement, {});
  RequestTexts texts(prepared->slots);
  const std::string text = texts.condition(*prepared->where);
  const AttributeNames names = texts.names();
  const PackedItem values = *texts.values();
  expr::Compiler compiler(names, values.view());
  const auto condition = compiler.condition(text);
  std::vector<PackedItem> found;
  const auto entries = database.scan({.table_name = "songs", .index_name = index});
  for (const PackedItem& entry : entries->items) {
    if (condition->holds(entry.view())) found.push_back(entry);
  }
  return found;
}

Result<std::vector<PackedItem>> select(Database& database, const std::string& statement, int limit) {
  std::vector<PackedItem> found;
  ExecuteStatementRequest request{.statement = statement};
  if (limit > 0) request.limit = limit;
  for (;;) {
    TAVOLA_TRY(ExecuteStatementResponse page, execute_statement(database, request));
    std::ranges::move(page.items, std::back_inserter(found));
    if (page.next_token.empty()) return found;
    request.next_token = page.next_token;
  }
}

struct Origin {
  std::string index;
  std::string hash;  // a condition that gives the partition key
};

TEST(Execute, ASelectFindsWhatItsConditionSaysOnce) {
  const std::unique_ptr<Database> database = song_database();
  const std::vector<Origin> origins{
      {"", "h = 'a'"},       {"byX", "x = 1"},          {"byXKeys", "x = 1"},     {"byXSome", "x = 0"},
      {"localX", "h = 'b'"}, {"localXKeys", "h = 'b'"}, {"localXSome", "h = 'c'"}};
  for (const auto& [index, hash] : origins) {
    SCOPED_TRACE(index);
    int planned = 0;
    int unprojected = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
      Conditions conditions(seed);
      const std::string by_key = conditions.below(2) == 0 ? hash + " AND " : "";
      const std::string statement = "SELECT * FROM \"songs\"" + (index.empty() ? "" : ".\"" + index + "\"") +
                                    " WHERE " + by_key + conditions.any(3);
      SCOPED_TRACE(statement);
      const auto found = select(*database, statement, conditions.below(5));
      if (found) {
        ++planned;
        ASSERT_EQ(sorted(*found), sorted(matching(*database, statement, index)));
        continue;
      }
      const std::string& why = found.error().message();
      const bool lacks = why.contains("does not project one or more filter attributes");
      ASSERT_TRUE(lacks || why.starts_with("Overlapping conditions") ||
                  why.starts_with("Too many decomposed"))
          << why;
      unprojected += lacks ? 1 : 0;
    }
    EXPECT_GT(planned, 400);
    EXPECT_EQ(unprojected > 0, index.ends_with("Keys") || index.ends_with("Some"));
  }
}

// Each link of these chains would double the tree of the previous ones, or nest it once more.
TEST(Prepare, AChainAsLongAsAStatementMayBeIsRefused) {
  for (const std::string_view link :
       {" = b", " <> b", " = 1", " = true", " <> true", " < b", " IS NULL", " NOT IN [1]", " + 1", " * 2"}) {
    SCOPED_TRACE(link);
    for (const std::size_t links : {30U, 128U, 600U}) {
      std::string statement = "SELECT * FROM songs WHERE a = b";
      for (std::size_t i = 0; i < links; ++i) statement += link;
      const auto prepared = prepare(statement, {});
      if (prepared) {
        EXPECT_TRUE(link.ends_with("true") && links != 600) << links;
        continue;
      }
      EXPECT_FALSE(prepared.error().message().empty());
      const bool too_deep = prepared.error().message().contains("nested more than 128 levels");
      EXPECT_EQ(too_deep, links == 600) << links << ": " << prepared.error().message();
    }
  }
}

TEST(Execute, AWriteIsSeenByTheNextStatement) {
  const std::unique_ptr<Database> database = song_database();
  const auto run = [&](std::string statement, std::vector<Value> parameters = {}) {
    return execute_statement(*database,
                             {.statement = std::move(statement), .parameters = std::move(parameters)});
  };
  ASSERT_TRUE(run("INSERT INTO songs VALUE {'h': 'new', 'r': ?}", {7}).has_value());
  EXPECT_EQ(run("INSERT INTO songs VALUE {'h': 'new', 'r': 7}").error().code(), ErrorCode::DuplicateItem);
  ASSERT_TRUE(run("UPDATE songs SET n = ? WHERE h = 'new' AND r = 7", {Value(List{1, "x"})}).has_value());
  const auto found = run("SELECT n FROM songs WHERE h = 'new'");
  ASSERT_TRUE(found.has_value() && found->items.size() == 1);
  EXPECT_EQ(found->items.front().unpack(), (Item{{"n", List{1, "x"}}}));
  ASSERT_TRUE(run("DELETE FROM songs WHERE h = 'new' AND r = 7").has_value());
  EXPECT_TRUE(run("SELECT * FROM songs WHERE h = 'new'")->items.empty());
}

constexpr const char* kLibrary = R"yaml(design: 1
name: library
table: { name: library, hash: PK }
entities:
  Book:
    key: { PK: BOOK#<book> }
    ids: { book: string }
    attributes:
      title: { type: string, required: true, unique: true }
      state: { type: enum, values: [IN, OUT], default: IN }
    lifecycles:
      lending:
        in: state
        states: { IN: { initial: true }, OUT: {} }
        transitions:
          lend: { from: [IN], to: OUT }
          return: { from: [OUT], to: IN }
)yaml";

std::unique_ptr<Database> library() {
  std::unique_ptr<Database> database = open_in_memory();
  EXPECT_TRUE(
      database
          ->create_table({.table_name = "library", .attribute_definitions = {{"PK"}}, .key_schema = {{"PK"}}})
          .has_value());
  const auto governed =
      database->govern_table({.table_name = "library", .design = kLibrary, .file_name = "library.yaml"});
  EXPECT_TRUE(governed.has_value()) << governed.error().message();
  EXPECT_TRUE(execute_statement(*database,
                                {.statement = "INSERT INTO library VALUE {'PK': 'BOOK#1', 'title': 'Emma'}"})
                  .has_value());
  return database;
}

// A design refuses with the code of a failed condition. Only an existing key is a duplicate.
TEST(Execute, WhatADesignRefusesIsNoDuplicate) {
  const std::unique_ptr<Database> database = library();
  struct Case {
    std::string statement;
    bool is_duplicate;
  };
  const std::vector<Case> cases{
      {"INSERT INTO library VALUE {'PK': 'BOOK#1', 'title': 'Dune'}", true},
      {"INSERT INTO library VALUE {'PK': 'BOOK#2', 'title': 'Emma'}", false},                   // taken
      {"INSERT INTO library VALUE {'PK': 'BOOK#2', 'title': 'Dune', 'state': 'OUT'}", false}};  // no prefix
  for (const auto& [statement, is_duplicate] : cases) {
    SCOPED_TRACE(statement);
    const auto done = execute_statement(*database, {.statement = statement});
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(),
              is_duplicate ? ErrorCode::DuplicateItem : ErrorCode::ConditionalCheckFailed);
    EXPECT_EQ(done.error().message().starts_with("Tavola: "), !is_duplicate) << done.error().message();
    const auto cancelled = execute_transaction(*database, {.statements = {{.statement = statement}}});
    const auto* reasons = cancelled.error().detail<TransactionCancellation>();
    ASSERT_NE(reasons, nullptr);
    EXPECT_EQ(reasons->reasons.front().code, is_duplicate ? "DuplicateItem" : "ConditionalCheckFailed");
    EXPECT_EQ(reasons->reasons.front().message, done.error().message());
  }
}

TEST(Execute, ATokenOfAnotherStatementIsRefused) {
  const std::unique_ptr<Database> database = song_database();
  const auto page = execute_statement(*database, {.statement = "SELECT * FROM songs", .limit = 1});
  ASSERT_TRUE(page.has_value() && !page->next_token.empty());
  const auto refused = [&](const std::string& statement, const std::string& token) {
    return execute_statement(*database, {.statement = statement, .next_token = token}).error().message();
  };
  EXPECT_EQ(refused("SELECT h FROM songs", page->next_token), "NextToken does not match request");
  std::string damaged = page->next_token;
  damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
  EXPECT_EQ(refused("SELECT * FROM songs", damaged), "Invalid NextToken");
}

TEST(Execute, ATransactionIsDoneWholeOrNotAtAll) {
  const std::unique_ptr<Database> database = song_database();
  const auto cancelled = execute_transaction(
      *database,
      {.statements = {{.statement = "DELETE FROM songs WHERE h = 'a' AND r = 0"},
                      {.statement = "INSERT INTO songs VALUE {'h': 'a', 'r': 1}"},
                      {.statement = "EXISTS(SELECT * FROM songs WHERE h = 'b' AND r = 1 AND x = 1)"}}});
  ASSERT_FALSE(cancelled.has_value());
  const auto* reasons = cancelled.error().detail<TransactionCancellation>();
  ASSERT_NE(reasons, nullptr);
  EXPECT_EQ(reasons->reasons[1].code, "DuplicateItem");
  EXPECT_EQ(reasons->reasons[2].code, "None");
  EXPECT_EQ(select(*database, "SELECT * FROM songs WHERE h = 'a' AND r = 0", 0)->size(), 1U);
}

}  // namespace
}  // namespace tavola::partiql
