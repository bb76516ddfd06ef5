// Patterns and operations: explained before they run, and patterns with the cost of running them.
#pragma once

#include <string>
#include <string_view>

#include "json/writer.h"
#include "lens/question.h"
#include "lens/subject.h"

namespace tavola::lens {

// {"pattern": "listProducts", "parameters": {…}} → what `tavola design explain --json` prints: the requests and their costs.
// {"operation": "recordSale", "parameters": {…}}
//   → {"reads": [{"operation": "GetItem", "request": {…}, "found": 1}, …],
//      "writes": {"writes": {"operation", "request"}, "causes": [{"action", "name", "reason", "condition"}, …]},
//      or "refused": {"name": "INSUFFICIENT_STOCK", "reason"}}
// An operation reads and writes nothing else: its transaction is computed from what it would read now.
inline constexpr std::string_view kExplainMembers = "pattern operation parameters";
Result<std::string> explain(const Subject& subject, const Question& question);

// Explains an operation, which need not be one of the design, as above; "request" and "operation" of its one request stand alone:
// {"operation": "UpdateItem", "request": {…}} or {"refused": {…}}.
Result<std::string> planned_request(const Subject& subject, const design::Operation& operation,
                                    const Item& given);

// Writes the member "refused".
void write_refusal(json::Writer& json, std::string_view name, std::string_view reason);

// {"pattern": "listProducts", "parameters": {…}, "limit": 25, "page": "token"}
//   → {"entities": [{"entity": "Product", "key": key or null, "fields": {plain JSON}, "masked": [field, …]}, …],
//      "next": "token" or null, "returned": 25, "scanned": 40, "readUnits": 2.5, "missing": 0, "milliseconds": 1.2,
//      "requests": [{"operation": "Query", "scanned": 40, "returned": 25}, … at most 20]}
inline constexpr std::string_view kRunMembers = "pattern parameters limit page";
Result<std::string> run(const Subject& subject, const Question& question);

}  // namespace tavola::lens
