#include "store/postgres/statements.h"

#include "base/assert.h"

namespace tavola::store {
namespace {

// kStampKey of stored_key.h
#define STAMP "(SELECT v FROM kv WHERE p = '\\xffffffff73'::bytea AND h = ''::bytea AND slot = 0)"

constexpr StatementText kStatements[] = {
    {Statement::Begin, "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {Statement::BeginSnapshot, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
    {Statement::Commit, "COMMIT"},
    {Statement::Rollback, "ROLLBACK"},
    {Statement::Lock,
     "SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(key) ELSE pg_advisory_xact_lock(key) END"
     " FROM unnest($1::bigint[], $2::boolean[]) AS t(key, shared)"},
    {Statement::LockOrRefuse, "SELECT lock_or_refuse($1::bigint[], $2::boolean[], $3::bigint[])"},
    {Statement::Read,
     "SELECT 0::bigint AS n, 0::smallint AS slot, int8send(pg_current_xact_id()::text::bigint) AS v,"
     " NULL::bigint[] AS c, NULL::boolean AS same"
     " UNION ALL SELECT t.n, kv.slot, kv.v, kv.c, NULL"
     " FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS t(p, h, n) JOIN kv USING (p, h)"
     " UNION ALL SELECT -t.n, kv.slot, NULL, kv.c, kv.v = t.v"
     " FROM unnest($3::bytea[], $4::bytea[], $5::bytea[]) WITH ORDINALITY AS t(p, h, v, n) JOIN kv USING (p, "
     "h)"},
    {Statement::Get, "SELECT kv.slot, kv.v, kv.c, stamp FROM (SELECT " STAMP " AS stamp) AS s"
                     " LEFT JOIN kv ON kv.p = $1::bytea AND kv.h = $2::bytea"},
    {Statement::Stamp, "SELECT " STAMP},
    {Statement::Forward,
     "SELECT p, h, slot, r, v, c FROM kv WHERE (p, h, slot) > ($1::bytea, $2::bytea, $3::smallint)"
     " AND p < $4::bytea ORDER BY p, h, slot LIMIT $5::bigint"},
    {Statement::Backward,
     "SELECT p, h, slot, r, v, c FROM kv WHERE (p, h, slot) < ($1::bytea, $2::bytea, $3::smallint)"
     " AND p >= $4::bytea ORDER BY p DESC, h DESC, slot DESC LIMIT $5::bigint"},
    {Statement::ForwardLong,
     "SELECT p, h, slot, r, v, c FROM kv WHERE p >= $1::bytea AND p <= $4::bytea"
     " AND (p, r, slot) > ($1::bytea, $2::bytea, $3::smallint) AND (p, r) < ($4::bytea, $5::bytea)"
     " ORDER BY p, r, slot LIMIT $6::bigint"},
    {Statement::BackwardLong,
     "SELECT p, h, slot, r, v, c FROM kv WHERE p <= $1::bytea AND p >= $4::bytea"
     " AND (p, r, slot) < ($1::bytea, $2::bytea, $3::smallint) AND (p, r) >= ($4::bytea, $5::bytea)"
     " ORDER BY p DESC, r DESC, slot DESC LIMIT $6::bigint"},
    {Statement::Put,
     "INSERT INTO kv (p, h, slot, r, v) SELECT p, h, 0, r, v"
     " FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bytea[]) AS t(p, h, r, v)"
     " ON CONFLICT (p, h, slot) DO UPDATE SET v = excluded.v"},
    {Statement::Erase,
     "DELETE FROM kv USING unnest($1::bytea[], $2::bytea[]) AS t(p, h) WHERE kv.p = t.p AND kv.h = t.h"},
    {Statement::EraseRange,
     "DELETE FROM kv WHERE p >= $1::bytea AND p <= $3::bytea AND (p, r) >= ($1::bytea, $2::bytea)"
     " AND (p, r) < ($3::bytea, $4::bytea)"},
    {Statement::Add,
     "INSERT INTO kv (p, h, r, slot, c) VALUES ($1::bytea, $2::bytea, $3::bytea, $4::smallint, $5::bigint[])"
     " ON CONFLICT (p, h, slot) DO UPDATE SET c = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)"
     " FROM unnest(kv.c, excluded.c) WITH ORDINALITY AS t(a, b, n) ORDER BY n)"},
    {Statement::Append, "SELECT append_values($1::bytea[], $2::bytea[], $3::bigint)"},
    {Statement::MarkAppends, "SELECT number, transaction FROM mark_appends()"},
    {Statement::Settled,
     "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,"
     " (SELECT p FROM kv WHERE p >= $1::bytea AND p < $2::bytea ORDER BY p DESC LIMIT 1)"},
    {Statement::Lead, "SELECT pg_try_advisory_lock($1::bigint)"},
    {Statement::TransactionState, "SELECT pg_xact_status($1::bigint::text::xid8)"},
};

// append_values(): the numbers of appends (Write::append). They come from a sequence, so each is given once and they only grow; and the
// sequence is moved on to the least number, which is a time. A session's advisory lock makes both one step. It is held for microseconds
// and not until the commit, so appends wait for each other's numbers, but never for each other's commits.
//
// lock_or_refuse(): a lock that is held shared is held by guards only, for which everybody waits. It returns the first position whose key
// is held: that of a request token, if there is one.
constexpr const char* kSchema = R"sql(
CREATE SCHEMA IF NOT EXISTS @;
SET search_path = @;
CREATE TABLE IF NOT EXISTS format (version int NOT NULL);
CREATE TABLE IF NOT EXISTS kv (
  p bytea NOT NULL, h bytea NOT NULL, slot smallint NOT NULL, r bytea NOT NULL, v bytea, c bigint[],
  PRIMARY KEY (p, h, slot));
CREATE SEQUENCE IF NOT EXISTS appends MINVALUE 0 START 0;
CREATE OR REPLACE FUNCTION append_values(prefixes bytea[], given bytea[], at_least bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  lock bigint := hashtextextended(current_schema() || '.appends', 0);
BEGIN
  PERFORM pg_current_xact_id();
  PERFORM pg_advisory_lock(lock);
  SELECT greatest(at_least, last_value + is_called::int) INTO first FROM appends;
  PERFORM setval('appends', first + cardinality(prefixes) - 1);
  PERFORM pg_advisory_unlock(lock);
  INSERT INTO kv (p, h, slot, r, v)
    SELECT t.p || int8send(first + n - 1), ''::bytea, 0, ''::bytea, t.v
    FROM unnest(prefixes, given) WITH ORDINALITY AS t(p, v, n);
  RETURN first;
END $$;
CREATE OR REPLACE FUNCTION mark_appends(OUT number bigint, OUT transaction bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT last_value INTO number FROM appends;
  transaction := pg_current_xact_id()::text::bigint;
END $$;
CREATE OR REPLACE FUNCTION lock_or_refuse(keys bigint[], shared boolean[], positions bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  held bigint;
BEGIN
  FOR i IN 1 .. cardinality(keys) LOOP
    IF shared[i] THEN
      PERFORM pg_advisory_xact_lock_shared(keys[i]);
    ELSIF NOT pg_try_advisory_xact_lock(keys[i]) THEN
      SELECT min(t.position) INTO held FROM unnest(keys, positions) AS t(key, position) JOIN pg_locks AS l
        ON l.classid::bigint = (t.key >> 32) & 4294967295 AND l.objid::bigint = t.key & 4294967295
        WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.mode = 'ExclusiveLock' AND l.granted
        AND l.pid <> pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());
      IF held IS NOT NULL THEN
        RETURN held;
      END IF;
      PERFORM pg_advisory_xact_lock(keys[i]);
    END IF;
  END LOOP;
  RETURN -1;
END $$;
INSERT INTO format SELECT 1 WHERE NOT EXISTS (SELECT FROM format);
)sql";

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + name.size()))
    text.replace(at, 1, name);
  return text;
}

}  // namespace

std::span<const StatementText> all_statements() {
  for (std::size_t i = 0; i < std::size(kStatements); ++i)
    TAVOLA_ASSERT(static_cast<std::size_t>(kStatements[i].statement) == i);
  return kStatements;
}

// Every statement has one good plan, by the primary key, whatever the statistics say: those of a table that was empty a moment ago are
// wrong. And a plan that is made once costs nothing later.
std::string session_settings(const std::string& name) {
  return "SET search_path = " + name +
         "; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;"
         " SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET statement_timeout = 0;"
         " SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET client_min_messages = "
         "error";
}

std::string make_schema(const std::string& name) { return with_name(kSchema, name); }

}  // namespace tavola::store
