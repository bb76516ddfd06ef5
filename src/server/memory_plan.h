// How much memory the parts of a server may use, from what it has in all: --memory, or what the machine or the container gives.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace tavola::server {

// The memory of the machine, or of the container when its control group (cgroup v1 or v2) has less. `root` is for tests.
std::size_t available_memory(const std::filesystem::path& root = "/");

struct MemoryPlan {
  std::size_t cache_bytes;         // data read from the disk
  std::size_t write_buffer_bytes;  // new data before it is written out; there are up to three
  std::size_t request_bytes;       // bodies of requests and large answers, of all clients together
  std::size_t unverified_bytes;    // of these, bodies whose sender is not verified yet
  std::size_t body_bytes;          // the body of one request: reading it takes up to fourteen times its size
  unsigned large_requests;         // read at once
};

// `given` is what --memory says: of it the cache is a quarter, the requests are a quarter. Without it they grow with
// `available` only up to 64 MB and 256 MB, since others may need the machine.
MemoryPlan plan_memory(std::optional<std::size_t> given, std::size_t available);

}  // namespace tavola::server
