// Reads from PostgreSQL: values, cursors over ranges, and snapshots, which are transactions of their own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"
#include "store/postgres/pool.h"
#include "store/store.h"

namespace tavola::store {

// Asks one statement and waits for its result.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual Result<Rows> ask(Statement statement, const std::vector<std::string>& parameters) const = 0;
};

// Puts the value of a key together from its rows: one, or one for each slot of its counters.
class ValueRows {
 public:
  // Adds a row; `column` is that of the slot, and the value and the counters follow it. A row without a slot stands for no value.
  Result<void> add(const Rows& rows, int row, int column);
  std::optional<std::string> take() { return std::exchange(value_, std::nullopt); }

 private:
  std::optional<std::string> value_;
};

// As of one moment, reads the value of a key, and notes the stamp.
Result<std::optional<std::string>> read_value(const Asker& asker, std::string_view key);

// Borrows the asker. The first statement asks for `first_rows` rows, later ones for what makes about a megabyte.
inline constexpr std::size_t kRowsAtFirst = 128;
std::unique_ptr<Cursor> open_cursor(const Asker& asker, const KeyRange& range, Direction direction,
                                    std::size_t first_rows = kRowsAtFirst);

// The end of a range as PostgreSQL needs it: there is always one, because some keys are the store's own.
std::string end_of(const KeyRange& range);

// A snapshot. If the server goes away, get() and cursors say so. Thread safety: as Snapshot.
class PostgresSnapshot final : public Snapshot, private Asker {
 public:
  // AtFirstRead: of the moment of its first read, which saves a round trip.
  enum class Moment : std::uint8_t { Now, AtFirstRead };
  PostgresSnapshot(Pool& pool, Moment moment);
  ~PostgresSnapshot() override;
  PostgresSnapshot(const PostgresSnapshot&) = delete;
  PostgresSnapshot& operator=(const PostgresSnapshot&) = delete;

  Result<std::optional<std::string>> get(std::string_view key) const override;
  std::unique_ptr<Cursor> range(const KeyRange& range, Direction direction) const override;

 private:
  Result<Rows> ask(Statement statement, const std::vector<std::string>& parameters) const override;
  Result<Rows> begin(Statement statement, const std::vector<std::string>& parameters) const
      TAVOLA_REQUIRES(mutex_);
  Result<Rows> ask_again(Statement statement, const std::vector<std::string>& parameters) const
      TAVOLA_REQUIRES(mutex_);

  Pool& pool_;
  mutable Mutex mutex_;
  mutable std::optional<Pool::Lent> connection_ TAVOLA_GUARDED_BY(mutex_);
  mutable std::optional<Error> failure_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::store
