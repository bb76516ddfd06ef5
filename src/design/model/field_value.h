// The values of fields and parameters: reading them from texts and JSON, and checking them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/model.h"
#include "design/model/timestamps.h"

namespace tavola::design {

// Returns why `value` cannot be a value of the field: "must be ≥ 0 (was -1)"; nullopt if it can. Checks the type and
// all bounds. A part of a map or a list is named: "totalWords must be an integer (was 1.5)".
std::optional<std::string> why_not(const Attribute& field, const Value& value);
// Returns " (was 5)" for a message; nothing if the field is sensitive.
std::string was(const Attribute& field, const Value& value);
// Returns the reason as a whole sentence: "stars must be ≥ 1 (was 0)", "result.totalWords must be an integer
// (was 1.5)".
std::optional<std::string> why_not_named(const Attribute& field, const Value& value);
// Returns whether why_not() has no objection; does not unpack plain values.
bool suits(const Attribute& field, ValueView value);

// Reads a text, as on a command line or in a query string, as a value of the field: "5" is a number if the field is
// one; lists and maps are JSON. Fails with Validation: "stars must be an integer (was \"five\")".
Result<Value> from_text(const Attribute& field, std::string_view text);

// Reads a JSON value (S, N, BOOL, NULL, L, M) as a value of the field: lists become sets, `DE` becomes COUNTRY#DE if
// `format` says so. Fails like from_text.
Result<Value> from_plain(const Attribute& field, const Value& plain);

}  // namespace tavola::design
