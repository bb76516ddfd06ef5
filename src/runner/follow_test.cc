// Patterns that follow a reference: order, missing items, batches, unprocessed keys and roles.
#include <gtest/gtest.h>

#include <tavola/database.h>
#include <tavola/design.h>
#include <tavola/table.h>

#include "database/divided_batches.h"
#include "database/forwarding_database.h"

namespace tavola {
namespace {

// `enforce: off`, so that references to missing items can be written.
constexpr std::string_view kLibrary = R"(design: 1
name: library
enforce: off
table: { name: library, hash: PK, range: SK }
entities:
  Book:
    key: { PK: BOOK#<book>, SK: BOOK }
    attributes:
      book: { type: string, required: true }
      title: string
      deletedAt: timestamp
  Entry:
    title: Place of a book on a shelf
    key: { PK: SHELF#<shelf>, SK: "<place:06>" }
    attributes:
      shelf: { type: string, required: true }
      place: { type: integer, required: true, min: 0 }
      holds: { type: string, ref: Book }
patterns:
  booksOn: { query: Entry, via: table, hash: SHELF#<shelf>, follow: holds }
  everyBook: { scan: Entry, follow: holds, limit: 7 }
operations:
  addBook: { steps: [ { put: Book } ] }
  removeBook: { steps: [ { update: Book, set: { deletedAt: now() } } ] }
  place: { steps: [ { put: Entry } ] }
retention: { Book: { delete: soft, attribute: deletedAt } }
roles:
  reader: { run: [booksOn], read: [Entry, Book] }
  stranger: { is: strangers, run: [everyBook] }
)";

// Leaves every second key of a batch unprocessed, as a throttled table does, and counts the keys of each request.
class Throttled final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;

  Result<BatchGetItemResponse> batch_get_item(const BatchGetItemRequest& request) override {
    const std::size_t count = request.tables.front().keys.size();
    batches.push_back(count);
    std::vector<bool> held(count);
    for (std::size_t i = 1; i < count; i += 2) held[i] = true;
    BatchParts<KeysToGet> parts = divide(request.tables, &KeysToGet::keys, held);
    TAVOLA_TRY(BatchGetItemResponse response, database().batch_get_item({.tables = parts.now}));
    response.unprocessed_keys = std::move(parts.later);
    return response;
  }

  std::vector<std::size_t> batches;
};

class FollowTest : public testing::Test {
 protected:
  FollowTest() : database_(open_in_memory()), throttled_(*database_), library_(open()) {
    EXPECT_TRUE(library_.prepare_table());
  }

  RunningDesign open() {
    auto opened = RunningDesign::open(throttled_, kLibrary);
    if (!opened) ADD_FAILURE() << opened.error().message();
    return *std::move(opened);
  }

  void perform(std::string_view operation, const Item& given) {
    const auto done = library_.perform(operation, given);
    ASSERT_TRUE(done) << done.error().message();
  }

  std::vector<std::string> titles(const EntityPage& page) {
    std::vector<std::string> found;
    for (const NamedEntity& one : page.entities) {
      EXPECT_EQ(one.entity, "Book");
      found.push_back(one.fields.at("title").string());
    }
    return found;
  }

  std::unique_ptr<Database> database_;
  Throttled throttled_;
  RunningDesign library_;
};

TEST_F(FollowTest, ReturnsTheItemsInTheOrderOfTheReferencesAndCountsThoseThatAreMissing) {
  perform("addBook", {{"book", "b"}, {"title", "Bees"}});
  perform("addBook", {{"book", "a"}, {"title", "Ants"}});
  perform("addBook", {{"book", "c"}, {"title", "Cats"}});
  perform("removeBook", {{"book", "c"}});
  const char* const held[] = {"b", "gone", "a", "b", "c"};
  for (int place = 0; place < 5; ++place)
    perform("place", {{"shelf", "s"}, {"place", place}, {"holds", held[place]}});
  perform("place", {{"shelf", "s"}, {"place", 9}});
  const auto page = library_.ask("booksOn", {{"shelf", "s"}});
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(titles(*page), (std::vector<std::string>{"Bees", "Ants", "Bees"}));
  EXPECT_EQ(page->missing, 2U) << "one does not exist, one is softly deleted";
}

TEST_F(FollowTest, ReadsAtMostAHundredKeysAtATimeAndTheUnprocessedOnesAgain) {
  constexpr int kBooks = 230;
  for (int i = 0; i < kBooks; ++i) {
    const std::string book = std::to_string(i);
    perform("addBook", {{"book", book}, {"title", book}});
    perform("place", {{"shelf", "s"}, {"place", i}, {"holds", book}});
  }
  std::vector<std::string> expected;
  for (int i = 0; i < kBooks; ++i) expected.push_back(std::to_string(i));
  std::vector<std::string> on_shelf;
  std::string after;
  do {
    const auto page = library_.ask("booksOn", {{"shelf", "s"}}, {.page = after});
    ASSERT_TRUE(page) << page.error().message();
    EXPECT_LE(page->entities.size(), 100U) << "the items may be large";
    std::ranges::copy(titles(*page), std::back_inserter(on_shelf));
    after = page->next;
  } while (!after.empty());
  EXPECT_EQ(on_shelf, expected);
  EXPECT_EQ(std::ranges::max(throttled_.batches), 100U);
  EXPECT_GT(throttled_.batches.size(), 3U);

  std::string next;
  int pages = 0;
  std::size_t found = 0;
  do {
    const auto part = library_.ask("everyBook", {}, {.page = next});
    ASSERT_TRUE(part) << part.error().message();
    found += part->entities.size();
    next = part->next;
    ++pages;
  } while (!next.empty() && pages < kBooks);
  EXPECT_EQ(found, kBooks);
  EXPECT_GT(pages, kBooks / 7 - 1);
}

TEST_F(FollowTest, ARoleMustBeAllowedToReadWhatTheReferenceLeadsTo) {
  perform("addBook", {{"book", "b"}, {"title", "Bees"}});
  perform("place", {{"shelf", "s"}, {"place", 0}, {"holds", "b"}});
  const auto page = library_.as({.sub = "anna"}).ask("booksOn", {{"shelf", "s"}});
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->entities.size(), 1U);

  auto closed = std::string(kLibrary);
  const std::string_view granted = "read: [Entry, Book]";
  closed.replace(closed.find(granted), granted.size(), "read: [Entry]");
  const auto strict = RunningDesign::open(*database_, closed);
  ASSERT_TRUE(strict) << strict.error().message();
  const auto refused = strict->as({.sub = "anna"}).ask("booksOn", {{"shelf", "s"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::AccessDenied);
  EXPECT_TRUE(refused.error().message().contains("to read Book")) << refused.error().message();
  EXPECT_TRUE(strict->ask("booksOn", {{"shelf", "s"}})) << "roles do not limit the program itself";
}

}  // namespace
}  // namespace tavola
