// Recorded requests as JSON, for pages and scripts (docs/CONSOLE.md).
//
//   {"id": 7, "at": 1763573400125, "ms": 0.21, "operation": "Query", "tables": ["orders"], "index": "byDay", "patterns": ["ordersOfDay"],
//    "scanned": 40, "returned": 3, "read": 1.5, "status": 200, "key": "AKIA…", "sent": 122, "received": 2040}
//
// "patterns" is empty if no pattern of the design explains the request, and missing if the table has no design or the request reads nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/writer.h"
#include "server/requests/asked_for.h"
#include "server/requests/recorder.h"

namespace tavola::server {

// Writes the members of a row into an open object.
void write_row(json::Writer& json, const RecordedRequest& request, const AskedFor& asked);

// {"requests": [row, …], "last": 12, "missed": 0}: the rows after a number. `missed` counts the others that came since.
std::string page_json(const RecordedPage& page, const AskedReader& reader);

enum class SensitiveValues : std::uint8_t { Masked, Shown };

// A row with "body", as text, and "path" with its query under /v1. Without them "masked" lists all.
std::string request_json(const RecordedRequest& request, const AskedReader& reader,
                         SensitiveValues sensitive);

}  // namespace tavola::server
