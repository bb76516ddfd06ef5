// The process that is killed: opens the database, and writes with several threads until it dies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

namespace tavola::crash {

// The task of the process after it has opened the database.
enum class Role : std::uint8_t {
  Writes,
  Waits,           // for its end: it is killed during recovery
  WritesDeferred,  // to a store without a database on it, with Durability::Deferred (deferred.h)
};

struct WriterOptions {
  std::filesystem::path directory{};
  std::filesystem::path sync_notes{};  // power_cut.h
  Durability durability = Durability::Synced;
  std::uint64_t seed = 0;
  std::uint64_t first_id = 0;  // of its operations
  int journal_fd = -1;
  Role role = Role::Writes;
};

// Converts the writer's options to a command line of this program, which begins with kCommand, and back.
inline constexpr std::string_view kCommand = "write";
std::vector<std::string> to_arguments(const WriterOptions& options);
WriterOptions from_arguments(const std::vector<std::string>& arguments);

// Ends only by being killed, or with a message on stderr and a status if the database does not open.
int run_writer(const WriterOptions& options);

}  // namespace tavola::crash
