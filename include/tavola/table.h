// Table: one table of a Database, for programs that prefer short calls.
//
//   Table music(*db, "Music");
//   TAVOLA_CHECK(music.put({{"Artist", "Nina"}, {"Song", "Sinnerman"}, {"Year", 1965}}));
//   TAVOLA_CHECK(music.update({{"Artist", "Nina"}, {"Song", "Sinnerman"}},
//                             "SET Plays = if_not_exists(Plays, :z) + :one",
//                             {.values = {{":z", 0}, {":one", 1}}}));
//   for (const Result<Item>& song : music.query("Artist = :a", {.values = {{":a", "Nina"}}})) ...
//
// Iteration fetches page after page; an error is the last element. Thread safety: a Table may be shared; an iteration
// belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <tavola/database.h>

namespace tavola {

struct WriteOptions {
  std::string condition{};  // a ConditionExpression
  Item values{};
  AttributeNames names{};
};

struct GetOptions {
  std::string projection{};  // a ProjectionExpression
  AttributeNames names{};
  bool consistent = false;
};

// For query and scan.
struct ReadOptions {
  std::string index{};       // a secondary index's name
  std::string filter{};      // a FilterExpression
  std::string projection{};  // a ProjectionExpression
  Item values{};
  AttributeNames names{};
  std::optional<std::int64_t> page_limit{};  // items evaluated per page
  bool forward = true;                       // for query
  bool consistent = false;
};

// The items of all pages of a query or scan, as an input range of Result<Item>. Movable until begin() was
// called.
class Items {
 public:
  class Iterator {
   public:
    using value_type = Result<Item>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    // NOLINTBEGIN(bugprone-unchecked-optional-access): only before the end, as with any iterator
    const Result<Item>& operator*() const { return *items_->current_; }
    const Result<Item>* operator->() const { return &*items_->current_; }
    // NOLINTEND(bugprone-unchecked-optional-access)
    Iterator& operator++() {
      items_->advance();
      return *this;
    }
    void operator++(int) { items_->advance(); }
    bool operator==(std::default_sentinel_t) const { return !items_->current_; }

   private:
    friend class Items;
    explicit Iterator(Items* items) : items_(items) {}
    Items* items_;
  };

  // Fetches the first page. Call once.
  Iterator begin() {
    advance();
    return Iterator(this);
  }
  static std::default_sentinel_t end() { return {}; }

 private:
  friend class Table;
  using Request = std::variant<Error, QueryRequest, ScanRequest>;
  Items(Database& database, Request request) : database_(&database), request_(std::move(request)) {}
  void advance();
  Result<Page> fetch();  // the next page

  Database* database_;
  Request request_;
  Page page_;
  std::size_t next_ = 0;  // in page_.items
  bool more_pages_ = true;
  std::optional<Result<Item>> current_;
};

class Table {
 public:
  // Borrows the database, which must outlive the table. Whether the table exists is seen at the first call.
  Table(Database& database, std::string name) : database_(database), name_(std::move(name)) {}

  Result<void> put(const Item& item, const WriteOptions& options = {});
  // Returns nullopt if the item is missing, which is not an error.
  Result<std::optional<Item>> get(const Item& key, const GetOptions& options = {});
  // Returns the whole item after the update. An empty expression is refused.
  Result<Item> update(const Item& key, std::string_view expression, const WriteOptions& options = {});
  // Returns the item that was there, if any.
  Result<std::optional<Item>> remove(const Item& key, const WriteOptions& options = {});

  // Read nothing before the iteration begins.
  [[nodiscard]] Items query(std::string_view key_condition, const ReadOptions& options = {});
  [[nodiscard]] Items scan(const ReadOptions& options = {});

  const std::string& name() const { return name_; }

 private:
  Database& database_;
  std::string name_;
};

}  // namespace tavola
