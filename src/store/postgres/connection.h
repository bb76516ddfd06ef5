// One connection to PostgreSQL. Statements are prepared when it opens, and sent in groups: a group is one round trip.
//
//   connection.add(Statement::Begin);
//   connection.add(Statement::Lock, {keys, shared});
//   TAVOLA_TRY(const std::vector<Rows> rows, connection.exchange());    // one for each statement
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "store/postgres/statements.h"

struct pg_conn;  // libpq's
struct pg_result;

namespace tavola::store {

// The functions of libpq, PostgreSQL's client library. It is loaded when the first store on PostgreSQL is opened: neither the program nor
// programs of embedders depend on it, and none that does not use it spends time on loading it.
struct Libpq;

// Fails with Io if it is not installed or too old. Once loaded it stays loaded.
Result<const Libpq*> load_libpq();

struct FreeResult {
  const Libpq* pq;
  void operator()(pg_result* result) const noexcept;
};
using ResultPtr = std::unique_ptr<pg_result, FreeResult>;

// The detail of an error of PostgreSQL.
struct PostgresFailure final : ErrorDetail {
  PostgresFailure(std::string sqlstate, bool lost) : state(std::move(sqlstate)), is_lost(lost) {}
  std::string state;  // its SQLSTATE; empty if the connection broke
  bool is_lost;       // the connection cannot be used any more
};

bool is_lost_connection(const Error& error);
// Returns whether the transaction was rolled back to let another one through, and may be tried again.
bool is_lost_race(const Error& error);

// The result of one statement.
class Rows {
 public:
  Rows(const Libpq& pq, ResultPtr result) : pq_(&pq), result_(std::move(result)) {}

  int count() const;
  bool is_null(int row, int column) const;
  std::string_view bytes(int row, int column) const;
  std::string_view command() const;

 private:
  const Libpq* pq_;
  ResultPtr result_;
};

// Where the store is.
struct PostgresPlace {
  std::string url;
  std::string schema;  // a name of [a-z0-9_]
};

// Thread safety: one thread at a time.
class Connection {
 public:
  // Connects to a server that can be written to. Fails with Io, also for what Tavola does not support.
  static Result<std::unique_ptr<Connection>> open(const Libpq& pq, const PostgresPlace& place);
  // As open(), and makes the schema if it is missing.
  static Result<std::unique_ptr<Connection>> open_first(const Libpq& pq, const PostgresPlace& place);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Adds a statement to the group.
  void add(Statement statement, const std::vector<std::string>& parameters = {});
  // Ends the group and begins another one in the same round trip. An error skips the rest of its group only.
  void split();
  // Sends what was added, and waits for the results. Returns the first error; then a transaction that was begun must be rolled back.
  Result<std::vector<Rows>> exchange();
  // Sends what was added. Its results are read, and dropped, before those of the next exchange().
  void leave();

  bool is_broken() const { return is_broken_; }

 private:
  struct Close {
    const Libpq* pq;
    void operator()(pg_conn* connection) const noexcept;
  };
  // An answer that the server still owes.
  enum class Awaited : std::uint8_t { Result, DroppedResult, GroupEnd };

  Connection(const Libpq& pq, std::unique_ptr<pg_conn, Close> connection)
      : pq_(pq), connection_(std::move(connection)) {}
  static Result<std::unique_ptr<Connection>> connect(const Libpq& pq, const PostgresPlace& place);
  Result<void> check_server();
  Result<void> make_schema_if_missing(const PostgresPlace& place);
  Result<void> prepare(const PostgresPlace& place);
  Result<Rows> execute(const std::string& sql);
  Result<ResultPtr> next_result();
  Error error_of(const pg_result* result);
  Error broken();

  const Libpq& pq_;
  std::unique_ptr<pg_conn, Close> connection_;
  std::vector<Awaited> awaited_;
  bool is_broken_ = false;
};

}  // namespace tavola::store
