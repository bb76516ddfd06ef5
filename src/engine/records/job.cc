#include "engine/records/job.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <tavola/packed.h>

namespace tavola::engine {
namespace {

Error damaged() {
  return Error::corrupt(
      "The record of unfinished work is damaged. Restore the data directory from a backup.");
}

// Returns the kind of a record from a version that did not write kinds.
JobKind kind_by_attributes(const Item& record) {
  if (record.contains("migrate")) return JobKind::Migration;
  if (record.contains("restore")) return JobKind::Restore;
  if (record.contains("build")) return JobKind::IndexBuild;
  if (record.contains("adopt")) return JobKind::Adoption;
  return record.contains("gone") ? JobKind::Cascade : JobKind::Copies;
}

std::optional<JobKind> kind_of(const Item& record) {
  const auto kind = record.find("kind");
  if (kind == record.end()) return kind_by_attributes(record);
  if (kind->second.type() != Type::Number) return std::nullopt;
  const auto number = kind->second.number().to_int64();
  if (!number || *number < std::to_underlying(JobKind::Copies) ||
      *number > std::to_underlying(JobKind::Restore)) {
    return std::nullopt;
  }
  return static_cast<JobKind>(*number);
}

bool has_typed(const Item& record, std::string_view name, Type type) {
  const auto found = record.find(name);
  return found != record.end() && found->second.type() == type;
}

// Returns whether the record has the attributes of its kind. Those of migrations and restores are checked by their own decoders; index
// builds and adoptions have none.
bool has_attributes_of(JobKind kind, const Item& record) {
  const auto is_map = [](const Value& value) { return value.type() == Type::Map; };
  switch (kind) {
    case JobKind::Copies:
      return has_typed(record, "source", Type::Map) && has_typed(record, "copies", Type::List) &&
             std::ranges::all_of(record.find("copies")->second.list(), is_map);
    case JobKind::Cascade:  // older versions wrote no source
      return has_typed(record, "gone", Type::String) && has_typed(record, "fields", Type::Map) &&
             (!record.contains("source") || has_typed(record, "source", Type::Map));
    case JobKind::Adoption:
    case JobKind::Migration:
    case JobKind::IndexBuild:
    case JobKind::Restore:
      return true;
  }
  return false;
}

}  // namespace

Result<std::string> encode_job(JobKind kind, const std::string& table_name, Item attributes) {
  attributes["table"] = table_name;
  attributes["kind"] = static_cast<int>(kind);
  TAVOLA_TRY(const PackedItem packed, pack(attributes));
  return packed.bytes();
}

Result<Job> decode_job(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  Item attributes = ItemView(record).unpack();
  const auto table = attributes.find("table");
  const std::optional<JobKind> kind = kind_of(attributes);
  if (table == attributes.end() || !table->second.is_string() || !kind ||
      !has_attributes_of(*kind, attributes)) {
    return fail(damaged());
  }
  std::string name = table->second.string();
  return Job{.kind = *kind, .table_name = std::move(name), .attributes = std::move(attributes)};
}

}  // namespace tavola::engine
