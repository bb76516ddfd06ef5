#include "server/memory_plan.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>

namespace tavola::server {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The number in a file of a control group; "max" and a missing file set no limit.
std::size_t limit_in(const fs::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  return error == std::errc() && limit > 0 ? limit : kUnlimited;
}

// The smallest limit of a group and of those that it is in. `group` is "/system.slice/tavola.service"; inside a container it may
// name a path that only the host sees, and the limit is at the top.
std::size_t limit_of(const fs::path& groups, fs::path group, const char* file) {
  std::size_t least = limit_in(groups / file);
  for (; group.has_relative_path(); group = group.parent_path()) {
    least = std::min(least, limit_in(groups / group.relative_path() / file));
  }
  return least;
}

// Lines of /proc/self/cgroup are "0::/path" (v2) and "4:memory:/path" (v1).
std::size_t limit_of_container(const fs::path& root) {
  std::size_t least = kUnlimited;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, limit_of(root / "sys/fs/cgroup", group, "memory.max"));
    if (controllers.contains(",memory,")) {
      least = std::min(least, limit_of(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

std::size_t available_memory(const fs::path& root) {
  const auto pages = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const auto page_bytes = static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return std::min(pages * page_bytes, limit_of_container(root));
}

MemoryPlan plan_memory(std::optional<std::size_t> given, std::size_t available) {
  const std::size_t all = given.value_or(available);
  const std::size_t most = given ? kUnlimited : 256 * kMegabyte;
  const std::size_t request = std::clamp(all / 4, 4 * kMegabyte, most);
  const std::size_t body = std::clamp(all / 32, kMegabyte, 16 * kMegabyte);
  return {
      .cache_bytes = std::clamp(all / 4, kMegabyte, given ? kUnlimited : 64 * kMegabyte),
      .write_buffer_bytes = std::clamp(all / 32, kMegabyte, 32 * kMegabyte),
      .request_bytes = request,
      // One client has half of it, and an eighth of that is for small bodies: the largest body must fit in the rest.
      .unverified_bytes = std::max(request / 4, 3 * body),
      .body_bytes = body,
      .large_requests = all < 1024 * kMegabyte ? 1U : 2U};
}

}  // namespace tavola::server
