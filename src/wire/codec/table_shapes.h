// Reads and writes the parts of a table's definition.
#pragma once

#include <optional>
#include <vector>

#include <tavola/requests.h>

#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

std::vector<AttributeDefinition> read_definitions(const Fields& in, Presence presence);
std::vector<KeySchemaElement> read_key_schema(const Fields& in);
IndexProjection read_projection(const Fields& in);
std::optional<Throughput> read_throughput(const Fields& in, Presence presence = Presence::Optional);
std::optional<OnDemandLimits> read_limits(const Fields& in);
std::optional<WarmThroughput> read_warmth(const Fields& in);
std::optional<BillingMode> read_billing_mode(const Fields& in);
std::optional<TableClass> read_table_class(const Fields& in);
// AWS's messages about a StreamViewType that is missing, or given where there is no stream.
struct StreamWords {
  std::string_view view_missing;
  std::string_view view_too_much;
};
// Outer: whether it was given; inner: the view, or nullopt to switch the stream off.
std::optional<std::optional<StreamView>> read_stream(const Fields& in, const StreamWords& words);
// Refuses an SSESpecification that asks for encryption, which Tavola does not have; accepts one that asks for none.
Result<void> refuse_encryption(const Fields& in);
Tags read_tags(const Fields& in, Presence presence = Presence::Optional);

// Write members of an open object: AttributeDefinitions, KeySchema, Projection.
void write_definitions(json::Writer& json, const std::vector<AttributeDefinition>& definitions);
void write_key_schema(json::Writer& json, const std::vector<KeySchemaElement>& elements);
void write_projection(json::Writer& json, const IndexProjection& projection);

// {"TableDescription": …} or {"Table": …}. UpdateTable shows indexes that it deleted once more.
std::string write_table(std::string_view member, const TableDescription& table, const ServerIdentity& server,
                        const std::vector<std::string>& deleted_indexes = {});
void write_time(json::Writer& json, WallTime time);

// Returns the table that a ResourceArn names.
Result<std::string> table_of_resource(const Fields& in);
// Turns an error of an operation on tags into one that names a missing table by its ARN.
Error tagging_error(const Fields& in, const Error& error);

}  // namespace tavola::wire
