#include "store/postgres/transact.h"

#include <algorithm>
#include <thread>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/assert.h"
#include "store/postgres/stored_key.h"

namespace tavola::store {
namespace {

constexpr std::uint32_t kCounterSlots = 32;

class PostgresView final : public View {
 public:
  explicit PostgresView(std::vector<std::optional<std::string>> values) : values_(std::move(values)) {}

  std::optional<std::string_view> operator[](std::size_t index) const override {
    TAVOLA_ASSERT(index < values_.size());
    if (!values_[index]) return std::nullopt;
    return *values_[index];
  }
  std::size_t size() const override { return values_.size(); }

 private:
  std::vector<std::optional<std::string>> values_;
};

// Asks inside a transaction that is open.
class TransactionAsker final : public Asker {
 public:
  explicit TransactionAsker(Connection& connection) : connection_(connection) {}
  Result<Rows> ask(Statement statement, const std::vector<std::string>& parameters) const override {
    connection_.add(statement, parameters);
    TAVOLA_TRY(std::vector<Rows> rows, connection_.exchange());
    return std::move(rows.front());
  }

 private:
  Connection& connection_;
};

// The columns of Statement::Read.
struct ReadColumn {
  enum : int { Number, Slot, Value, Counters, Same };
};

// Where keys and guards are, as parameters of Statement::Read.
struct Places {
  std::vector<std::string_view> heads{};
  std::vector<std::string> hashes{};

  void add(std::string_view key) {
    StoredKey stored = stored_key(key);
    heads.push_back(stored.head);
    hashes.push_back(std::move(stored.hash));
  }
  void append_to(std::vector<std::string>& parameters) const {
    const std::vector<std::string_view> hash_views(hashes.begin(), hashes.end());
    parameters.push_back(binary_bytes_array(heads));
    parameters.push_back(binary_bytes_array(hash_views));
  }
};

Error key_is_held(std::size_t key) {
  return {ErrorCode::TransactionConflict, "another transaction holds one of the keys",
          std::make_shared<Conflict>(key)};
}

// Returns whether a write concerns what may be remembered.
bool is_stamped(const Write& write) {
  if (write.kind != Write::Kind::EraseRange) return write.key.starts_with(kStampedPrefix);
  const bool ends_before = !write.value.empty() && write.value <= kStampedPrefix;
  return !ends_before && (write.key <= kStampedPrefix || write.key.starts_with(kStampedPrefix));
}

Error outcome_is_unknown(const std::string& why) {
  return {ErrorCode::Io,
          "the connection to PostgreSQL broke during a commit, and it is not known whether it took effect: " +
              why};
}

}  // namespace

class OpenTransaction {
 public:
  explicit OpenTransaction(Pool::Lent connection) : connection_(std::move(connection)) {
    connection_->add(Statement::Begin);
  }
  ~OpenTransaction() {
    if (has_ended_ || connection_->is_broken()) return;
    // Its locks must be free before the caller tries again, perhaps on another connection.
    connection_->add(Statement::Rollback);
    static_cast<void>(connection_->exchange());
  }
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;

  Connection& connection() { return *connection_; }

  // Sends BEGIN by itself. Without it, it goes with the first statements.
  Result<void> begin() {
    TAVOLA_CHECK(connection_->exchange());
    return {};
  }
  // Commits with the statements that were added.
  Result<void> commit() {
    connection_->add(Statement::Commit);
    TAVOLA_TRY(const std::vector<Rows> rows, connection_->exchange());
    has_ended_ = true;
    if (rows.back().command() == "COMMIT") return {};
    return fail(Error::internal("PostgreSQL answered COMMIT with " + std::string(rows.back().command())));
  }

