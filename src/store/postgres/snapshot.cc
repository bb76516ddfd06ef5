#include "store/postgres/snapshot.h"

#include <algorithm>
#include <utility>

#include "store/postgres/stored_key.h"
#include "store/read_stamp.h"

namespace tavola::store {
namespace {

constexpr std::size_t kPageBytes = std::size_t{1024} * 1024;
constexpr std::size_t kRowsAtLeast = 16;
constexpr std::size_t kRowsAtMost = 2000;
constexpr std::size_t kRowsOfAll = std::numeric_limits<std::int32_t>::max();

struct Column {
  enum : int { Head, Hash, Slot, Rest, Value, Counters };
};

// Walks rows in pages. Where all keys are short, the index has them in their order. As soon as a page contains a long one, or a bound of the
// range is long, the pages are read in the order of the whole key, which PostgreSQL sorts.
class PostgresCursor final : public Cursor {
 public:
  PostgresCursor(const Asker& asker, const KeyRange& range, Direction direction, std::size_t first_rows)
      : asker_(asker),
        from_(range.from),
        to_(end_of(range)),
        direction_(direction),
        rows_wanted_(std::clamp(first_rows, std::size_t{1}, kRowsOfAll)) {
    const StoredKey from = stored_key(from_);
    const StoredKey to = stored_key(to_);
    is_long_ = from.is_long() || to.is_long();
    const StoredKey& start = direction_ == Direction::Forward ? from : to;
    last_ = {.head = std::string(start.head), .hash = {}, .rest = std::string(start.rest), .slot = -1};
    if (from_ >= to_) is_at_end_ = true;
    next();
  }

  bool valid() const override { return is_valid_; }
  std::string_view key() const override { return key_; }
  std::string_view value() const override { return value_; }
  Result<void> status() const override {
    if (failure_) return fail(*failure_);
    return {};
  }
  void next() override {
    is_valid_ = false;
    Result<bool> found = find_row();
    if (found && *found) found = take_entry();
    if (!found) failure_ = std::move(found).error();
    is_valid_ = found && *found;
  }

 private:
  // The last row that was taken.
  struct Place {
    std::string head;
    std::string hash;
    std::string rest;
    std::int64_t slot = 0;
  };

  // Returns whether there is a row at row_.
  Result<bool> find_row() {
    if (page_ && row_ < page_->count()) return true;
    if (is_at_end_) return false;
    TAVOLA_CHECK(fetch());
    return page_->count() > 0;
  }

  Result<void> fetch() {
    if (!is_long_) {
      TAVOLA_CHECK(ask());
      for (int row = 0; row < page_->count() && !is_long_; ++row)
        is_long_ = !page_->bytes(row, Column::Hash).empty();
      if (!is_long_) return {};
    }
    return ask();
  }

  Result<void> ask() {
    const bool is_forward = direction_ == Direction::Forward;
    const StoredKey other = stored_key(is_forward ? to_ : from_);
    std::vector<std::string> parameters{last_.head, is_long_ ? last_.rest : last_.hash,
                                        binary_int16(static_cast<std::int16_t>(last_.slot)),
                                        std::string(other.head)};
    if (is_long_) parameters.emplace_back(other.rest);
    parameters.push_back(binary_int64(static_cast<std::int64_t>(rows_wanted_)));
    const Statement statement = is_long_ ? (is_forward ? Statement::ForwardLong : Statement::BackwardLong)
                                         : (is_forward ? Statement::Forward : Statement::Backward);
    TAVOLA_TRY(Rows page, asker_.ask(statement, parameters));
    page_.emplace(std::move(page));
    row_ = 0;
    is_at_end_ = static_cast<std::size_t>(page_->count()) < rows_wanted_;
    std::size_t bytes = 0;
    for (int row = 0; row < page_->count(); ++row) bytes += page_->bytes(row, Column::Value).size() + 1;
    const std::size_t average =
        bytes / std::max<std::size_t>(1, static_cast<std::size_t>(page_->count())) + 1;
    rows_next_ = std::clamp(kPageBytes / average, kRowsAtLeast, kRowsAtMost);
    return {};
  }

  Result<void> take_row() {
    TAVOLA_TRY(const std::int64_t slot, int_in(page_->bytes(row_, Column::Slot)));
    last_ = {.head = std::string(page_->bytes(row_, Column::Head)),
             .hash = std::string(page_->bytes(row_, Column::Hash)),
             .rest = std::string(page_->bytes(row_, Column::Rest)),
             .slot = slot};
    ++row_;
    if (row_ == page_->count()) rows_wanted_ = rows_next_;
    return {};
  }

  bool continues_entry() const {
    return page_->bytes(row_, Column::Head) == last_.head && page_->bytes(row_, Column::Hash) == last_.hash;
  }

