// Where the object of a key lies.
//
// An ordinary key is the path of its file in the folder of the bucket: "reports/2024.csv". That cannot hold every key:
// no file is named "..", "" or longer than 255 bytes, and no file "a" can be beside the folder of "a/b". The objects of such
// keys lie elsewhere, under a path made from the bytes of the key in hexadecimal, which no other key has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::objects {

inline constexpr std::size_t kKeyBytesMax = 1024;

// Returns whether files can be named so, apart from the files and folders that exist.
bool is_path(std::string_view key);

// Returns "6b/…": names of 200 digits for folders, and of up to 200 digits with a dot behind them for the file.
std::string odd_path(std::string_view key);
// Returns the key of such a path; nullopt if odd_path() does not make it.
std::optional<std::string> key_of_odd_path(std::string_view path);

// "a/b" and "c" for "a/b/c"; the folder is empty for "c".
struct SplitPath {
  std::string_view folder;
  std::string_view name;
};
SplitPath split_path(std::string_view path);

}  // namespace tavola::objects
