// tavola-text-analyzer count FILE…: the words of files, without a server.
#pragma once

#include <string>
#include <vector>

namespace tavola::text_analyzer {

// Prints a line of JSON for each file; "-" is standard input. Returns the exit code of the program.
int count(const std::vector<std::string>& files);

}  // namespace tavola::text_analyzer
