// Parts of requests and answers that several operations share, on the client's side. Absent and unknown values become the default:
// servers add members and values, and a client goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/requests.h>

#include "json/writer.h"
#include "wire/codec/fields.h"

namespace tavola::wire {

// ---- Requests ----

// Returns the object whose members `write` writes.
std::string object(const auto& write) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return out;
}

// Writes a time in seconds, to the millisecond; nothing if it is not given.
void write_time_member(json::Writer& json, std::string_view name, const std::optional<WallTime>& time);

// ---- Answers ----

std::string text_in(const Fields& in, std::string_view name);
// Reads seconds, with or without a fraction.
std::optional<WallTime> time_in(const Fields& in, std::string_view name);

template <class E>
E one_of_or(const Fields& in, std::string_view name, E otherwise) {
  return find_enum<E>(text_in(in, name)).value_or(otherwise);
}

// Returns what follows "table/" in the ARN of a member; empty if there is none.
std::string part_of_arn(const Fields& in, std::string_view name);
// Returns the table in "Music/backup/01", the part of an ARN.
std::string table_of_part(const std::string& part);

// Returns a structure that every response must have.
Result<Fields> required_structure(const Fields& in, std::string_view name);

// AWS reports 0 units for a table on demand, which means nothing.
std::optional<Throughput> read_provisioned(const Fields& in);
// -1 means no limit.
std::optional<OnDemandLimits> read_on_demand(const Fields& in);

template <class Index>
std::vector<Index> read_described_indexes(const Fields& table, std::string_view member);

// ConsumedCapacity and ItemCollectionMetrics, if the request asked for them: of one request, or of several tables.
std::optional<ConsumedCapacity> read_capacity(const Fields& in);
std::vector<ConsumedCapacity> read_capacities(const Fields& in);
std::optional<ItemCollectionMetrics> read_metrics(const Fields& in);
std::vector<TableMetrics> read_table_metrics(const Fields& in);

}  // namespace tavola::wire
