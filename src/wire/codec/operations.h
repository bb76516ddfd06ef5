// The operations of the protocol: each reads its request from JSON, calls the Database and writes the response as JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "database/server_identity.h"
#include "wire/codec/json.h"

namespace tavola::wire {

// The parts that an operation works with.
struct Call {
  Database& database;
  const ServerIdentity& server;
  JsonValue body;  // an object
};

using Operation = Result<std::string> (*)(const Call& call);

#define TAVOLA_OPERATION(name, function) Result<std::string> function(const Call& call);
#include "wire/codec/operations.inc"
#undef TAVOLA_OPERATION

// The service of an operation: targets are "DynamoDB_20120810.PutItem" and "DynamoDBStreams_20120810.GetRecords".
enum class Service : std::uint8_t { Database, Streams };

struct KnownOperation {
  std::string_view name;
  Operation run;
  Service service;
};

// Returns all operations, sorted by name.
std::span<const KnownOperation> all_operations();
// Returns null if there is none of that name.
const KnownOperation* find_operation(std::string_view name);

}  // namespace tavola::wire
