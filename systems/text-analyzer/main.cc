// tavola-text-analyzer: uploaded texts and their words.
#include <string>
#include <vector>

#include "systems/host/run.h"
#include "systems/text-analyzer/count_command.h"
#include "systems/text-analyzer/options.h"
#include "systems/text-analyzer/serve_command.h"
#include "systems/text-analyzer/worker_command.h"

namespace tavola::text_analyzer {
namespace {

constexpr systems::Program kProgram{.name = "tavola-text-analyzer",
                                    .usage = R"(tavola-text-analyzer: uploaded texts and their words

  tavola-text-analyzer serve [OPTION…]     the pages, the uploads, and a worker
  tavola-text-analyzer worker [OPTION…]    a further worker, which needs --endpoint and --s3
  tavola-text-analyzer count FILE…         prints the words of each file as a line of JSON; "-" is standard input

A word is a run of Unicode letters, in small letters. A file is UTF-8, or UTF-16 with a byte order mark, of any size.
)"};

int refused(const std::string& message) {
  return systems::refuse_command_line(kProgram, Error::validation(message));
}

int count_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (file.starts_with("--")) return refused("count takes files only (was " + file + ")");
  }
  return files.empty() ? refused("count needs a file, or - for standard input") : count(files);
}

int run(const std::vector<std::string>& words) {
  AnalyzerOptions options;
  const std::vector<systems::Option> known = analyzer_options(options);
  if (systems::tell_about(kProgram, words, known)) return 0;
  if (words.empty()) return refused("a command is missing");
  const std::string& command = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (command == "count") return count_files(rest);
  if (command != "serve" && command != "worker") return refused("there is no command " + command);
  const auto others = systems::read_options(rest, known);
  if (!others) return refused(others.error().message());
  if (!others->empty()) return refused(command + " takes options only (was " + others->front() + ")");
  if (const auto checked = check(options); !checked) return refused(checked.error().message());
  if (const auto enough = check_worker(options); !enough && command == "worker")
    return refused(enough.error().message());
  server::StopSignals signals;
  server::Log log(server::LogFormat::Text);
  return command == "serve" ? serve(options, log, signals) : work(options, log, signals);
}

}  // namespace
}  // namespace tavola::text_analyzer

int main(int count, char** arguments) {
  return tavola::text_analyzer::run(std::vector<std::string>(arguments + 1, arguments + count));
}
