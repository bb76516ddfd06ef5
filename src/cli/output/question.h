// Questions to the person at the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tavola::cli {

// Returns whether somebody can answer: standard input and standard error are a terminal.
bool can_ask();

// Writes the question to standard error, with the default in brackets, and reads a line. An empty answer is the default. Returns
// nullopt at the end of the input.
std::optional<std::string> ask(std::string_view question, std::string_view by_default);

// Asks a question whose default is no.
bool ask_yes(std::string_view question);

}  // namespace tavola::cli
