#include "cli/command/dynamodb_local.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace tavola::cli {
namespace {

struct Argument {
  std::string_view name;
  bool has_value;
  std::string_view option;  // of `tavola serve`; empty: none
};

constexpr Argument kArguments[] = {{"-jar", true, ""},
                                   {"-inMemory", false, "--in-memory"},
                                   {"-port", true, "--port"},
                                   {"-dbPath", true, "--data"},
                                   {"-cors", true, "--cors"},
                                   {"-sharedDb", false, ""},
                                   {"-delayTransientStatuses", false, ""},
                                   {"-optimizeDbBeforeStartup", false, ""},
                                   {"-disableTelemetry", false, ""},
                                   {"-help", false, "--help"}};

const Argument* find_argument(std::string_view word) {
  const auto* const found = std::ranges::find(kArguments, word, &Argument::name);
  return found == std::ranges::end(kArguments) ? nullptr : found;
}

// "-Djava.library.path=./DynamoDBLocal_lib", "-Xmx2g"
bool is_for_java(std::string_view word) { return word.starts_with("-D") || word.starts_with("-X"); }

void add(std::vector<std::string>& options, std::string_view option, const std::string& value) {
  if (option != "--cors") {
    options.insert(options.end(), {std::string(option), value});
    return;
  }
  for_each_part(value, ',', [&options](std::string_view origin) {
    options.emplace_back("--cors");
    if (trimmed(origin) != "*") options.emplace_back(trimmed(origin));
  });
}

}  // namespace

std::vector<std::string> without_dynamodb_local(std::vector<std::string> words) {
  if (words.empty() || (find_argument(words.front()) == nullptr && !is_for_java(words.front()))) return words;
  std::vector<std::string> options{"serve"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Argument* const argument = find_argument(words[i]);
    if (argument == nullptr) {
      if (!is_for_java(words[i])) options.push_back(words[i]);
    } else if (!argument->has_value) {
      if (!argument->option.empty()) options.emplace_back(argument->option);
    } else if (++i < words.size()) {
      if (!argument->option.empty()) add(options, argument->option, words[i]);
    } else {
      options.emplace_back(argument->option.empty() ? argument->name
                                                    : argument->option);  // refused: it has no value
    }
  }
  return options;
}

}  // namespace tavola::cli
