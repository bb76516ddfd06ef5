// The users of the server: access keys with their secrets and permissions, read from a file of lines.
//
//   # access key   secret      [read-only]  [tables=NAME,PREFIX*]  [sub=PERSON]  [groups=NAME,NAME]
//   AKIDADMIN      8fK1…
//   AKIDREPORTS    x72b…       read-only
//   AKIDORDERS     Qs0e…       tables=Orders,OrderArchive-*
//   AKIDANNA       v9Lm…       sub=anna  groups=manager
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tavola/error.h>

namespace tavola::access {

// One line of the file.
struct AccessKey {
  std::string id;
  std::string secret;
  bool read_only = false;
  std::vector<std::string> tables;  // names, or prefixes that end with '*'; empty: every table

  // The person that the key stands for, as in a token: the roles of designs limit what it may do. Both empty: none, and
  // roles do not apply. A key with groups only stands for a person of its own name.
  std::string sub{};
  std::vector<std::string> groups{};

  bool may_use(std::string_view table) const;
  bool stands_for_somebody() const { return !sub.empty(); }
};

// Thread safety: const methods from any thread.
class Credentials {
 public:
  // `source` names the text in messages ("keys.txt"). Fails with Validation and a message that begins with
  // "source:line:".
  static Result<Credentials> parse(std::string_view text, std::string_view source);
  // Fails as parse does, and with Io if the file cannot be read.
  static Result<Credentials> load(const std::string& path);

  // Returns the key of this id, or null. Lives as long as the Credentials.
  const AccessKey* find(std::string_view id) const;
  std::size_t size() const { return keys_.size(); }
  // Returns whether a key stands for a person.
  bool have_people() const;

 private:
  std::unordered_map<std::string, AccessKey> keys_;
};

}  // namespace tavola::access
