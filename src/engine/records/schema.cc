#include "engine/records/schema.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "engine/records/change_number.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

KeyShape shape_of(const std::vector<KeySchemaElement>& elements,
                  const std::vector<AttributeDefinition>& definitions) {
  KeyShape shape;
  for (const KeySchemaElement& element : elements) {
    const auto definition = std::ranges::find(definitions, element.name, &AttributeDefinition::name);
    if (definition == definitions.end()) {
      continue;  // only in a damaged record: has_whole_keys() detects it
    }
    auto& part = element.type == KeyType::Hash ? shape.hash : shape.range;
    part.push_back({element.name, definition->type});
  }
  return shape;
}

std::vector<std::string> projected_attributes(const KeyShape& table, const KeyShape& index,
                                              const IndexProjection& projection) {
  if (projection.type == ProjectionType::All) {
    return {};
  }
  std::vector<std::string> names = projection.attributes;
  for (const KeyShape* shape : {&table, &index}) {
    for (const auto* part : {&shape->hash, &shape->range}) {
      for (const KeyAttribute& attribute : *part) {
        names.push_back(attribute.name);
      }
    }
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

// ---- The record ----
// It consists of lists of maps, with enums as numbers. Attributes are only ever added, so that an older record still
// decodes.

List encode_keys(const std::vector<KeySchemaElement>& elements) {
  List list;
  for (const KeySchemaElement& element : elements) {
    list.emplace_back(Map{{"name", element.name}, {"type", static_cast<int>(element.type)}});
  }
  return list;
}

Map encode_projection(const IndexProjection& projection) {
  List names;
  for (const std::string& name : projection.attributes) {
    names.emplace_back(name);
  }
  return {{"type", static_cast<int>(projection.type)}, {"attributes", names}};
}

Value encode_throughput(const std::optional<Throughput>& throughput) {
  if (!throughput) {
    return Null{};
  }
  return Map{{"read", throughput->read_units}, {"write", throughput->write_units}};
}

// Encodes the given members of OnDemandLimits and WarmThroughput.
template <class Units>
Value encode_units(const Units& units) {
  Map map;
  if (units.read_units) map.emplace("read", *units.read_units);
  if (units.write_units) map.emplace("write", *units.write_units);
  return map;
}

// Encodes members that not every table or index has.
template <class Part>
void encode_limits(const Part& part, Map& record) {
  if (part.on_demand_limits) record.emplace("on_demand", encode_units(*part.on_demand_limits));
  if (part.warm_throughput) record.emplace("warm", encode_units(*part.warm_throughput));
}

// Reads a record's tree. A missing or mistyped attribute marks the whole record as corrupt.
class RecordReader {
 public:
  explicit RecordReader(const Map& map, bool& intact) : map_(map), intact_(intact) {}

  // Returns whether the record has an optional attribute.
  bool has(std::string_view name) const { return map_.contains(name); }
  std::string text(std::string_view name) const {
    const Value* value = find(name, Type::String);
    return value != nullptr ? value->string() : std::string();
  }
  std::int64_t integer(std::string_view name) const {
    const Value* value = find(name, Type::Number);
    const auto number = value != nullptr ? value->number().to_int64() : std::nullopt;
    intact_ = intact_ && number.has_value();
    return number.value_or(0);
  }
  // Reads an integer that must lie in [least, most].
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) const {
    const std::int64_t number = integer(name);
    intact_ = intact_ && number >= least && number <= most;
    return number;
  }
  // Reads an enum written as its number, which must be at most `last`.
  template <class E>
  E enumeration(std::string_view name, E last) const {
    return static_cast<E>(integer(name, 0, static_cast<std::int64_t>(last)));
  }
  // The type of a key attribute.
  Type key_type(std::string_view name) const {
    const std::int64_t number =
        integer(name, static_cast<std::int64_t>(Type::Number), static_cast<std::int64_t>(Type::Binary));
    return static_cast<Type>(number);
  }
  bool boolean(std::string_view name) const {
    const Value* value = find(name, Type::Bool);
    return value != nullptr && value->boolean();
  }
  std::optional<Throughput> throughput(std::string_view name) const {
    const auto it = map_.find(name);
    if (it == map_.end() || it->second.type() != Type::Map) {
      return std::nullopt;
    }
    const RecordReader reader(it->second.map(), intact_);
    return Throughput{reader.integer("read"), reader.integer("write")};
  }
  template <class Units>
  std::optional<Units> units(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    const RecordReader reader = map(name);
    Units units;
    if (reader.has("read")) units.read_units = reader.integer("read");
    if (reader.has("write")) units.write_units = reader.integer("write");
    return units;
  }
  std::string bytes(std::string_view name) const {
    const Value* value = find(name, Type::Binary);
    return value != nullptr ? value->binary().bytes : std::string();
  }
  // Requires that the record has it.
  RecordReader map(std::string_view name) const {
    static const Map nothing;
    const Value* value = find(name, Type::Map);
    return RecordReader(value != nullptr ? value->map() : nothing, intact_);
  }
  std::vector<RecordReader> maps(std::string_view name) const {
    std::vector<RecordReader> readers;
    if (const Value* value = find(name, Type::List)) {
      for (const Value& element : value->list()) {
        if (element.type() == Type::Map) {
          readers.emplace_back(element.map(), intact_);
        } else {
          intact_ = false;
        }
      }
    }
    return readers;
  }
  std::vector<KeySchemaElement> keys(std::string_view name) const {
    std::vector<KeySchemaElement> elements;
    for (const RecordReader& reader : maps(name)) {
      elements.push_back({reader.text("name"), reader.enumeration("type", KeyType::Range)});
    }
    return elements;
  }
  IndexProjection projection(std::string_view name) const {
    IndexProjection projection;
    if (const Value* value = find(name, Type::Map)) {
      const RecordReader reader(value->map(), intact_);
      projection.type = reader.enumeration("type", ProjectionType::Include);
      if (const Value* names = reader.find("attributes", Type::List)) {
        for (const Value& element : names->list()) {
          intact_ = intact_ && element.is_string();
          projection.attributes.push_back(element.is_string() ? element.string() : std::string());
        }
      }
    }
    // Described by name, too. Older tables may contain one twice.
    std::ranges::sort(projection.attributes);
    const auto repeated = std::ranges::unique(projection.attributes);
    projection.attributes.erase(repeated.begin(), repeated.end());
    return projection;
  }

 private:
  const Value* find(std::string_view name, Type type) const {
    const auto it = map_.find(name);
    if (it == map_.end() || it->second.type() != type) {
      intact_ = false;
      return nullptr;
    }
    return &it->second;
  }

  const Map& map_;
  bool& intact_;
};

WallTime time_of(std::int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

void decode_recovery(const RecordReader& reader, TableDescription& description) {
  if (reader.has("recovery")) {
    const RecordReader recovery = reader.map("recovery");
    constexpr std::int64_t kDaysMax = 35;
    description.recovery =
        PointInTimeRecovery{.since = time_of(recovery.integer("since_ms")),
                            .days = static_cast<int>(recovery.integer("days", 1, kDaysMax))};
  }
  if (reader.has("restored_from") && reader.map("restored_from").boolean("in_progress")) {
    const RecordReader from = reader.map("restored_from");
    description.restored_from = RestoredFrom{.backup = from.text("backup"),
                                             .table_name = from.text("table"),
                                             .moment = time_of(from.integer("moment_ms"))};
    description.status = TableStatus::Creating;
  }
  if (reader.has("awaits_design")) description.awaits_design = reader.text("awaits_design");
}

void decode_description(const RecordReader& reader, TableRecord& description) {
  description.table_name = reader.text("name");
  description.table_id = reader.text("uuid");
  description.created_at = time_of(reader.integer("created_at_ms"));
  for (const RecordReader& attribute : reader.maps("attributes")) {
    description.attribute_definitions.push_back({attribute.text("name"), attribute.key_type("type")});
  }
  // By name, as AWS describes them regardless of the order in the request.
  std::ranges::sort(description.attribute_definitions, {}, &AttributeDefinition::name);
  description.key_schema = reader.keys("key");
  description.billing_mode = reader.enumeration("billing", BillingMode::PayPerRequest);
  if (reader.has("on_demand_since_ms")) {
    description.on_demand_since = time_of(reader.integer("on_demand_since_ms"));
  }
  description.throughput = reader.throughput("throughput");
  description.on_demand_limits = reader.units<OnDemandLimits>("on_demand");
  description.warm_throughput = reader.units<WarmThroughput>("warm");
  description.deletion_protection = reader.boolean("protected");
  description.table_class = reader.enumeration("class", TableClass::StandardInfrequentAccess);
  if (reader.has("stream")) {
    description.stream = reader.enumeration("stream", StreamView::NewAndOldImages);
  }
  if (reader.has("stream_since_ms")) {
    description.stream_since = time_of(reader.integer("stream_since_ms"));
    description.stream_start = first_number(*description.stream_since);
  }
  if (reader.has("stream_start")) {
    description.stream_start = static_cast<std::uint64_t>(
        reader.integer("stream_start", 0, std::numeric_limits<std::int64_t>::max()));
  }
  if (reader.has("ttl")) {
    description.time_to_live_attribute = reader.text("ttl");
  }
  if (reader.has("design")) {
    const RecordReader design = reader.map("design");
    description.governed_by = GovernedBy{.design = design.text("name"),
                                         .revision = design.text("revision"),
                                         .enforcement = design.enumeration("enforce", Enforcement::Off),
                                         .adopting = design.has("adopting") && design.boolean("adopting")};
  }
  if (reader.has("migration")) {
    const RecordReader migration = reader.map("migration");
    description.migration = Migration{.role = migration.enumeration("role", Migration::Role::Newer),
                                      .other_table = migration.text("table"),
                                      .copying = migration.boolean("copying")};
    description.has_borrowed_design = migration.boolean("borrowed");
    const bool is_half =
        description.migration->role == Migration::Role::Newer && description.migration->copying;
    if (is_half) description.status = TableStatus::Creating;
  }
  if (reader.has("index_build")) {
    const RecordReader build = reader.map("index_build");
    description.index_build = IndexBuild{.index = build.text("index")};
    description.index_build_position = build.bytes("place");
    description.status = TableStatus::Updating;
  }
  decode_recovery(reader, description);
}

// Returns whether the key has a hash attribute and a type for each attribute.
bool is_whole(const KeyShape& shape, std::size_t attributes) {
  return !shape.hash.empty() && shape.size() == attributes;
}

bool has_whole_keys(const TableSchema& schema) {
  const TableDescription& description = schema.description;
  std::size_t i = 0;
  for (const LocalIndex& index : description.local_indexes) {
    if (!is_whole(schema.indexes[i++].key, index.key_schema.size())) {
      return false;
    }
  }
  for (const GlobalIndex& index : description.global_indexes) {
    if (!is_whole(schema.indexes[i++].key, index.key_schema.size())) {
      return false;
    }
  }
  return is_whole(schema.key, description.key_schema.size()) && schema.key.hash.size() == 1;
}

// Local indexes first, ids ascending: counters and updates rely on it.
bool are_in_order(const std::vector<IndexSchema>& indexes) {
  return std::ranges::is_sorted(indexes, {}, &IndexSchema::kind) &&
         std::ranges::adjacent_find(indexes, std::greater_equal(), &IndexSchema::id) == indexes.end();
}

IndexSchema decode_index(const RecordReader& reader, TableSchema& schema) {
  IndexSchema index;
  TableDescription& description = schema.description;
  constexpr std::int64_t kIdMax = std::numeric_limits<std::uint16_t>::max();
  index.id = IndexId(static_cast<std::uint16_t>(reader.integer("id", 1, kIdMax)));
  index.name = reader.text("name");
  index.kind = reader.enumeration("kind", IndexKind::Global);
  index.projection = reader.projection("projection");
  const std::vector<KeySchemaElement> keys = reader.keys("key");
  index.key = shape_of(keys, description.attribute_definitions);
  index.projected = projected_attributes(schema.key, index.key, index.projection);
  if (index.kind == IndexKind::Local) {
    schema.has_local_index = true;
    description.local_indexes.push_back({index.name, keys, index.projection});
  } else {
    description.global_indexes.push_back({.name = index.name,
                                          .key_schema = keys,
                                          .projection = index.projection,
                                          .throughput = reader.throughput("throughput"),
                                          .on_demand_limits = reader.units<OnDemandLimits>("on_demand"),
                                          .warm_throughput = reader.units<WarmThroughput>("warm")});
  }
  return index;
}

// Reads the ids of indexes, and which index is being built.
void decode_index_ids(const RecordReader& reader, TableSchema& schema, bool& intact) {
  const std::uint32_t least = schema.indexes.empty() ? 1 : schema.indexes.back().id.value() + 1U;
  constexpr std::int64_t kNextMax = std::int64_t{std::numeric_limits<std::uint16_t>::max()} + 1;
  schema.next_index_id = reader.has("next_index")
                             ? static_cast<std::uint32_t>(reader.integer("next_index", least, kNextMax))
                             : least;
  if (!schema.description.index_build) return;
  const IndexSchema* const index = schema.find_index(schema.description.index_build->index);
  intact = intact && index != nullptr && index->kind == IndexKind::Global;
  if (intact) schema.building_index = index->id;
}

}  // namespace

const KeyAttribute* KeyShape::find(std::string_view name) const {
  for (const auto* part : {&hash, &range}) {
    if (const auto it = std::ranges::find(*part, name, &KeyAttribute::name); it != part->end()) {
      return &*it;
    }
  }
  return nullptr;
}

bool IndexSchema::projects(std::string_view attribute) const {
  return projection.type == ProjectionType::All || std::ranges::binary_search(projected, attribute);
}

const IndexSchema* TableSchema::find_index(std::string_view name) const {
  const auto it = std::ranges::find(indexes, name, &IndexSchema::name);
  return it == indexes.end() ? nullptr : &*it;
}

namespace {

List encode_indexes(const TableDescription& description, const std::vector<IndexId>& ids) {
  List indexes;
  auto next_id = ids.begin();
  for (const LocalIndex& index : description.local_indexes) {
    indexes.emplace_back(Map{{"id", (next_id++)->value()},
                             {"name", index.name},
                             {"kind", static_cast<int>(IndexKind::Local)},
                             {"key", encode_keys(index.key_schema)},
                             {"projection", encode_projection(index.projection)}});
  }
  for (const GlobalIndex& index : description.global_indexes) {
    Map encoded{{"id", (next_id++)->value()},
                {"name", index.name},
                {"kind", static_cast<int>(IndexKind::Global)},
                {"key", encode_keys(index.key_schema)},
                {"projection", encode_projection(index.projection)},
                {"throughput", encode_throughput(index.throughput)}};
    encode_limits(index, encoded);
    indexes.emplace_back(std::move(encoded));
  }
  return indexes;
}

// Encodes attributes that most tables lack.
void encode_rare(const TableRecord& description, Item& record) {
  if (description.on_demand_since) {
    record.emplace("on_demand_since_ms", description.on_demand_since->time_since_epoch().count());
  }
  if (description.stream) {
    record.emplace("stream", static_cast<int>(*description.stream));
  }
  if (description.stream_since) {
    record.emplace("stream_since_ms", description.stream_since->time_since_epoch().count());
    record.emplace("stream_start", static_cast<std::int64_t>(description.stream_start));
  }
  if (description.time_to_live_attribute) {
    record.emplace("ttl", *description.time_to_live_attribute);
  }
  if (const auto& migration = description.migration) {
    record.emplace("migration", Map{{"role", static_cast<int>(migration->role)},
                                    {"table", migration->other_table},
                                    {"copying", migration->copying},
                                    {"borrowed", description.has_borrowed_design}});
  }
  if (const auto& build = description.index_build) {
    record.emplace("index_build",
                   Map{{"index", build->index}, {"place", Value(Binary{description.index_build_position})}});
  }
  if (const auto& recovery = description.recovery) {
    record.emplace("recovery",
                   Map{{"since_ms", recovery->since.time_since_epoch().count()}, {"days", recovery->days}});
  }
  if (const auto& from = description.restored_from) {
    record.emplace("restored_from", Map{{"backup", from->backup},
                                        {"table", from->table_name},
                                        {"moment_ms", from->moment.time_since_epoch().count()},
                                        {"in_progress", true}});
  }
  if (!description.awaits_design.empty()) record.emplace("awaits_design", description.awaits_design);
  encode_limits(description, record);
}

}  // namespace

Result<std::string> encode_schema(TableId id, const IndexIds& index_ids, const TableRecord& description) {
  List attributes;
  for (const AttributeDefinition& definition : description.attribute_definitions) {
    attributes.emplace_back(Map{{"name", definition.name}, {"type", static_cast<int>(definition.type)}});
  }
  Item record{{"id", id.value()},
              {"name", description.table_name},
              {"uuid", description.table_id},
              {"created_at_ms", description.created_at.time_since_epoch().count()},
              {"attributes", attributes},
              {"key", encode_keys(description.key_schema)},
              {"indexes", encode_indexes(description, index_ids.ids)},
              {"billing", static_cast<int>(description.billing_mode)},
              {"throughput", encode_throughput(description.throughput)},
              {"protected", description.deletion_protection},
              {"class", static_cast<int>(description.table_class)}};
  encode_rare(description, record);
  if (index_ids.next != IndexIds(index_ids.ids).next) {
    record.emplace("next_index", index_ids.next);
  }
  if (const auto& governed = description.governed_by) {
    Map design{{"name", governed->design},
               {"revision", governed->revision},
               {"digest", description.design_digest},
               {"enforce", static_cast<int>(governed->enforcement)}};
    if (governed->adopting) design.emplace("adopting", true);
    record.emplace("design", std::move(design));
  }
  TAVOLA_TRY(const PackedItem packed, pack(record));
  return packed.bytes();
}

Result<std::shared_ptr<TableSchema>> decode_schema(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  const Item tree = ItemView(record).unpack();
  bool intact = true;
  const RecordReader reader(tree, intact);
  auto schema = std::make_shared<TableSchema>();
  schema->record = record;
  constexpr std::int64_t kIdMax = std::numeric_limits<std::uint32_t>::max();
  schema->id = TableId(static_cast<std::uint32_t>(reader.integer("id", 0, kIdMax)));
  decode_description(reader, schema->description);
  schema->catalog_key = catalog_key(schema->description.table_name);
  if (reader.has("design")) {
    schema->description.design_digest = reader.map("design").text("digest");
  }
  schema->key = shape_of(schema->description.key_schema, schema->description.attribute_definitions);
  for (const RecordReader& index : reader.maps("indexes")) {
    schema->indexes.push_back(decode_index(index, *schema));
  }
  decode_index_ids(reader, *schema, intact);
  if (!intact || !are_in_order(schema->indexes) || !has_whole_keys(*schema)) {
    return fail(Error::corrupt("The catalog record of table '" + schema->description.table_name +
                               "' is damaged. Restore the data directory from a backup or checkpoint."));
  }
  return schema;
}

Result<bool> has_time_to_live(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  return ItemView(record).find("ttl").has_value();
}

Result<bool> has_stream(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  return ItemView(record).find("stream").has_value();
}

Result<bool> has_recovery(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  return ItemView(record).find("recovery").has_value();
}

}  // namespace tavola::engine
