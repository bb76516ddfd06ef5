// Reads and writes the members with which CreateTable describes a table. Imports and exports use the same members.
#pragma once

#include <optional>
#include <string>

#include <tavola/requests.h>

#include "json/writer.h"
#include "wire/codec/fields.h"

namespace tavola::wire {

std::vector<LocalIndex> read_local_indexes(const Fields& in);
GlobalIndex read_global_index(const Fields& in);
std::vector<GlobalIndex> read_global_indexes(const Fields& in);

// Reads all members of a request; `in.problems()` collects what is wrong with them.
CreateTableRequest read_created_table(const Fields& in);

// ProvisionedThroughput, OnDemandThroughput and WarmThroughput of a table or an index: members of an open object.
struct CapacitySettings {
  const std::optional<Throughput>& throughput;
  const std::optional<OnDemandLimits>& on_demand_limits;
  const std::optional<WarmThroughput>& warm_throughput;
};
void write_capacity_settings(json::Writer& json, const CapacitySettings& settings);
void write_global_index(json::Writer& json, const GlobalIndex& index);
void write_local_index(json::Writer& json, const LocalIndex& index);
void write_tags(json::Writer& json, const Tags& tags);

// Returns the request as JSON; members without a value are left out.
std::string to_json(const CreateTableRequest& request);

}  // namespace tavola::wire
