// Items as the text of files: the other direction of item_reader.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/packed.h>

namespace tavola::transfer {

// {"Item":{…}} and the end of the line, as DynamoDB exports it.
void append_line(std::string& out, const ItemView& item);

// A record with a field for each column. CSV knows texts alone, and types of keys by the table's definition: numbers are written
// as such, B as base64, lists, maps and sets as DynamoDB JSON. What comes back of all that are no keys is text.
void append_csv_header(std::string& out, const std::vector<std::string>& columns, char delimiter);
// Whether every attribute of the item has a column.
bool append_csv_record(std::string& out, const ItemView& item, const std::vector<std::string>& columns,
                       char delimiter);

}  // namespace tavola::transfer
