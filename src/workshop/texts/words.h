// Small lists of words for sample data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::workshop {

using Words = std::span<const std::string_view>;

Words first_names();
Words last_names();
Words cities();
Words countries();  // codes: "DE"
Words streets();
Words materials();  // "Copper"
Words products();   // "Kettle"
Words categories();
Words shop_kinds();  // "Antiques"
Words subdomains();  // with their dot; mostly none
Words topics();      // also tags
Words groups();
Words permissions();
Words remarks();   // short sentences
Words troubles();  // error messages
Words file_names();
Words plain_words();

// Returns the words of an identifier, in lower case: "notificationEmail" and "notification_email" are {notification,
// email}.
std::vector<std::string> words_of(std::string_view identifier);

}  // namespace tavola::workshop
