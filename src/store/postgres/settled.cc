#include "store/postgres/settled.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "store/postgres/stored_key.h"
#include "store/store.h"

namespace tavola::store {
namespace {

constexpr std::size_t kMarksMax = 64;
constexpr int kLooksMax = 2000;  // some seconds
constexpr std::chrono::milliseconds kLookPause{1};

Error old_transaction_runs(std::int64_t oldest) {
  return {ErrorCode::Io,
          "the changes of a table cannot be read while an older transaction of PostgreSQL is open (number " +
              std::to_string(oldest) + ", see pg_stat_activity); end it"};
}

}  // namespace

Result<std::uint64_t> SettledAppends::settled(std::string_view prefix) {
  constexpr int kConnections = 3;
  const MutexLock lock(mutex_);
  for (int tries = 1;; ++tries) {
    if (!connection_) {
      TAVOLA_TRY(Pool::Lent lent, pool_.lend());
      connection_.emplace(std::move(lent));
    }
    Result<std::uint64_t> number = find(prefix);
    if (number || !is_lost_connection(number.error())) return number;
    connection_.reset();
    marks_.clear();
    if (tries == kConnections) return number;
    pool_.close_idle();
  }
}

Result<std::uint64_t> SettledAppends::find(std::string_view prefix) {
  const std::string from(prefix);
  const std::string to = from + std::string(sizeof(std::uint64_t) + 1, '\xff');
  Connection& connection = **connection_;
  std::int64_t oldest = 0;
  for (int looks = 0; looks < kLooksMax; ++looks) {
    if (looks == 0) {
      connection.add(Statement::MarkAppends);
      connection.split();  // its transaction ends before the next statement
    } else {
      std::this_thread::sleep_for(kLookPause);
    }
    connection.add(Statement::Settled, {from, to});
    TAVOLA_TRY(const std::vector<Rows> rows, connection.exchange());
    if (looks == 0) {
      TAVOLA_TRY(const std::int64_t number, int_in(rows.front().bytes(0, 0)));
      TAVOLA_TRY(const std::int64_t transaction, int_in(rows.front().bytes(0, 1)));
      remember({number, transaction});
    }
    const Rows& seen = rows.back();
    if (seen.is_null(0, 1)) return 0;
    TAVOLA_TRY(oldest, int_in(seen.bytes(0, 0)));
    const std::uint64_t after_last = appended_number(seen.bytes(0, 1)) + 1;
    if (const auto number = newest_ended(oldest))
      return std::min(static_cast<std::uint64_t>(*number) + 1, after_last);
  }
  return fail(old_transaction_runs(oldest));
}

void SettledAppends::remember(const Mark& mark) {
  marks_.push_back(mark);
  if (marks_.size() > kMarksMax) marks_.erase(marks_.begin() + 1);
}

std::optional<std::int64_t> SettledAppends::newest_ended(std::int64_t oldest_running) {
  const auto has_ended = [&](const Mark& mark) { return mark.transaction < oldest_running; };
  while (marks_.size() > 1 && has_ended(marks_[1])) marks_.pop_front();
  if (marks_.empty() || !has_ended(marks_.front())) return std::nullopt;
  return marks_.front().number;
}

}  // namespace tavola::store
