#include "work/outbox.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace crawler {
namespace {

using tavola::Error;
using tavola::ErrorCode;
using tavola::Result;
namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

Error not_possible(const fs::path& file, std::string_view what) {
  return {ErrorCode::Io, file.string() + " cannot be " + std::string(what) + ": " + std::strerror(errno)};
}

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  bool is_open() const { return descriptor_ >= 0; }

  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool sync() const { return ::fsync(descriptor_) == 0; }

 private:
  int descriptor_;
};

// Names sort by time; messages of one microsecond by their number.
std::string next_name(std::string_view id) {
  static std::atomic<unsigned> number = 0;
  const auto now =
      std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()).time_since_epoch();
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "%020lld-%06u-%d-", static_cast<long long>(now.count()),
                number++ % 1'000'000, ::getpid());
  return name.data() + std::string(id) + std::string(kEnding);
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == kEnding) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<Outbox> Outbox::open(fs::path directory) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  if (problem)
    return tavola::fail(
        {ErrorCode::Io, "The outbox " + directory.string() + " cannot be created: " + problem.message()});
  return Outbox(std::move(directory));
}

Result<void> Outbox::add(std::string_view id, std::string_view message) const {
  const std::string name = next_name(id);
  const fs::path file = directory_ / name;
  const fs::path unfinished = directory_ / (name + ".new");
  {
    const OpenFile open(unfinished, O_CREAT | O_EXCL | O_WRONLY);
    if (!open.is_open() || !open.write(message) || !open.sync())
      return tavola::fail(not_possible(unfinished, "written"));
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) return tavola::fail(not_possible(file, "written"));
  const OpenFile directory(directory_, O_DIRECTORY | O_RDONLY);
  if (!directory.is_open() || !directory.sync()) return tavola::fail(not_possible(directory_, "synced"));
  return {};
}

Result<std::vector<Outbox::Message>> Outbox::oldest(std::size_t count) const {
  std::vector<Message> messages;
  for (const fs::path& file : files_in(directory_)) {
    if (messages.size() == count) break;
    std::ifstream in(file, std::ios::binary);
    if (!in) continue;  // another process delivered it
    const std::string stem = file.stem().string();
    messages.push_back({file,
                        stem.substr(stem.rfind('-') + 1),
                        {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  return messages;
}

void Outbox::remove(const Message& message) const {
  std::error_code ignored;
  fs::remove(message.file, ignored);
}

std::size_t Outbox::size() const { return files_in(directory_).size(); }

}  // namespace crawler
