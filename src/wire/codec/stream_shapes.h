// Shared by the operations of DynamoDB Streams. A stream has an ARN here; a Database uses the part after "table/":
// arn:aws:dynamodb:<region>:<account>:table/<table>/stream/<label>, with any region and account, as for tables.
#pragma once

#include <string>
#include <string_view>

#include <tavola/streams.h>

#include "json/writer.h"
#include "wire/codec/fields.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

std::string stream_arn(const ServerIdentity& server, std::string_view stream);
// Returns the part after "table/" in an ARN of DynamoDB; nullopt for any other text.
std::optional<std::string_view> resource_in_arn(std::string_view arn);

// Reads a member that names a stream, as a Database names it; empty if it is absent. An ARN of something else is
// recorded as a bad value.
std::string read_stream_arn(const Fields& in, std::string_view name, Presence presence = Presence::Optional);
// A member whose length is bounded.
struct Lengths {
  std::size_t least;
  std::size_t most;
};
inline constexpr Lengths kShardIdLengths{28, 65};
inline constexpr Lengths kSequenceNumberLengths{21, 40};
std::string read_sized_text(const Fields& in, std::string_view name, Lengths lengths,
                            Presence presence = Presence::Optional);

// An error of the Database, which calls the missing stream by its ARN.
Error stream_error(const ServerIdentity& server, std::string_view stream, const Error& error);

void write_record(json::Writer& json, const StreamRecord& record, const ServerIdentity& server);

}  // namespace tavola::wire
