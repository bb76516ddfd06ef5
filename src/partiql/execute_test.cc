// The operations on a database in memory. What each statement answers is in tests/conformance/partiql; here is what holds for all of
// them: a SELECT finds what its WHERE clause says, once, whichever way it is read and however its pages are cut.
#include <random>

#include <gtest/gtest.h>

#include <tavola/partiql.h>
#include <tavola/table.h>

#include "expr/compile.h"
#include "partiql/prepare.h"

namespace tavola::partiql {
namespace {

std::unique_ptr<Database> songs() {
  std::unique_ptr<Database> database = open_in_memory();
  const auto made = database->create_table(
      {.table_name = "songs",
       .attribute_definitions = {{"h"}, {"r", Type::Number}, {"x", Type::Number}},
       .key_schema = {{"h"}, {"r", KeyType::Range}},
       .global_indexes = {{.name = "byX", .key_schema = {{"x"}, {"r", KeyType::Range}}}}});
  EXPECT_TRUE(made.has_value());
  Table table(*database, "songs");
  for (const char* hash : {"a", "b", "c"}) {
    for (int range = 0; range < 6; ++range) {
      Item item{{"h", hash}, {"r", range}};
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
    switch (below(9)) {
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

// All items of the source that the condition holds for, found without a plan.
std::vector<PackedItem> matching(Database& database, const std::string& statement, const std::string& index) {
  const auto prepared = prepare(statement, {});
  RequestTexts texts(prepared->slots);
  const std::string text = texts.condition(*prepared->where);
  const AttributeNames names = texts.names();
  const PackedItem values = *texts.values();
  expr::Compiler compiler(names, values.view());
  const auto condition = compiler.condition(text);
  std::vector<PackedItem> found;
  const auto all = database.scan({.table_name = "songs", .index_name = index});
  for (const PackedItem& item : all->items) {
    if (condition->holds(item.view())) found.push_back(item);
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

TEST(Execute, ASelectFindsWhatItsConditionSaysOnce) {
  const std::unique_ptr<Database> database = songs();
  int planned = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Conditions conditions(seed);
    const std::string index = conditions.below(4) == 0 ? "byX" : "";
    const std::string statement = "SELECT * FROM \"songs\"" + (index.empty() ? "" : ".\"" + index + "\"") +
                                  " WHERE " + conditions.any(3);
    SCOPED_TRACE(statement);
    const auto found = select(*database, statement, conditions.below(5));
    if (!found) {
      const std::string& why = found.error().message();
      ASSERT_TRUE(why.starts_with("Overlapping conditions") || why.starts_with("Too many decomposed")) << why;
      continue;
    }
    ++planned;
    ASSERT_EQ(sorted(*found), sorted(matching(*database, statement, index)));
  }
  EXPECT_GT(planned, 2000);
}

TEST(Execute, AWriteIsSeenByTheNextStatement) {
  const std::unique_ptr<Database> database = songs();
  const auto run = [&](std::string statement, std::vector<Value> parameters = {}) {
    return execute_statement(*database,
                             {.statement = std::move(statement), .parameters = std::move(parameters)});
  };
  ASSERT_TRUE(run("INSERT INTO songs VALUE {'h': 'new', 'r': ?}", {7}).has_value());
  EXPECT_EQ(run("INSERT INTO songs VALUE {'h': 'new', 'r': 7}").error().code(), ErrorCode::DuplicateItem);
  ASSERT_TRUE(run("UPDATE songs SET n = ? WHERE h = 'new' AND r = 7", {List{1, "x"}}).has_value());
  const auto found = run("SELECT n FROM songs WHERE h = 'new'");
  ASSERT_TRUE(found.has_value() && found->items.size() == 1);
  EXPECT_EQ(found->items.front().unpack(), (Item{{"n", List{1, "x"}}}));
  ASSERT_TRUE(run("DELETE FROM songs WHERE h = 'new' AND r = 7").has_value());
  EXPECT_TRUE(run("SELECT * FROM songs WHERE h = 'new'")->items.empty());
}

TEST(Execute, ATokenOfAnotherStatementIsRefused) {
  const std::unique_ptr<Database> database = songs();
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
  const std::unique_ptr<Database> database = songs();
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
