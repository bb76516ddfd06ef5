// The commands of the program.
#pragma once

#include <atomic>
#include <memory>

#include <tavola/database.h>
#include <tavola/error.h>

#include "options.h"
#include "work/record.h"
#include "work/registry.h"

namespace crawler {

struct OpenRegistry {
  std::unique_ptr<tavola::Database> database;
  std::unique_ptr<Registry> registry;
};
// Opens the database that --data, --in-memory or --endpoint name.
tavola::Result<OpenRegistry> open_registry(const GivenOptions& given);

// The surroundings of a command. A command returns the exit code of the program.
struct CommandContext {
  const GivenOptions& given;
  Registry& registry;
  const Report& print;
  const std::atomic<bool>& is_stopping;  // becomes true on SIGINT and SIGTERM
};
tavola::Result<int> register_command(const CommandContext& context);
tavola::Result<int> crawl_command(const CommandContext& context);
tavola::Result<int> scrape_command(const CommandContext& context);
tavola::Result<int> orchestrate_command(const CommandContext& context);
tavola::Result<int> status_command(const CommandContext& context);
tavola::Result<int> pages_command(const CommandContext& context);
tavola::Result<int> reset_command(const CommandContext& context);
tavola::Result<int> report_command(const CommandContext& context);

// The countries of --country, in capitals; empty: all.
std::vector<std::string> countries_of(const GivenOptions& given);

}  // namespace crawler
