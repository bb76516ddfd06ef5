// tavola-crawler: a registry of shops, their pages, and what changes there.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "command_specs.h"
#include "commands.h"

namespace {

using crawler::CommandContext;
using tavola::Result;

std::atomic<bool> is_stopping = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

constexpr int kFailed = 1;
constexpr int kMisused = 2;

using Command = Result<int> (*)(const CommandContext&);
constexpr auto kCommands = std::to_array<std::pair<std::string_view, Command>>({
    {"register", crawler::register_command},
    {"crawl", crawler::crawl_command},
    {"scrape", crawler::scrape_command},
    {"orchestrate", crawler::orchestrate_command},
    {"status", crawler::status_command},
    {"pages", crawler::pages_command},
    {"reset", crawler::reset_command},
    {"report", crawler::report_command},
});

void handle_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { is_stopping = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

int failed(const tavola::Error& error, int code) {
  std::cerr << "tavola-crawler: " << error.message() << '\n';
  return code;
}

int run(const crawler::CommandSpec& spec, const std::vector<std::string>& words) {
  const auto given = crawler::GivenOptions::read(spec, words);
  if (!given) return failed(given.error(), kMisused);
  auto opened = crawler::open_registry(*given);
  if (!opened) return failed(opened.error(), kFailed);
  std::mutex mutex;
  const bool as_json = given->has("--json");
  const crawler::Report print = [&](const crawler::Record& record) {
    const std::lock_guard lock(mutex);
    std::cout << (as_json ? record.to_json() : record.to_text()) << std::endl;
  };
  const auto command = std::ranges::find(kCommands, spec.name, &std::pair<std::string_view, Command>::first);
  const auto done = command->second(CommandContext{*given, *opened->registry, print, is_stopping});
  if (!done)
    return failed(done.error(), done.error().code() == tavola::ErrorCode::Validation ? kMisused : kFailed);
  return *done;
}

}  // namespace

int main(int count, char** arguments) {
  handle_signals();
  std::vector<std::string> words(arguments + 1, arguments + count);
  const auto specs = crawler::all_commands();
  if (!words.empty() && words.front() == "--version") {
    std::cout << "tavola-crawler " TAVOLA_VERSION "\n";
    return 0;
  }
  if (words.empty() || is_help(words.front()) || words.front() == "help") {
    (words.empty() ? std::cerr : std::cout) << crawler::program_help(specs);
    return words.empty() ? kMisused : 0;
  }
  const auto spec = std::ranges::find(specs, std::string_view(words.front()), &crawler::CommandSpec::name);
  if (spec == specs.end()) {
    std::cerr << "tavola-crawler: there is no command \"" << words.front()
              << "\". `tavola-crawler --help` lists them.\n";
    return kMisused;
  }
  words.erase(words.begin());
  if (std::ranges::any_of(words, is_help)) {
    std::cout << crawler::command_help(*spec);
    return 0;
  }
  return run(*spec, words);
}
