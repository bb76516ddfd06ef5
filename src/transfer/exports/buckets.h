// What AWS calls a bucket is a folder in one folder that whoever runs the server has named. Clients name buckets and keys; nothing
// they say reaches outside of it: not by "..", not by a link, not by a path from the root.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::transfer {

class Buckets {
 public:
  // Creates the folder when it is missing.
  static Result<Buckets> open(const std::filesystem::path& folder);

  // The folder of "name", or of "file:///path", which must be inside. Nothing when there is no such folder; fails with Validation
  // when it is outside.
  Result<std::optional<std::filesystem::path>> find(const std::string& bucket) const;

 private:
  explicit Buckets(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;  // without links in it
};

// "a//b/" as the folders a and b. Fails with Validation when one of them is "." or "..".
Result<std::vector<std::string>> parts_of_key(std::string_view key);

// The key without empty parts, which no folder has: "/a//b" is "a/b", and "/a/" is "a/". Fails as parts_of_key() does, but what stands
// behind the last '/' is the beginning of a name, and may be any.
Result<std::string> plain_key(std::string_view key);

// The folder of `parts` in a bucket, made when it is missing. Fails with Validation when one of them is a link.
Result<std::filesystem::path> make_folders(const std::filesystem::path& bucket,
                                           const std::vector<std::string>& parts);

// Whether one of two folders is the other, or is in it. They need not be there.
bool contain_one_another(const std::filesystem::path& a, const std::filesystem::path& b);

struct FoundFile {
  std::string key{};  // from the bucket on
  std::filesystem::path path{};
};
// The files of a bucket whose keys begin with a prefix, in their order. Links are left out.
Result<std::vector<FoundFile>> files_with_prefix(const std::filesystem::path& bucket,
                                                 std::string_view prefix);

}  // namespace tavola::transfer
