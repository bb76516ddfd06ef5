// Texts in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace tavola::workshop {

// Returns the text with & < > and " escaped, for content and for attributes in double quotes.
std::string escape_markup(std::string_view text);

}  // namespace tavola::workshop
