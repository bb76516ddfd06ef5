// The process that is killed: opens the database, and writes with several threads until it dies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tavola/database.h>

namespace tavola::crash {

struct WriterOptions {
  std::filesystem::path directory{};
  std::filesystem::path sync_notes{};  // power_cut.h
  Durability durability = Durability::Synced;
  std::uint64_t seed = 0;
  std::uint64_t first_id = 0;  // of its operations
  int journal_fd = -1;
  bool opens_only = false;  // opens, and waits for its end: to be killed during recovery
};

// The writer as a command line of this program, and back.
std::vector<std::string> to_arguments(const WriterOptions& options);
WriterOptions from_arguments(const std::vector<std::string>& arguments);

// Ends only by being killed, or with a message on stderr and a status when the database does not open.
int run_writer(const WriterOptions& options);

}  // namespace tavola::crash
