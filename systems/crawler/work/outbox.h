// Messages that wait to be delivered, one file each, in a directory: they survive a crash of the program and of the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace crawler {

// Thread safety: all methods; several processes may share a directory.
class Outbox {
 public:
  // Creates the directory if it is missing.
  static tavola::Result<Outbox> open(std::filesystem::path directory);

  // Adds a message; it is on disk when this returns. `id` has letters and digits alone. The same id twice is delivered twice.
  tavola::Result<void> add(std::string_view id, std::string_view message) const;

  struct Message {
    std::filesystem::path file{};
    std::string id{};
    std::string text{};
  };
  // Returns the messages, oldest first, at most so many.
  tavola::Result<std::vector<Message>> oldest(std::size_t count) const;
  void remove(const Message& message) const;  // it was delivered
  std::size_t size() const;

  const std::filesystem::path& directory() const { return directory_; }

 private:
  explicit Outbox(std::filesystem::path directory) : directory_(std::move(directory)) {}
  std::filesystem::path directory_;
};

}  // namespace crawler
