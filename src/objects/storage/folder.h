// Open folders and files. Every name is looked up in an open folder, one name at a time, and links are not followed, so
// nothing that a client names lies outside of the folder that the operator chose, even if somebody moves folders at the
// same time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

#include "base/clock.h"

namespace tavola::objects {

// An open file descriptor; closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

// The size and the time of a file identify its content: a file that is replaced or changed has others.
struct FileFacts {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970

  bool operator==(const FileFacts&) const = default;
};
// Returns nullopt if the descriptor is not that of a regular file.
std::optional<FileFacts> facts_of(const Descriptor& file);

struct FolderEntry {
  std::string name;
  bool is_folder = false;
};

// Methods that look for something return nullopt if it is missing, is of another kind, or is a link. Thread safety:
// const methods from any thread; none changes the object.
class Folder {
 public:
  // Opens the folder of a path of the operator, whose links are followed.
  static Result<Folder> open(const std::string& path);

  Result<std::optional<Folder>> find_folder(std::string_view name) const;
  // Creates it if missing, durably. Returns nullopt if something else has the name.
  Result<std::optional<Folder>> make_folder(std::string_view name) const;
  // Goes through several folders: "a/b". An empty path is this folder.
  Result<std::optional<Folder>> find_path(std::string_view path) const;
  Result<std::optional<Folder>> make_path(std::string_view path) const;

  Result<std::optional<Descriptor>> find_file(std::string_view name) const;
  // Creates a file that only the owner and, by the umask, others may read. Fails if it exists.
  Result<Descriptor> create_file(std::string_view name) const;
  Result<std::string> read_file(std::string_view name) const;
  // Creates or replaces a small file atomically and durably, also if two callers do it at the same time.
  Result<void> write_file(std::string_view name, std::string_view text) const;
  // Moves a file of `from` here, in place of a file of this name. Returns false if a folder has the name.
  Result<bool> take_file(const Folder& from, std::string_view old_name, std::string_view name) const;

  // Returns false if there was no such file, or no such empty folder.
  Result<bool> remove_file(std::string_view name) const;
  Result<bool> remove_folder(std::string_view name) const;
  // Removes it with everything in it.
  Result<void> remove_tree(std::string_view name) const;

  // Regular files and folders, in no order. Links and everything else are left out.
  Result<std::vector<FolderEntry>> entries() const;
  Result<void> sync() const;
  // Keeps other processes from locking it, until this object ends. Returns false if one has.
  Result<bool> lock() const;
  WallTime created_at() const;

 private:
  explicit Folder(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

Result<void> write_bytes(const Descriptor& file, std::string_view bytes);
// Reads exactly these bytes. Returns false if the file ends before.
bool read_bytes(const Descriptor& file, std::uint64_t offset, std::span<char> into);
Result<void> sync(const Descriptor& file);

}  // namespace tavola::objects
