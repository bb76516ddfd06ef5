#include "governed/remote_snapshot.h"

#include <utility>
#include <vector>

#include "engine/records/keys.h"
#include "expr/rules/rule.h"
#include "governed/seen_ranges.h"

namespace tavola::governed {
namespace {

// Entries that come page by page, or fail.
class PagedCursor final : public store::Cursor {
 public:
  explicit PagedCursor(Result<RangePages> pages) : pages_(std::move(pages)) { fetch(); }

  bool valid() const override { return at_ < entries_.size(); }
  std::string_view key() const override { return entries_[at_].key; }
  std::string_view value() const override { return entries_[at_].value; }
  void next() override {
    if (++at_ == entries_.size()) fetch();
  }
  Result<void> status() const override {
    if (!pages_) return fail(pages_.error());
    return status_;
  }

 private:
  void fetch() {
    entries_.clear();
    at_ = 0;
    while (pages_ && status_ && entries_.empty()) {
      Result<std::optional<store::RangeEntries>> page = pages_->next();
      if (!page) {
        status_ = fail(page.error());
      } else if (*page) {
        entries_ = **std::move(page);
      } else {
        return;
      }
    }
  }

  Result<RangePages> pages_;
  store::RangeEntries entries_;
  std::size_t at_ = 0;
  Result<void> status_;
};

// Entries that were read together, or not.
class ListCursor final : public store::Cursor {
 public:
  explicit ListCursor(Result<store::RangeEntries> entries) : entries_(std::move(entries)) {}

  bool valid() const override { return entries_ && at_ < entries_->size(); }
  std::string_view key() const override { return (*entries_)[at_].key; }
  std::string_view value() const override { return (*entries_)[at_].value; }
  void next() override { ++at_; }
  Result<void> status() const override {
    if (!entries_) return fail(entries_.error());
    return {};
  }

 private:
  Result<store::RangeEntries> entries_;
  std::size_t at_ = 0;
};

enum class Take : bool { No, Yes };

// The jobs of all tables, or of one.
class JobList {
 public:
  JobList(const RemoteSnapshot::Parts& parts, Take take) : parts_(parts), take_(take) {}

  Result<store::RangeEntries> read(const store::KeyRange& range) {
    TAVOLA_TRY(const std::vector<SchemaPtr> tables, parts_.schemas.all());
    for (const SchemaPtr& table : tables) {
      const bool is_asked = engine::job_key(table->id, "") >= range.from &&
                            (range.to.empty() || engine::job_key(table->id, "") < range.to);
      const bool has_jobs =
          parts_.governed.find(table->description.table_name) != nullptr && has_lists(table->key);
      if (is_asked && has_jobs) TAVOLA_CHECK(read_table(table));
    }
    return std::move(entries_);
  }

 private:
  Result<void> read_table(const SchemaPtr& table) {
    TAVOLA_TRY(const PackedItem first, listed_place(table->key, job_record("")));
    const std::string& hash = table->key.hash.front().name;
    expr::ExpressionParts parts;
    QueryRequest request{.table_name = table->description.table_name, .consistent_read = true};
    request.key_condition_expression = parts.name(hash) + " = ";
    request.key_condition_expression += parts.value(first.find(hash)->unpack());
    request.names = parts.names();
    TAVOLA_TRY(request.values, pack(parts.values()));
    do {
      TAVOLA_TRY(QueryResponse page, parts_.remote.query(request));
      for (PackedItem& item : page.items) TAVOLA_CHECK(add(table, std::move(item)));
      request.exclusive_start_key = std::move(page.last_evaluated_key);
    } while (request.exclusive_start_key);
    return {};
  }

  Result<void> add(const SchemaPtr& table, PackedItem item) {
    const std::string id(item.find(table->key.range.front().name)->string());
    ItemPlace place;
    place.table = table;
    place.holds_bytes = true;
    TAVOLA_TRY(place.key, listed_place(table->key, job_record(id)));
    if (take_ == Take::Yes) {
      // Two fronts that do one job do no harm, because each step compares.
      TAVOLA_TRY(const bool is_ours, parts_.leases.take({.remote = parts_.remote,
                                                         .table_name = place.table_name(),
                                                         .key = place.key,
                                                         .must_exist = true}));
      if (!is_ours) return {};
    }
    TAVOLA_TRY(std::string bytes, place.value_of(item));
    entries_.push_back({engine::job_key(table->id, id), std::move(bytes)});
    return {};
  }

  const RemoteSnapshot::Parts& parts_;
  const Take take_;
  store::RangeEntries entries_;
};

}  // namespace

Result<std::optional<std::string>> read_value(const RemoteSnapshot::Parts& parts,
                                              std::string_view store_key) {
  TAVOLA_TRY(const TransactionTables tables, TransactionTables::of({}, parts.schemas, parts.governed));
  TAVOLA_TRY(const std::optional<ItemPlace> place, tables.place_of(store_key));
  if (!place) return std::nullopt;
  TAVOLA_TRY(
      const GetItemResponse found,
      parts.remote.get_item({.table_name = place->table_name(), .key = place->key, .consistent_read = true}));
  if (!found.item) return std::nullopt;
  TAVOLA_TRY(std::string value, place->value_of(*found.item));
  return value;
}

Result<std::optional<std::string>> RemoteSnapshot::get(std::string_view key) const {
  return is_elsewhere(key) ? read_value(parts_, key) : local_->get(key);
}

std::unique_ptr<store::Cursor> RemoteSnapshot::range(const store::KeyRange& range,
                                                     store::Direction direction) const {
  if (engine::is_job_key(range.from)) {
    const Take take = range == engine::every_job() ? Take::Yes : Take::No;
    return std::make_unique<ListCursor>(JobList(parts_, take).read(range));
  }
  if (!engine::is_entry_key(range.from)) return local_->range(range, direction);
  const Result<TransactionTables> tables = TransactionTables::of({}, parts_.schemas, parts_.governed);
  if (!tables) return std::make_unique<ListCursor>(fail(tables.error()));
  return std::make_unique<PagedCursor>(RangePages::of(parts_.remote, *tables, range, direction));
}

}  // namespace tavola::governed
