// The larger sections of docs.h.
#pragma once

#include <chrono>
#include <string>

#include "design/model/model.h"
#include "workshop/texts/markdown.h"

namespace tavola::workshop {

void write_entities(Markdown& out, const design::Design& design);
void write_patterns(Markdown& out, const design::Design& design);
void write_operations(Markdown& out, const design::Design& design);

// Returns a heading: the name, followed by the title, such as "Sales of a shop".
std::string with_title(const std::string& name, const design::Notes& notes);
// Returns "90 days", "2 hours".
std::string duration_text(std::chrono::milliseconds duration);
// Returns "GSI1", "the table".
std::string place_text(const design::Design& design, const std::string& via);

}  // namespace tavola::workshop
