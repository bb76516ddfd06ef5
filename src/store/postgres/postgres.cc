// The store on PostgreSQL: one table, read by statements and written by transactions with advisory locks.
#include <filesystem>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "store/copied_checkpoint.h"
#include "store/postgres/connection.h"
#include "store/postgres/marks.h"
#include "store/postgres/pool.h"
#include "store/postgres/settled.h"
#include "store/postgres/snapshot.h"
#include "store/postgres/statistics.h"
#include "store/postgres/stored_key.h"
#include "store/postgres/transact.h"
#include "store/store.h"

namespace tavola::store {
namespace {

// Asks one statement outside of a transaction, on another connection if one broke.
class PoolAsker final : public Asker {
 public:
  explicit PoolAsker(Pool& pool) : pool_(pool) {}
  Result<Rows> ask(Statement statement, const std::vector<std::string>& parameters) const override {
    constexpr int kTries = 3;
    for (int tries = 1;; ++tries) {
      TAVOLA_TRY(Pool::Lent lent, pool_.lend());
      lent->add(statement, parameters);
      Result<std::vector<Rows>> rows = lent->exchange();
      if (rows) return std::move(rows->front());
      if (!is_lost_connection(rows.error()) || tries == kTries) return fail(rows.error());
      pool_.close_idle();
    }
  }

 private:
  Pool& pool_;
};

class PostgresStore final : public Store {
 public:
  PostgresStore(const Libpq& pq, const PostgresOptions& options)
      : options_(options),
        pool_(pq, {.place = {options.url, options.schema},
                   .connections_max = options.connections_max,
                   .patience = options.patience}) {}
  ~PostgresStore() override;

  Result<void> open(std::unique_ptr<Connection> first);

  Result<std::optional<std::string>> get(std::string_view key) const override {
    return read_value(PoolAsker(pool_), key);
  }
  std::unique_ptr<Snapshot> snapshot() const override {
    return std::make_unique<PostgresSnapshot>(pool_, PostgresSnapshot::Moment::Now);
  }
  std::unique_ptr<Snapshot> snapshot_for_answer() const override {
    return std::make_unique<PostgresSnapshot>(pool_, PostgresSnapshot::Moment::AtFirstRead);
  }
  Result<void> transact(std::span<const std::string> keys, std::span<const Guard> guards,
                        const WriteRule& rule, Contention contention) override {
    PostgresTransaction transaction({.pool = pool_,
                                     .marks = marks_,
                                     .statistics = statistics_,
                                     .lock_seed = lock_seed_,
                                     .patience = options_.patience},
                                    {keys, guards, rule, contention});
    return transaction.run();
  }
  Result<std::uint64_t> settled(std::string_view prefix) override { return settled_.settled(prefix); }
  // PostgreSQL answers a commit when it is durable, and shows it to nobody before.
  void when_durable(std::function<void(Result<void>)> done) override { done({}); }
  bool is_shared() const override { return true; }
  bool leads() override;
  std::optional<Error> trouble() override;
  std::vector<Figure> figures() const override;
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return copy_to_directory(*snapshot(), directory);
  }
  Result<void> sync() override { return {}; }

 private:
  const PostgresOptions options_;
  mutable Pool pool_;
  Marks marks_;
  Statistics statistics_;
  SettledAppends settled_{pool_};
  Mutex leading_mutex_;
  std::optional<Pool::Lent> leading_ TAVOLA_GUARDED_BY(leading_mutex_);  // has the lock of the leader
  const std::uint64_t lock_seed_ = XXH3_64bits(options_.schema.data(), options_.schema.size());
};

// Erases the marks of stores that were killed.
Result<void> PostgresStore::open(std::unique_ptr<Connection> first) {
  const KeyRange all = Marks::all();
  first->add(Statement::Forward, {all.from, "", binary_int16(-1), all.to,
                                  binary_int64(std::numeric_limits<std::int32_t>::max())});
  TAVOLA_TRY(const std::vector<Rows> rows, first->exchange());
  std::vector<Write> old;
  for (int row = 0; row < rows.front().count(); ++row) {
    if (Marks::is_old(rows.front().bytes(row, 4)))
      old.push_back(Write::erase(std::string(rows.front().bytes(row, 0))));
  }
  if (!old.empty()) {
    add_writes(*first, old, 1);
    TAVOLA_CHECK(first->exchange());
  }
  pool_.add(std::move(first));
  return {};
}

PostgresStore::~PostgresStore() {
  const KeyRange own = marks_.own();
  static_cast<void>(PoolAsker(pool_).ask(Statement::EraseRange, {own.from, "", own.to, ""}));
}

// The lock belongs to a connection: it ends with the process.
bool PostgresStore::leads() {
  constexpr std::chrono::seconds kPatience{1};
  const std::uint64_t lock = XXH3_64bits_withSeed("leader", 6, lock_seed_);
  const MutexLock guard(leading_mutex_);
  if (leading_ && (*leading_)->is_broken()) leading_.reset();
  const bool had_lock = leading_.has_value();
  if (!had_lock) {
    Result<Pool::Lent> lent = pool_.lend(kPatience);
    if (!lent) return false;
    leading_.emplace(*std::move(lent));
  }
  // A process that has the lock only asks whether the connection is still there.
  if (had_lock) {
    (*leading_)->add(Statement::Stamp);
  } else {
    (*leading_)->add(Statement::Lead, {binary_int64(static_cast<std::int64_t>(lock))});
  }
  const Result<std::vector<Rows>> rows = (*leading_)->exchange();
  const bool leads = rows && (had_lock || rows->front().bytes(0, 0) == std::string_view("\1", 1));
  if (!leads) leading_.reset();
  return leads;
}

std::optional<Error> PostgresStore::trouble() {
  constexpr std::chrono::seconds kPatience{1};
  Result<Pool::Lent> lent = pool_.lend(kPatience);
  if (!lent) return lent.error();
  (*lent)->add(Statement::Get, {std::string(kReservedKey), ""});
  const Result<std::vector<Rows>> rows = (*lent)->exchange();
  if (!rows) return rows.error();
  return std::nullopt;
}

std::vector<Store::Figure> PostgresStore::figures() const {
  return {{"postgres_connections", "Connections to PostgreSQL.", pool_.connections()},
          {"postgres_commits", "Transactions that were committed.", statistics_.commits},
          {"postgres_lost_races", "Transactions that PostgreSQL rolled back for another one.",
           statistics_.lost_races},
          {"postgres_lost_connections", "Transactions whose connection broke.", statistics_.lost_connections},
          {"postgres_resolved_commits", "Commits whose answer was lost, and that were looked up.",
           statistics_.resolved_commits}};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() < 40 &&
         std::ranges::all_of(
             name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }) &&
         !(name.front() >= '0' && name.front() <= '9');
}

}  // namespace

Result<std::unique_ptr<Store>> open_postgres(const PostgresOptions& options) {
  if (!is_plain_name(options.schema)) {
    return fail(Error::validation(
        "the name of a schema of PostgreSQL is made of a to z, 0 to 9 and _, not '" + options.schema + "'"));
  }
  TAVOLA_TRY(const Libpq* pq, load_libpq());
  TAVOLA_TRY(std::unique_ptr<Connection> first, Connection::open_first(*pq, {options.url, options.schema}));
  auto store = std::make_unique<PostgresStore>(*pq, options);
  TAVOLA_CHECK(store->open(std::move(first)));
  return store;
}

}  // namespace tavola::store
