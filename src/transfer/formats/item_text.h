// Items as the text of files: the other direction of item_reader.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

namespace tavola::transfer {

// Appends {"Item":{…}} and a line end, as DynamoDB exports it.
void append_line(std::string& out, const ItemView& item);

// Append a record with a field for each column. CSV has texts only, and the types of keys come from the table's
// definition: numbers are written as such, B as base64, lists, maps and sets as DynamoDB JSON. All attributes but keys
// are read back as texts.
void append_csv_header(std::string& out, const std::vector<std::string>& columns, char delimiter);
// Returns whether every attribute of the item has a column.
bool append_csv_record(std::string& out, const ItemView& item, const std::vector<std::string>& columns,
                       char delimiter);

}  // namespace tavola::transfer
