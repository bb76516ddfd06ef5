// The tables that a request of DynamoDB's protocol names, read from its body.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tavola::wire {

// Returns each table once, in the order of the body. What could not be the name of a table is left out: a client may send anything in its place,
// a value by mistake included. A body of more than a megabyte has none.
std::vector<std::string> tables_in(std::string_view body);

// Returns the name in a body that was cut off, if it names a single table there; otherwise nothing.
std::string table_in_part(std::string_view body);

}  // namespace tavola::wire
