// tavola-text-analyzer: uploaded texts and their words.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "systems/text-analyzer/count_command.h"
#include "systems/text-analyzer/options.h"
#include "systems/text-analyzer/serve_command.h"
#include "systems/text-analyzer/worker_command.h"

namespace tavola::text_analyzer {
namespace {

constexpr const char* kHelp = R"(tavola-text-analyzer: uploaded texts and their words

  tavola-text-analyzer serve [OPTION…]     the pages, the uploads, and a worker
  tavola-text-analyzer worker [OPTION…]    a further worker, which needs --endpoint and --s3
  tavola-text-analyzer count FILE…         prints the words of each file as a line of JSON; "-" is standard input

A word is a run of Unicode letters, in small letters. A file is UTF-8, or UTF-16 with a byte order mark, of any size.

)";

int refused(const std::string& message) {
  std::fprintf(stderr, "tavola-text-analyzer: %s\n", message.c_str());
  return 1;
}

int run(const std::vector<std::string>& words) {
  AnalyzerOptions options;
  const std::vector<systems::Option> known = analyzer_options(options);
  const std::string command = words.empty() ? "" : words.front();
  if (command.empty() || command == "--help" || command == "help") {
    std::fprintf(command.empty() ? stderr : stdout, "%s%s", kHelp, systems::option_lines(known).c_str());
    return command.empty() ? 1 : 0;
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (command == "count") return count(rest);
  if (command != "serve" && command != "worker")
    return refused("there is no command " + command + "; --help lists them");
  const auto others = systems::read_options(rest, known);
  if (!others) return refused(others.error().message());
  if (options.help) {
    std::printf("%s%s", kHelp, systems::option_lines(known).c_str());
    return 0;
  }
  if (!others->empty()) return refused(command + " takes options only (was " + others->front() + ")");
  if (const auto checked = check(options); !checked) return refused(checked.error().message());
  server::StopSignals signals;
  server::Log log(server::LogFormat::Text);
  return command == "serve" ? serve(options, log, signals) : work(options, log, signals);
}

}  // namespace
}  // namespace tavola::text_analyzer

int main(int count, char** arguments) {
  return tavola::text_analyzer::run(std::vector<std::string>(arguments + 1, arguments + count));
}