  Result<bool> take_entry() {
    const int first = row_;
    TAVOLA_CHECK(take_row());
    key_ = last_.head + last_.rest;
    if (last_.slot == 0) {
      value_ = page_->bytes(first, Column::Value);
      return true;
    }
    counters_.clear();
    TAVOLA_CHECK(add_slot(counters_, page_->bytes(first, Column::Counters)));
    for (;;) {
      TAVOLA_TRY(const bool is_there, find_row());
      if (!is_there || !continues_entry()) break;
      TAVOLA_CHECK(add_slot(counters_, page_->bytes(row_, Column::Counters)));
      TAVOLA_CHECK(take_row());
    }
    value_ = counters_;
    return true;
  }

  const Asker& asker_;
  const std::string from_;
  const std::string to_;
  const Direction direction_;
  std::size_t rows_wanted_;
  std::size_t rows_next_ = kRowsAtFirst;
  bool is_long_ = false;
  bool is_at_end_ = false;  // page_ is the last one
  Place last_;
  std::optional<Rows> page_;
  int row_ = 0;
  bool is_valid_ = false;
  std::string key_;
  std::string counters_;
  std::string_view value_;
  std::optional<Error> failure_;
};

}  // namespace

std::string end_of(const KeyRange& range) {
  return range.to.empty() ? std::string(kReservedPrefix) : std::min(range.to, std::string(kReservedPrefix));
}

namespace {

// Notes the stamp of the store as a read saw it (read_stamp.h).
void note_stamp(const Rows& rows, int column) {
  ReadStamp::note(rows.is_null(0, column) ? "none" : rows.bytes(0, column));
}

}  // namespace

Result<void> ValueRows::add(const Rows& rows, int row, int column) {
  if (rows.is_null(row, column)) return {};
  TAVOLA_TRY(const std::int64_t slot, int_in(rows.bytes(row, column)));
  if (slot == 0) {
    value_ = rows.bytes(row, column + 1);
    return {};
  }
  if (!value_) value_.emplace();
  return add_slot(*value_, rows.bytes(row, column + 2));
}

Result<std::optional<std::string>> read_value(const Asker& asker, std::string_view key) {
  const StoredKey stored = stored_key(key);
  TAVOLA_TRY(const Rows rows, asker.ask(Statement::Get, {std::string(stored.head), stored.hash}));
  note_stamp(rows, 3);
  ValueRows value;
  for (int row = 0; row < rows.count(); ++row) TAVOLA_CHECK(value.add(rows, row, 0));
  return value.take();
}

std::unique_ptr<Cursor> open_cursor(const Asker& asker, const KeyRange& range, Direction direction,
                                    std::size_t first_rows) {
  return std::make_unique<PostgresCursor>(asker, range, direction, first_rows);
}

PostgresSnapshot::PostgresSnapshot(Pool& pool, Moment moment) : pool_(pool) {
  if (moment == Moment::Now) static_cast<void>(get(kReservedKey));  // a failure is kept
}

PostgresSnapshot::~PostgresSnapshot() {
  const MutexLock lock(mutex_);
  if (!connection_) return;
  (*connection_)->add(Statement::Rollback);
  (*connection_)->leave();
}

Result<std::optional<std::string>> PostgresSnapshot::get(std::string_view key) const {
  return read_value(*this, key);
}

std::unique_ptr<Cursor> PostgresSnapshot::range(const KeyRange& range, Direction direction) const {
  return open_cursor(*this, range, direction);
}

Result<Rows> PostgresSnapshot::ask(Statement statement, const std::vector<std::string>& parameters) const {
  const MutexLock lock(mutex_);
  if (failure_) return fail(*failure_);
  Result<Rows> rows = connection_ ? ask_again(statement, parameters) : begin(statement, parameters);
  if (!rows) failure_ = rows.error();
  return rows;
}

Result<Rows> PostgresSnapshot::ask_again(Statement statement,
                                         const std::vector<std::string>& parameters) const {
  (*connection_)->add(statement, parameters);
  TAVOLA_TRY(std::vector<Rows> rows, (*connection_)->exchange());
  return std::move(rows.front());
}

// Begins on another connection if one broke: no read was answered yet.
Result<Rows> PostgresSnapshot::begin(Statement statement, const std::vector<std::string>& parameters) const {
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    TAVOLA_TRY(Pool::Lent lent, pool_.lend());
    lent->add(Statement::BeginSnapshot);
    lent->add(Statement::Stamp);
    lent->add(statement, parameters);
    Result<std::vector<Rows>> rows = lent->exchange();
    if (rows || !is_lost_connection(rows.error())) connection_.emplace(std::move(lent));
    if (rows) {
      note_stamp(rows->at(1), 0);
      return std::move(rows->at(2));
    }
    if (connection_ || tries == kTries) return fail(rows.error());
    pool_.close_idle();
  }
}

}  // namespace tavola::store
