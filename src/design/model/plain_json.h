// Values as ordinary JSON, for readers who do not know DynamoDB: {"stars": 5} instead of {"stars": {"N": "5"}}.
// A number keeps its digits: it never becomes a double.
#pragma once

#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

#include "json/writer.h"

namespace tavola::design {

// Writes sets as lists and bytes as base64: the type of a value follows from the design, not from its JSON.
void write_plain(json::Writer& json, const Value& value);
std::string to_plain_json(const Value& value);
std::string to_plain_json(const Item& item);

// Parses JSON strictly by RFC 8259; a name may occur only once in an object. Fails with Validation: "no JSON (byte 12):
// ...".
Result<Value> parse_plain_json(std::string_view text);

}  // namespace tavola::design
