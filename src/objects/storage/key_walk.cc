#include "objects/storage/key_walk.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "objects/storage/key_path.h"

namespace tavola::objects {
namespace {

// The keys in a folder "a" begin with "a/", so they come behind the file "a.txt".
std::string sorting_name(const FolderEntry& entry) { return entry.is_folder ? entry.name + "/" : entry.name; }

}  // namespace

Result<void> KeyWalk::enter(const std::string& prefix) {
  Level level{.prefix = prefix, .entries = {}};
  const std::string_view path = std::string_view(prefix).substr(0, prefix.empty() ? 0 : prefix.size() - 1);
  TAVOLA_TRY(const std::optional<Folder> folder, bucket_.find_path(path));
  if (folder) {  // otherwise it was removed concurrently
    TAVOLA_TRY(level.entries, folder->entries());
  }
  std::erase_if(level.entries, [&](const FolderEntry& entry) {
    return !is_utf8(entry.name) || prefix.size() + entry.name.size() > kKeyBytesMax;
  });
  std::ranges::sort(level.entries, {}, sorting_name);
  levels_.push_back(std::move(level));
  return {};
}

// Moves to the first entry that has a key which is not less than `target`, a text behind the prefix of the level.
void KeyWalk::move_to(Level& level, std::string_view target) {
  const auto found = std::ranges::lower_bound(level.entries, target, {}, sorting_name);
  level.position = static_cast<std::size_t>(found - level.entries.begin());
  // The folder of the target itself is less than it.
  if (level.position > 0 && level.entries[level.position - 1].is_folder &&
      target.starts_with(sorting_name(level.entries[level.position - 1]))) {
    --level.position;
  }
}

Result<void> KeyWalk::seek(std::string_view target) {
  if (!std::exchange(has_begun_, true)) TAVOLA_CHECK(enter(""));
  while (levels_.size() > 1 && !target.starts_with(levels_.back().prefix)) levels_.pop_back();
  if (levels_.empty()) return {};  // the end was reached before
  move_to(levels_.back(), target.substr(levels_.back().prefix.size()));
  return settle(target);
}

// Goes down into folders, and up at their ends, until the current entry is a file.
Result<void> KeyWalk::settle(std::string_view target) {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.position == level.entries.size()) {
      levels_.pop_back();
      if (!levels_.empty()) ++levels_.back().position;
      continue;
    }
    const FolderEntry& entry = level.entries[level.position];
    key_ = level.prefix + entry.name;
    if (!entry.is_folder) return {};
    key_ += '/';
    TAVOLA_CHECK(enter(key_));
    if (target.starts_with(key_)) move_to(levels_.back(), target.substr(key_.size()));
  }
  return {};
}

}  // namespace tavola::objects
