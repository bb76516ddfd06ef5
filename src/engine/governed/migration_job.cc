#include "engine/governed/migration_job.h"

#include "database/item_key.h"
#include "design/model/plain_json.h"
#include "engine/records/job.h"

namespace tavola::engine {
namespace {

constexpr std::size_t kSamplesMax = 10;

Error damaged() {
  return Error::corrupt("The record of a migration is damaged. Restore the data directory from a backup.");
}

const Value* find(const Item& job, std::string_view name, Type type) {
  const auto found = job.find(name);
  return found == job.end() || found->second.type() != type ? nullptr : &found->second;
}

}  // namespace

void JobRecord::note_failure(std::string key, std::string why) {
  ++failed;
  if (samples.size() < kSamplesMax) samples.push_back({std::move(key), std::move(why)});
}

Result<std::string> encode(const JobRecord& job) {
  List samples;
  for (const MigrationDifference& one : job.samples)
    samples.emplace_back(Map{{"key", one.key}, {"why", one.why}});
  return encode_job(JobKind::Migration, job.table,
                    {{"place", Value(Binary{job.position})},
                     {"copied", static_cast<std::int64_t>(job.copied)},
                     {"failed", static_cast<std::int64_t>(job.failed)},
                     {"samples", Value(std::move(samples))},
                     {"walked", job.walked}});
}

Result<JobRecord> decode_copying(std::string_view record) {
  TAVOLA_CHECK(check_packed(record));
  const Item job = ItemView(record).unpack();
  const Value* const table = find(job, "table", Type::String);
  const Value* const position = find(job, "place", Type::Binary);
  const Value* const copied = find(job, "copied", Type::Number);
  const Value* const failed = find(job, "failed", Type::Number);
  const Value* const samples = find(job, "samples", Type::List);
  const Value* const walked = find(job, "walked", Type::Bool);
  if (table == nullptr || position == nullptr || copied == nullptr || failed == nullptr ||
      samples == nullptr || walked == nullptr) {
    return fail(damaged());
  }
  JobRecord read{.table = table->string(),
                 .position = position->binary().bytes,
                 .copied = static_cast<std::uint64_t>(copied->number().to_int64().value_or(0)),
                 .failed = static_cast<std::uint64_t>(failed->number().to_int64().value_or(0)),
                 .walked = walked->boolean()};
  for (const Value& sample : samples->list()) {
    if (sample.type() != Type::Map) return fail(damaged());
    const Value* const key = find(sample.map(), "key", Type::String);
    const Value* const why = find(sample.map(), "why", Type::String);
    if (key == nullptr || why == nullptr) return fail(damaged());
    read.samples.push_back({key->string(), why->string()});
  }
  return read;
}

std::string key_text(const TableSchema& table, const ItemView& item) {
  return design::to_plain_json(key_of_item(table.description.key_schema, item).unpack());
}

}  // namespace tavola::engine