 private:
  Pool::Lent connection_;
  bool has_ended_ = false;
};

Result<void> PostgresTransaction::run() {
  const auto until = std::chrono::steady_clock::now() + parts_.patience;
  for (int calls = 0; calls < kRuleCallsMax;) {
    const Result<Step> step = attempt();
    if (step && *step == Step::Done) return {};
    ++calls;
    if (step) continue;
    if (is_lost_race(step.error())) {
      ++parts_.statistics.lost_races;
    } else if (is_lost_connection(step.error()) && std::chrono::steady_clock::now() < until) {
      ++parts_.statistics.lost_connections;
      parts_.pool.close_idle();
    } else {
      return fail(step.error());
    }
  }
  return fail(rule_is_never_done());
}

Result<PostgresTransaction::Step> PostgresTransaction::attempt() {
  TAVOLA_TRY(Pool::Lent lent, parts_.pool.lend());
  OpenTransaction open(std::move(lent));
  Connection& connection = open.connection();
  add_locks(connection);
  add_reads(connection);
  TAVOLA_TRY(const std::vector<Rows> rows, connection.exchange());
  const Rows& read = rows.back();
  if (rows.size() > 2) TAVOLA_CHECK(check_locks(rows[1]));
  TAVOLA_CHECK(check_guards(read));
  TAVOLA_TRY(std::vector<std::optional<std::string>> values, keys_in(read));
  PostgresView view(std::move(values));
  if (!reads_.ranges().empty()) {
    TAVOLA_TRY(std::vector<RangeEntries> ranges, read_ranges(connection));
    view.set_ranges(std::move(ranges));
  }
  TAVOLA_TRY(Decision decision, transaction_.rule(view));
  if (decision.is_incomplete()) {
    reads_.extend(std::move(decision));
    return Step::Again;
  }
  if (decision.writes.empty()) return Step::Done;
  TAVOLA_CHECK(check_writes(decision.writes));
  TAVOLA_TRY(const std::int64_t id, int_in(read.bytes(0, ReadColumn::Value)));
  return commit(open, decision.writes, id);
}

void PostgresTransaction::add_locks(Connection& connection) {
  struct Lock {
    std::int64_t hash;
    bool is_shared;
    std::int64_t position;
    auto operator<=>(const Lock&) const = default;
  };
  const auto hash_of = [this](std::string_view key) {
    return static_cast<std::int64_t>(XXH3_64bits_withSeed(key.data(), key.size(), parts_.lock_seed));
  };
  std::vector<Lock> locks;
  for (std::size_t i = 0; i < reads_.keys().size(); ++i)
    locks.push_back({hash_of(reads_.keys()[i]), false, static_cast<std::int64_t>(i)});
  for (const Guard& guard : transaction_.guards) locks.push_back({hash_of(guard.key), true, 0});
  std::ranges::sort(locks);  // a key that is guarded, too, is locked as a key
  const auto doubles = std::ranges::unique(locks, {}, &Lock::hash);
  locks.erase(doubles.begin(), doubles.end());
  const bool waits = transaction_.contention == Contention::Wait;
  // Locks that nobody waits for need no order, and the first key may be a request token, which must be found held before anything else is.
  const auto comes_first = [](const Lock& lock) { return lock.position == 0 && !lock.is_shared; };
  if (const auto first = std::ranges::find_if(locks, comes_first); !waits && first != locks.end())
    std::rotate(locks.begin(), first, first + 1);
  if (locks.empty()) return;
  std::vector<std::int64_t> hashes;
  std::vector<std::int64_t> positions;
  std::vector<bool> shared;
  for (const Lock& lock : locks) {
    hashes.push_back(lock.hash);
    shared.push_back(lock.is_shared);
    positions.push_back(lock.position);
  }
  std::vector<std::string> parameters{binary_int64_array(hashes), binary_bool_array(shared)};
  if (!waits) parameters.push_back(binary_int64_array(positions));
  connection.add(waits ? Statement::Lock : Statement::LockOrRefuse, parameters);
}

void PostgresTransaction::add_reads(Connection& connection) {
  Places keys;
  for (const std::string& key : reads_.keys()) keys.add(key);
  Places guards;
  std::vector<std::string_view> expected;
  for (const Guard& guard : transaction_.guards) {
    guards.add(guard.key);
    expected.push_back(guard.expected);
  }
  std::vector<std::string> parameters;
  keys.append_to(parameters);
  guards.append_to(parameters);
  parameters.push_back(binary_bytes_array(expected));
  connection.add(Statement::Read, parameters);
}

Result<void> PostgresTransaction::check_locks(const Rows& rows) const {
  if (transaction_.contention == Contention::Wait) return {};
  TAVOLA_TRY(const std::int64_t refused, int_in(rows.bytes(0, 0)));
  if (refused < 0) return {};
  return fail(key_is_held(static_cast<std::size_t>(refused)));
}

// The server compares values; only counters, which have several rows, are compared here.
Result<void> PostgresTransaction::check_guards(const Rows& rows) const {
  struct Found {
    bool exists = false;
    bool is_same = false;
    ValueRows counters{};
  };
  std::vector<Found> found(transaction_.guards.size());
  for (int row = 0; row < rows.count(); ++row) {
    TAVOLA_TRY(const std::int64_t number, int_in(rows.bytes(row, ReadColumn::Number)));
    if (number >= 0) continue;
    Found& guard = found.at(static_cast<std::size_t>(-number) - 1);
    guard.exists = true;
    if (rows.is_null(row, ReadColumn::Same)) {
      TAVOLA_CHECK(guard.counters.add(rows, row, ReadColumn::Slot));
    } else {
      guard.is_same = rows.bytes(row, ReadColumn::Same) == std::string_view("\1", 1);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string_view expected = transaction_.guards[i].expected;
    const std::optional<std::string> counters = found[i].counters.take();
    const bool holds = expected.empty() ? !found[i].exists : found[i].is_same || counters == expected;
    if (!holds) return fail(guard_is_stale());
  }
  return {};
}

Result<std::vector<std::optional<std::string>>> PostgresTransaction::keys_in(const Rows& rows) const {
  std::vector<ValueRows> found(reads_.keys().size());
  for (int row = 0; row < rows.count(); ++row) {
    TAVOLA_TRY(const std::int64_t number, int_in(rows.bytes(row, ReadColumn::Number)));
    if (number > 0)
      TAVOLA_CHECK(found.at(static_cast<std::size_t>(number) - 1).add(rows, row, ReadColumn::Slot));
  }
  std::vector<std::optional<std::string>> values;
  values.reserve(found.size());
  for (ValueRows& value : found) values.push_back(value.take());
  return values;
}

// Each range is one statement, and so of one moment.
Result<std::vector<RangeEntries>> PostgresTransaction::read_ranges(Connection& connection) const {
  const TransactionAsker asker(connection);
  std::vector<RangeEntries> all;
  for (const RangeRead& read : reads_.ranges()) {
    const std::unique_ptr<Cursor> cursor = open_cursor(asker, read.range, read.direction, read.entries_max);
    TAVOLA_TRY(all.emplace_back(), first_entries(*cursor, read));
  }
  return all;
}

Result<PostgresTransaction::Step> PostgresTransaction::commit(OpenTransaction& open,
                                                              std::span<const Write> writes,
                                                              std::int64_t transaction_id) {
  const Marks::Mark mark = parts_.marks.take();
  std::vector<Write> all(writes.begin(), writes.end());
  all.push_back(Write::put(mark.key, mark.value));
  if (std::ranges::any_of(writes, is_stamped))
    all.push_back(Write::put(std::string(kStampKey), mark.key + mark.value));
  add_writes(open.connection(), all, static_cast<std::int16_t>(1 + mark.place % kCounterSlots));
  const Result<void> done = open.commit();
  if (!done && is_lost_connection(done.error())) return resolve(mark, transaction_id);
  parts_.marks.release(mark);
  if (!done) return fail(done.error());
  ++parts_.statistics.commits;
  return Step::Done;
}

Result<PostgresTransaction::Step> PostgresTransaction::resolve(const Marks::Mark& mark,
                                                               std::int64_t transaction_id) {
  constexpr std::chrono::milliseconds kPause{20};
  const auto until = std::chrono::steady_clock::now() + parts_.patience;
  ++parts_.statistics.lost_connections;
  parts_.pool.close_idle();
  for (;;) {
    const Result<std::optional<bool>> took_effect = look_up(mark, transaction_id);
    if (took_effect && *took_effect) {
      parts_.marks.release(mark);
      ++parts_.statistics.resolved_commits;
      return **took_effect ? Step::Done : Step::Again;
    }
    const bool may_retry = took_effect || is_lost_connection(took_effect.error());
    if (!may_retry || std::chrono::steady_clock::now() > until) {
      return fail(outcome_is_unknown(took_effect ? "the transaction is still running there"
                                                 : took_effect.error().message()));
    }
    std::this_thread::sleep_for(kPause);
  }
}

// Something is committed in any case: that commit is acknowledged only when everything before it is as durable as an answered commit.
Result<std::optional<bool>> PostgresTransaction::look_up(const Marks::Mark& mark,
                                                         std::int64_t transaction_id) {
  TAVOLA_TRY(Pool::Lent lent, parts_.pool.lend());
  lent->add(Statement::TransactionState, {binary_int64(transaction_id)});
  const Result<std::vector<Rows>> state = lent->exchange();
  // Other errors say that the number is not in use yet: the server lost it in a crash, or another server took over.
  if (!state && is_lost_connection(state.error())) return fail(state.error());
  if (state && !state->front().is_null(0, 0) && state->front().bytes(0, 0) == "in progress")
    return std::optional<bool>();
  OpenTransaction open(std::move(lent));
  const TransactionAsker asker(open.connection());
  TAVOLA_CHECK(open.begin());
  TAVOLA_TRY(const std::optional<std::string> found, read_value(asker, mark.key));
  const Write again[] = {Write::put(mark.key, found.value_or(""))};
  add_writes(open.connection(), again, 1);
  TAVOLA_CHECK(open.commit());
  return std::optional(found == mark.value);
}

}  // namespace tavola::store
