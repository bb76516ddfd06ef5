#include "cli/output/question.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace tavola::cli {

bool can_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

std::optional<std::string> ask(std::string_view question, std::string_view by_default) {
  std::string text(question);
  if (!by_default.empty()) text += " [" + std::string(by_default) + "]";
  text += " ";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return std::string(by_default);
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool ask_yes(std::string_view question) {
  const std::optional<std::string> answer = ask(question, "y/N");
  return answer && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

}  // namespace tavola::cli
