// What the engine knows of a table: its keys, its indexes and its description, decoded from the catalog
// record.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>

#include "base/named.h"

namespace tavola::engine {

using TableId = Named<struct TableIdTag, std::uint32_t>;

// Number of an index within its table, never used twice in a table's life. The table itself is index 0.
using IndexId = Named<struct IndexIdTag, std::uint16_t>;
inline constexpr IndexId kTableItself{0};

// One attribute of a key: its name and its type (String, Number or Binary).
struct KeyAttribute {
  std::string name;
  Type type;
};

// A table has one hash and at most one range attribute; a global index up to four of each.
struct KeyShape {
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;

  std::size_t size() const { return hash.size() + range.size(); }
  // Calls `check` with every attribute and its role, until one fails.
  template <class Check>
  Result<void> check_each(Check check) const {
    for (const KeyAttribute& attribute : hash) {
      TAVOLA_CHECK(check(attribute, KeyType::Hash));
    }
    for (const KeyAttribute& attribute : range) {
      TAVOLA_CHECK(check(attribute, KeyType::Range));
    }
    return {};
  }
  // Null when `name` is no attribute of this key.
  const KeyAttribute* find(std::string_view name) const;
};

enum class IndexKind : std::uint8_t { Local, Global };

struct IndexSchema {
  IndexId id;
  std::string name;
  IndexKind kind;
  KeyShape key;
  IndexProjection projection;
  // The attributes an entry holds, sorted; empty when the projection is All.
  std::vector<std::string> projected;

  bool projects(std::string_view attribute) const;
};

class TableRules;  // write/table_rules.h

// The ids of a table's indexes, in the order of its record, and the one that its next index gets.
struct IndexIds {
  // NOLINTNEXTLINE(google-explicit-constructor): a table without a history has just these
  IndexIds(std::vector<IndexId> of_indexes)
      : ids(std::move(of_indexes)), next(ids.empty() ? 1U : ids.back().value() + 1U) {}
  IndexIds(std::initializer_list<IndexId> of_indexes) : IndexIds(std::vector<IndexId>(of_indexes)) {}
  std::vector<IndexId> ids;
  std::uint32_t next;  // may be one more than an id can be: then there is none left
};

// Immutable once in the catalog; shared by the requests that use it.
struct TableSchema {
  TableId id;
  KeyShape key;
  std::vector<IndexSchema> indexes;  // in the order of their ids
  bool has_local_index = false;
  std::uint32_t next_index_id = 1;        // as in IndexIds
  std::optional<IndexId> building_index;  // of description.index_build
  TableDescription description;           // without counts
  std::string catalog_key;                // where `record` stands in the store (keys.h)
  std::string record;                     // the catalog record it was decoded from, for guards
  std::string design_digest;              // of a governed table
  // The rules of a governed or migrating table; the catalog's completion fills them in. Null: what clients write is stored.
  std::shared_ptr<const TableRules> rules;

  const IndexSchema* find_index(std::string_view name) const;
};

// The catalog record: a packed item (docs/FORMAT.md, "Catalog"). Encoder and decoder of one format.
// The digest is of the design that governs the table: with another design, the record is another one.
Result<std::string> encode_schema(TableId id, const IndexIds& index_ids, const TableDescription& description,
                                  const std::string& design_digest = "");
Result<std::shared_ptr<TableSchema>> decode_schema(std::string_view record);
// Whether the table of this record has a time to live, without decoding all of it.
Result<bool> has_time_to_live(std::string_view record);
Result<bool> has_stream(std::string_view record);
Result<bool> has_recovery(std::string_view record);

}  // namespace tavola::engine
