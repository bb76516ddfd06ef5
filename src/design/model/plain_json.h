// Values as ordinary JSON, for people and programs that know nothing of DynamoDB: {"stars": 5} instead of {"stars": {"N": "5"}}.
// A number keeps its digits: it never becomes a double.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "json/writer.h"

namespace tavola::design {

// Sets become lists, bytes base64: what a value was is known from the design, not from its JSON.
void write_plain(json::Writer& json, const Value& value);
std::string to_plain_json(const Value& value);
std::string to_plain_json(const Item& item);

// JSON as RFC 8259 has it, and nothing beside it; names may stand only once in an object. Fails with Validation: "no JSON
// (byte 12): ...".
Result<Value> parse_plain_json(std::string_view text);

}  // namespace tavola::design
