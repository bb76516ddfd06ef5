#include "partiql/words.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace tavola::partiql {
namespace {

// The reserved words of SQL-92, except the parts of dates, which PartiQL does not reserve; then PartiQL's own. AWS
// refuses them as names (paritysuite/dynamodb-conformance: a path through `inner`; pad, in DynamoDB Local).
constexpr auto kKeywords = [] {
  std::array words = {
      "absolute", "action", "add", "all", "allocate", "alter", "and", "any", "are", "as", "asc", "assertion",
      "at", "authorization", "avg", "begin", "between", "bit", "bit_length", "by", "cascade", "cascaded",
      "case", "cast", "catalog", "char", "character", "character_length", "char_length", "check", "close",
      "coalesce", "collate", "collation", "column", "commit", "connect", "connection", "constraint",
      "constraints", "continue", "convert", "corresponding", "count", "create", "cross", "current",
      "current_date", "current_time", "current_timestamp", "current_user", "cursor", "date", "deallocate",
      "dec", "decimal", "declare", "default", "deferrable", "deferred", "delete", "desc", "describe",
      "descriptor", "diagnostics", "disconnect", "distinct", "domain", "double", "drop", "else", "end",
      "escape", "except", "exception", "exec", "execute", "exists", "external", "extract", "false", "fetch",
      "first", "float", "for", "foreign", "found", "from", "full", "get", "global", "go", "goto", "grant",
      "group", "having", "identity", "immediate", "in", "indicator", "initially", "inner", "input",
      "insensitive", "insert", "int", "integer", "intersect", "interval", "into", "is", "isolation", "join",
      "key", "language", "last", "left", "level", "like", "local", "lower", "match", "max", "min", "module",
      "names", "national", "natural", "nchar", "next", "no", "not", "null", "nullif", "numeric",
      "octet_length", "of", "on", "only", "open", "option", "or", "order", "outer", "output", "overlaps",
      "pad", "partial", "position", "precision", "prepare", "preserve", "primary", "prior", "privileges",
      "procedure", "public", "read", "real", "references", "relative", "restrict", "revoke", "right",
      "rollback", "rows", "schema", "scroll", "section", "select", "session", "session_user", "set", "size",
      "smallint", "some", "space", "sql", "sqlcode", "sqlerror", "sqlstate", "substring", "sum",
      "system_user", "table", "temporary", "then", "time", "timestamp", "to", "transaction", "translate",
      "translation", "trim", "true", "union", "unique", "unknown", "update", "upper", "usage", "user",
      "using", "value", "values", "varchar", "varying", "view", "when", "whenever", "where", "with", "work",
      "write", "zone",
      // PartiQL
      "bag", "bigint", "blob", "bool", "boolean", "can_cast", "can_lossless_cast", "clob", "conflict",
      "date_add", "date_diff", "do", "index", "int2", "int4", "int8", "integer2", "integer4", "integer8",
      "let", "limit", "list", "missing", "modified", "new", "nothing", "offset", "old", "pivot", "remove",
      "returning", "sexp", "string", "struct", "symbol", "tuple", "unpivot"};
  std::array<std::string_view, words.size()> sorted{};
  std::ranges::copy(words, sorted.begin());
  std::ranges::sort(sorted);
  return sorted;
}();

constexpr std::array<std::string_view, 16> kFunctions{
    "avg",  "bag",   "bit_length", "char_length", "character_length", "count", "exists",
    "list", "lower", "max",        "min",         "octet_length",     "sexp",  "size",
    "sum",  "upper"};

constexpr std::array<std::string_view, 9> kOperators{"and", "between", "except", "in",   "intersect",
                                                     "is",  "like",    "or",     "union"};

constexpr std::array<std::string_view, 35> kTypes{
    "bag",      "bigint",   "blob",     "bool",   "boolean", "char",      "character", "clob",   "date",
    "dec",      "decimal",  "double",   "float",  "int",     "int2",      "int4",      "int8",   "integer",
    "integer2", "integer4", "integer8", "list",   "missing", "null",      "numeric",   "real",   "sexp",
    "smallint", "string",   "struct",   "symbol", "time",    "timestamp", "tuple",     "varchar"};

static_assert(std::ranges::is_sorted(kFunctions) && std::ranges::is_sorted(kOperators) &&
              std::ranges::is_sorted(kTypes));

template <class Words>
bool has(const Words& words, std::string_view word) {
  return std::ranges::binary_search(words, lower_case(word));
}

}  // namespace

bool is_keyword(std::string_view word) { return has(kKeywords, word); }
bool is_function_keyword(std::string_view word) { return has(kFunctions, word); }
bool is_operator_keyword(std::string_view word) { return has(kOperators, word); }
bool is_type_name(std::string_view word) { return has(kTypes, word); }

}  // namespace tavola::partiql
