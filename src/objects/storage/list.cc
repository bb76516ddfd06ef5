// Pages of a bucket's keys: those of its files and the odd ones (key_path.h), in one order.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "objects/storage/key_path.h"
#include "objects/storage/key_walk.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {
namespace {

Result<void> add_odd_keys(const Folder& folder, const std::string& path, std::vector<std::string>& keys) {
  TAVOLA_TRY(const std::vector<FolderEntry> entries, folder.entries());
  for (const FolderEntry& entry : entries) {
    if (!entry.is_folder) {
      if (auto key = key_of_odd_path(path + entry.name)) keys.push_back(*std::move(key));
      continue;
    }
    TAVOLA_TRY(const std::optional<Folder> inner, folder.find_folder(entry.name));
    if (inner) TAVOLA_CHECK(add_odd_keys(*inner, path + entry.name + "/", keys));
  }
  return {};
}

Result<std::vector<std::string>> odd_keys(const Bucket& bucket) {
  std::vector<std::string> keys;
  TAVOLA_TRY(const std::optional<Folder> odd, bucket.state.find_folder("odd"));
  if (odd) TAVOLA_CHECK(add_odd_keys(*odd, "", keys));
  std::ranges::sort(keys);
  return keys;
}

// The smallest text that is greater than all that begin with `text`; nullopt if there is none.
std::optional<std::string> behind_all_of(std::string text) {
  while (!text.empty() && text.back() == '\xff') text.pop_back();
  if (text.empty()) return std::nullopt;
  text.back() = static_cast<char>(static_cast<unsigned char>(text.back()) + 1);
  return text;
}

// The merged keys of a bucket.
class AllKeys {
 public:
  AllKeys(const Folder& files, std::vector<std::string> odd) : walk_(files), odd_(std::move(odd)) {}

  // Returns the first key that is not less than `target`; nullopt at the end. Targets must grow.
  Result<std::optional<std::string>> first_from(std::string_view target) {
    TAVOLA_CHECK(walk_.seek(target));
    const auto odd = std::ranges::lower_bound(odd_, target);
    if (odd == odd_.end() && !walk_.is_valid()) return std::optional<std::string>();
    if (odd == odd_.end()) return walk_.key();
    return walk_.is_valid() ? std::min(walk_.key(), *odd) : *odd;
  }

 private:
  KeyWalk walk_;
  std::vector<std::string> odd_;
};

// Returns what the group of a key begins with; empty if it is in none.
std::string group_of(const std::string& key, const ListQuery& query) {
  if (query.delimiter.empty()) return {};
  const std::size_t at = key.find(query.delimiter, query.prefix.size());
  return at == std::string::npos ? std::string() : key.substr(0, at + query.delimiter.size());
}

}  // namespace

Result<ListPage> ObjectStore::list(const std::string& bucket_name, const ListQuery& query) const {
  TAVOLA_TRY(const Bucket in, bucket(bucket_name));
  TAVOLA_TRY(std::vector<std::string> odd, odd_keys(in));
  AllKeys keys(in.files, std::move(odd));
  ListPage page;
  if (query.entries_max == 0) return page;
  std::string behind = query.after.empty() ? std::string() : query.after + '\0';
  if (query.skips_group_of_after) behind = behind_all_of(query.after).value_or(behind);
  std::string target = std::max(query.prefix, behind);
  for (;;) {
    TAVOLA_TRY(const std::optional<std::string> key, keys.first_from(target));
    if (!key || !key->starts_with(query.prefix)) return page;
    const std::string group = group_of(*key, query);
    if (group.empty()) {
      target = *key + '\0';
      TAVOLA_TRY(std::optional<FoundObject> found, find(in, *key));
      if (!found) continue;  // deleted concurrently
      if (page.entries.size() == query.entries_max) break;
      page.entries.push_back({.key = *key, .is_group = false, .record = std::move(found->record)});
    } else {
      if (page.entries.size() == query.entries_max) break;
      page.entries.push_back({.key = group, .is_group = true});
      const std::optional<std::string> next = behind_all_of(group);
      if (!next) return page;
      target = *next;
    }
  }
  page.is_truncated = true;
  return page;
}

}  // namespace tavola::objects
