// The connections to PostgreSQL: opened when they are needed, kept, and replaced when the server is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <vector>

#include "base/locks.h"
#include "store/postgres/connection.h"

namespace tavola::store {

class Pool;

// A connection that returns to its pool at the end. Then no transaction may be open on it.
class LentConnection {
 public:
  LentConnection(Pool& pool, std::unique_ptr<Connection> connection)
      : pool_(&pool), connection_(std::move(connection)) {}
  LentConnection(LentConnection&&) noexcept = default;
  LentConnection& operator=(LentConnection&&) = delete;
  ~LentConnection();
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  Pool* pool_;
  std::unique_ptr<Connection> connection_;
};

// Thread safety: all methods. It must outlive what it lent.
class Pool {
 public:
  struct Options {
    PostgresPlace place;
    std::size_t connections_max = 0;
    // How long to wait for a server that accepts writes, and for a connection that is free.
    std::chrono::milliseconds patience{0};
  };
  Pool(const Libpq& pq, Options options) : pq_(pq), options_(std::move(options)) {}

  using Lent = LentConnection;
  // Waits while the server is away: a failover takes some seconds. Fails with Io.
  Result<Lent> lend() { return lend(options_.patience); }
  Result<Lent> lend(std::chrono::milliseconds patience);
  // Adds a connection that is open already.
  void add(std::unique_ptr<Connection> connection);
  // Closes the idle connections, when one of them turned out broken: the others are likely broken, too.
  void close_idle();
  std::size_t connections() const;

 private:
  friend class LentConnection;
  void give_back(std::unique_ptr<Connection> connection);
  Result<std::unique_ptr<Connection>> open_patiently(std::chrono::milliseconds patience);

  const Libpq& pq_;
  const Options options_;
  mutable Mutex mutex_;
  std::condition_variable_any returned_;
  std::vector<std::unique_ptr<Connection>> idle_ TAVOLA_GUARDED_BY(mutex_);
  std::size_t open_ TAVOLA_GUARDED_BY(mutex_) = 0;  // idle and lent
};

}  // namespace tavola::store
