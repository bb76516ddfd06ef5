#include "store/postgres/connection.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <libpq-fe.h>
#include <optional>
#include <utility>

namespace tavola::store {

// The functions that are used, under their own names.
#define TAVOLA_LIBPQ_FUNCTIONS(X) \
  X(PQbackendPID)                 \
  X(PQclear)                      \
  X(PQcmdStatus)                  \
  X(PQconnectdbParams)            \
  X(PQconninfoFree)               \
  X(PQconninfoParse)              \
  X(PQenterPipelineMode)          \
  X(PQerrorMessage)               \
  X(PQexec)                       \
  X(PQfinish)                     \
  X(PQfreemem)                    \
  X(PQgetResult)                  \
  X(PQgetisnull)                  \
  X(PQgetlength)                  \
  X(PQgetvalue)                   \
  X(PQntuples)                    \
  X(PQpipelineSync)               \
  X(PQresultErrorField)           \
  X(PQresultErrorMessage)         \
  X(PQresultStatus)               \
  X(PQsendPrepare)                \
  X(PQsendQueryPrepared)          \
  X(PQserverVersion)              \
  X(PQsetNoticeProcessor)         \
  X(PQstatus)

struct Libpq {
#define TAVOLA_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  TAVOLA_LIBPQ_FUNCTIONS(TAVOLA_LIBPQ_MEMBER)
#undef TAVOLA_LIBPQ_MEMBER
};

namespace {

constexpr const char* kLibrary = "libpq.so.5";

#ifdef TAVOLA_STATIC
Result<Libpq> load() {
  return fail(Error(ErrorCode::Io,
                    "this program is linked statically and cannot load PostgreSQL's client library, which a "
                    "store on PostgreSQL "
                    "needs; build Tavola from source for that (`make install`)"));
}
#else
Result<Libpq> load() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(Error(ErrorCode::Io, "a store on PostgreSQL needs its client library " +
                                         std::string(kLibrary) + ", which could not be loaded (" + dlerror() +
                                         "); install it (Debian: libpq5)"));
  }
  Libpq pq;
  const char* missing = nullptr;
#define TAVOLA_LIBPQ_LOAD(name)                                         \
  pq.name = reinterpret_cast<decltype(pq.name)>(dlsym(library, #name)); \
  if (pq.name == nullptr) missing = #name;
  TAVOLA_LIBPQ_FUNCTIONS(TAVOLA_LIBPQ_LOAD)
#undef TAVOLA_LIBPQ_LOAD
  if (missing != nullptr) {
    return fail(Error(ErrorCode::Io, std::string(kLibrary) + " has no function " + missing +
                                         ": it is too old; install that of PostgreSQL 14 or newer"));
  }
  return pq;
}
#endif

constexpr int kOldestServer = 150000;

Error io(std::string message, std::string state = {}, bool is_lost = false) {
  return {ErrorCode::Io, std::move(message), std::make_shared<PostgresFailure>(std::move(state), is_lost)};
}

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// A server that is gone without a word (its power failed, or the network) is noticed after about ten seconds. What the URL says counts.
constexpr std::array<std::pair<const char*, const char*>, 6> kDefaults{{{"application_name", "tavola"},
                                                                        {"connect_timeout", "5"},
                                                                        {"keepalives_idle", "5"},
                                                                        {"keepalives_interval", "2"},
                                                                        {"keepalives_count", "3"},
                                                                        {"tcp_user_timeout", "10000"}}};

std::string name_of(std::size_t statement) { return "t" + std::to_string(statement); }

// SQLSTATEs of a server that shuts down, or that is not the primary any more.
bool ends_connection(std::string_view state) {
  return state.starts_with("08") || state.starts_with("57P") || state == "25006";
}

}  // namespace

Result<const Libpq*> load_libpq() {
  static const Result<Libpq> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

void FreeResult::operator()(pg_result* result) const noexcept { pq->PQclear(result); }
void Connection::Close::operator()(pg_conn* connection) const noexcept { pq->PQfinish(connection); }

int Rows::count() const { return pq_->PQntuples(result_.get()); }
bool Rows::is_null(int row, int column) const { return pq_->PQgetisnull(result_.get(), row, column) != 0; }
std::string_view Rows::bytes(int row, int column) const {
  return {pq_->PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(pq_->PQgetlength(result_.get(), row, column))};
}
std::string_view Rows::command() const { return pq_->PQcmdStatus(result_.get()); }

bool is_lost_connection(const Error& error) {
  const auto* failure = error.detail<PostgresFailure>();
  return failure != nullptr && failure->is_lost;
}

bool is_lost_race(const Error& error) {
  const auto* failure = error.detail<PostgresFailure>();
  return failure != nullptr && (failure->state == "40P01" || failure->state == "40001");
}

Result<std::unique_ptr<Connection>> Connection::open(const Libpq& pq, const PostgresPlace& place) {
  TAVOLA_TRY(std::unique_ptr<Connection> connection, connect(pq, place));
  TAVOLA_CHECK(connection->prepare(place));
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::open_first(const Libpq& pq, const PostgresPlace& place) {
  TAVOLA_TRY(std::unique_ptr<Connection> connection, connect(pq, place));
  TAVOLA_CHECK(connection->make_schema_if_missing(place));
  TAVOLA_CHECK(connection->prepare(place));
  return connection;
}

Result<std::unique_ptr<Connection>> Connection::connect(const Libpq& pq, const PostgresPlace& place) {
  char* why = nullptr;
  PQconninfoOption* given = pq.PQconninfoParse(place.url.c_str(), &why);
  if (given == nullptr) {
    Error error(ErrorCode::Validation,
                "the address of PostgreSQL cannot be read: " +
                    without_line_end(why == nullptr ? "out of memory" : why) +
                    "; it looks like postgresql://user@host1,host2/database?target_session_attrs=read-write");
    pq.PQfreemem(why);
    return fail(std::move(error));
  }
  std::vector<const char*> names{"dbname"};
  std::vector<const char*> values{place.url.c_str()};
  for (const auto& [name, value] : kDefaults) {
    bool is_given = false;
    for (const PQconninfoOption* option = given; option->keyword != nullptr; ++option)
      is_given = is_given || (std::string_view(option->keyword) == name && option->val != nullptr);
    if (is_given) continue;
    names.push_back(name);
    values.push_back(value);
  }
  pq.PQconninfoFree(given);
  names.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<PGconn, Close> raw(pq.PQconnectdbParams(names.data(), values.data(), 1), Close{&pq});
  if (raw == nullptr || pq.PQstatus(raw.get()) != CONNECTION_OK) {
    return fail(io("PostgreSQL cannot be reached: " +
                       without_line_end(raw == nullptr ? "out of memory" : pq.PQerrorMessage(raw.get())),
                   {}, true));
  }
  pq.PQsetNoticeProcessor(raw.get(), [](void*, const char*) {}, nullptr);
  std::unique_ptr<Connection> connection(new Connection(pq, std::move(raw)));
  TAVOLA_CHECK(connection->check_server());
  return connection;
}

// A connection through a pooler may be another server process in each transaction, which knows neither the prepared statements nor the
// settings. Poolers show themselves: they give clients numbers of processes that do not exist.
Result<void> Connection::check_server() {
  if (const int version = pq_.PQserverVersion(connection_.get()); version < kOldestServer) {
    return fail(io("PostgreSQL " + std::to_string(version / 10000) +
                   " is too old for a store; it must be version 15 or newer"));
  }
  TAVOLA_TRY(const Rows rows, execute("SELECT pg_backend_pid(), pg_is_in_recovery() OR"
                                      " current_setting('transaction_read_only')::boolean,"
                                      " current_setting('synchronous_commit'), current_setting('fsync')"));
  if (rows.bytes(0, 0) != std::to_string(pq_.PQbackendPID(connection_.get()))) {
    return fail(
        io("a connection pooler stands between Tavola and PostgreSQL, where prepared statements and locks of "
           "a session get lost; "
           "connect to the server itself: Tavola keeps its own pool of connections"));
  }
  if (rows.bytes(0, 1) == "t") {
    return fail(
        io("this server of PostgreSQL accepts no writes: it is a standby; name all servers and add "
           "target_session_attrs=read-write",
           "25006", true));
  }
  if (rows.bytes(0, 2) == "off") {
    return fail(io(
        "PostgreSQL acknowledges commits before they are on disk (synchronous_commit = off); set it to on"));
  }
  return {};
}

Result<void> Connection::make_schema_if_missing(const PostgresPlace& place) {
  TAVOLA_CHECK(execute("BEGIN"));
  TAVOLA_CHECK(execute("SELECT pg_advisory_xact_lock(hashtextextended('" + place.schema + ".format', 0))"));
  TAVOLA_TRY(const Rows found, execute("SELECT to_regclass('" + place.schema + ".format') IS NOT NULL"));
  if (found.bytes(0, 0) != "t") TAVOLA_CHECK(execute(make_schema(place.schema)));
  TAVOLA_CHECK(execute("COMMIT"));
  TAVOLA_TRY(const Rows version, execute("SELECT max(version) FROM " + place.schema + ".format"));
  if (version.bytes(0, 0) == std::to_string(kSchemaVersion)) return {};
  return fail(Error(ErrorCode::NewerFormat, "the schema " + place.schema + " of PostgreSQL has version " +
                                                std::string(version.bytes(0, 0)) +
                                                ", which this Tavola does not know; use a newer Tavola"));
}

Result<void> Connection::prepare(const PostgresPlace& place) {
  TAVOLA_CHECK(execute(session_settings(place.schema)));
  pq_.PQenterPipelineMode(connection_.get());
  for (const auto& [statement, sql] : all_statements()) {
    const std::string name = name_of(static_cast<std::size_t>(statement));
    if (pq_.PQsendPrepare(connection_.get(), name.c_str(), sql, 0, nullptr) == 0) return fail(broken());
    awaited_.push_back(Awaited::Result);
  }
  TAVOLA_CHECK(exchange());
  return {};
}

Result<Rows> Connection::execute(const std::string& sql) {
  ResultPtr result(pq_.PQexec(connection_.get(), sql.c_str()), FreeResult{&pq_});
  const ExecStatusType status = pq_.PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return Rows(pq_, std::move(result));
  return fail(error_of(result.get()));
}

void Connection::add(Statement statement, const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& parameter : parameters) {
    values.push_back(parameter.data());
    lengths.push_back(static_cast<int>(parameter.size()));
  }
  const std::vector<int> formats(parameters.size(), 1);
  const std::string name = name_of(static_cast<std::size_t>(statement));
  const int sent = pq_.PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                                           values.data(), lengths.data(), formats.data(), 1);
  if (sent == 0) is_broken_ = true;
  awaited_.push_back(Awaited::Result);
}

void Connection::split() {
  if (pq_.PQpipelineSync(connection_.get()) == 0) is_broken_ = true;
  awaited_.push_back(Awaited::GroupEnd);
}

void Connection::leave() {
  split();
  std::ranges::replace(awaited_, Awaited::Result, Awaited::DroppedResult);
}

Result<std::vector<Rows>> Connection::exchange() {
  split();
  std::vector<Rows> rows;
  std::optional<Error> failure;
  for (const Awaited awaited : std::exchange(awaited_, {})) {
    TAVOLA_TRY(ResultPtr result, next_result());
    const ExecStatusType status = pq_.PQresultStatus(result.get());
    if (awaited == Awaited::GroupEnd) {
      if (status != PGRES_PIPELINE_SYNC) return fail(broken());
      continue;
    }
    if (pq_.PQgetResult(connection_.get()) != nullptr) return fail(broken());
    if (status == PGRES_FATAL_ERROR) {
      Error error = error_of(result.get());
      if (is_broken_) return fail(std::move(error));
      if (awaited == Awaited::Result && !failure) failure = std::move(error);
    } else if (awaited == Awaited::Result) {
      rows.emplace_back(pq_, std::move(result));
    }
  }
  if (failure) return fail(*std::move(failure));
  return rows;
}

Result<ResultPtr> Connection::next_result() {
  if (is_broken_) return fail(broken());
  ResultPtr result(pq_.PQgetResult(connection_.get()), FreeResult{&pq_});
  if (result == nullptr || pq_.PQstatus(connection_.get()) != CONNECTION_OK) {
    return fail(result == nullptr ? broken() : error_of(result.get()));
  }
  return result;
}

Error Connection::broken() {
  is_broken_ = true;
  return io("the connection to PostgreSQL broke: " + without_line_end(pq_.PQerrorMessage(connection_.get())),
            {}, true);
}

Error Connection::error_of(const PGresult* result) {
  const char* field = pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string state = field == nullptr ? "" : field;
  const bool is_lost =
      state.empty() || ends_connection(state) || pq_.PQstatus(connection_.get()) != CONNECTION_OK;
  if (is_lost) is_broken_ = true;
  const std::string message = "PostgreSQL: " + without_line_end(pq_.PQresultErrorMessage(result));
  if (state == "53100") {
    return {ErrorCode::DiskFull, message + "; free some space on the server of PostgreSQL",
            std::make_shared<PostgresFailure>(state, is_lost)};
  }
  return io(message, state, is_lost);
}

}  // namespace tavola::store
