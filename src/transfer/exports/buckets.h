// Buckets of AWS's operations as folders in one folder, which the operator of the server chooses. Clients name buckets
// and keys; no name reaches outside of that folder: not by "..", not by a link, not by an absolute path.
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
  // Creates the folder if missing.
  static Result<Buckets> open(const std::filesystem::path& folder);

  // Returns the folder of "name", or of "file:///path", which must be inside. Returns nullopt if there is no such
  // folder; fails with Validation if it is outside, or if a name on the way begins with a dot.
  Result<std::optional<std::filesystem::path>> find(const std::string& bucket) const;

 private:
  explicit Buckets(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;  // without links in it
};

// Returns "a//b/" as the folders a and b. Fails with Validation if one of them is "." or "..".
Result<std::vector<std::string>> parts_of_key(std::string_view key);

// Returns the key without empty parts, which no folder has: "/a//b" is "a/b", and "/a/" is "a/". Fails as
// parts_of_key() does, but the text after the last '/' is the beginning of a name, and may be any.
Result<std::string> plain_key(std::string_view key);

// Returns the folder of `parts` in a bucket, and creates it if missing. Fails with Validation if one of them is
// a link.
Result<std::filesystem::path> make_folders(const std::filesystem::path& bucket,
                                           const std::vector<std::string>& parts);

// Returns whether one of two folders is or contains the other. They need not exist.
bool contain_one_another(const std::filesystem::path& a, const std::filesystem::path& b);

struct FoundFile {
  std::string key{};  // relative to the bucket
  std::filesystem::path path{};
};
// Returns the files of a bucket whose keys begin with a prefix, in order. Links are left out.
Result<std::vector<FoundFile>> files_with_prefix(const std::filesystem::path& bucket,
                                                 std::string_view prefix);

}  // namespace tavola::transfer
