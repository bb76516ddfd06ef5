// The engine's view of a table: its keys, its indexes and its description, decoded from the catalog record.
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

// The number of an index within its table, never reused. The table itself is index 0.
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
  // Returns null if `name` is not an attribute of this key.
  const KeyAttribute* find(std::string_view name) const;
};

enum class IndexKind : std::uint8_t { Local, Global };

struct IndexSchema {
  IndexId id;
  std::string name;
  IndexKind kind;
  KeyShape key;
  IndexProjection projection;
  // The attributes that an entry contains, sorted; empty if the projection is All.
  std::vector<std::string> projected;

  bool projects(std::string_view attribute) const;
};

class TableRules;  // write/table_rules.h

// The ids of a table's indexes, in the order of its record, and the id of its next index.
struct IndexIds {
  // NOLINTNEXTLINE(google-explicit-constructor): a table without a history has just these
  IndexIds(std::vector<IndexId> of_indexes)
      : ids(std::move(of_indexes)), next(ids.empty() ? 1U : ids.back().value() + 1U) {}
  IndexIds(std::initializer_list<IndexId> of_indexes) : IndexIds(std::vector<IndexId>(of_indexes)) {}
  std::vector<IndexId> ids;
  std::uint32_t next;  // may be one above the largest id: then none is left
};

// A table's description, and the state that the engine keeps with it and shows to no client.
struct TableRecord : TableDescription {
  std::uint64_t stream_start = 0;      // position in the change log at which the latest stream begins
  std::string index_build_position{};  // store key of the last item that the index being built has
  std::string design_digest{};         // of a governed table: the digest of its design's text
  bool has_borrowed_design = false;    // the design serves a migration only; the older table is not governed
};

// Immutable once in the catalog; shared by the requests that use it.
struct TableSchema {
  TableId id;
  KeyShape key;
  std::vector<IndexSchema> indexes;  // in the order of their ids
  bool has_local_index = false;
  std::uint32_t next_index_id = 1;        // as in IndexIds
  std::optional<IndexId> building_index;  // of description.index_build
  TableRecord description;                // without counts
  std::string catalog_key;                // of `record` in the store (keys.h)
  std::string record;                     // the catalog record it was decoded from, for guards
  // Set by the catalog for a governed or migrating table. Null: writes are stored as the client sent them.
  std::shared_ptr<const TableRules> rules;

  const IndexSchema* find_index(std::string_view name) const;
};

// The catalog record: a packed item (docs/FORMAT.md, "Catalog"). Encoder and decoder of one format. Because of the digest, another
// design gives another record.
Result<std::string> encode_schema(TableId id, const IndexIds& index_ids, const TableRecord& description);
Result<std::shared_ptr<TableSchema>> decode_schema(std::string_view record);
// Returns whether the table of this record has a time to live, without decoding all of it.
Result<bool> has_time_to_live(std::string_view record);
Result<bool> has_stream(std::string_view record);
Result<bool> has_recovery(std::string_view record);

}  // namespace tavola::engine
