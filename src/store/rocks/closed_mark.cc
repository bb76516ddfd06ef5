#include "store/rocks/closed_mark.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "store/data_files.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

struct FileLength {
  std::string name;
  std::uintmax_t bytes;
};

std::optional<FileLength> parse_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  FileLength length{std::string(line.substr(0, space)), 0};
  const char* end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data() + space + 1, end, length.bytes);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return length;
}

// Returns an empty list if the text is malformed.
std::vector<FileLength> parse(std::string_view text) {
  std::vector<FileLength> lengths;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return {};
    std::optional<FileLength> length = parse_line(text.substr(0, newline));
    if (!length) return {};
    lengths.push_back(*std::move(length));
    text.remove_prefix(newline + 1);
  }
  return lengths;
}

Result<void> check_length(const fs::path& file, std::uintmax_t bytes) {
  std::error_code error;
  const std::uintmax_t found = fs::file_size(file, error);
  if (error == std::errc::no_such_file_or_directory) return fail(file_is_missing(file));
  if (error) return fail(system_error("read", file, error.value()));
  if (found >= bytes) return {};
  return fail(file_is_damaged(file, "it has " + std::to_string(found) + " bytes and had " +
                                        std::to_string(bytes) + " when it was closed"));
}

// The log of a closed store is small: more than a megabyte would have been written to data files.
Result<void> check_records(const fs::path& log, std::uintmax_t bytes) {
  TAVOLA_TRY(const std::string text, read_file(log));
  const std::size_t whole = whole_bytes(text);
  if (whole >= bytes) return {};
  return fail(file_is_damaged(log, "its record at byte " + std::to_string(whole) + " is broken"));
}

// A record with a damaged length hides those after it.
Result<void> check_manifest(const fs::path& manifest, std::uintmax_t bytes) {
  TAVOLA_TRY(const std::string text, read_file(manifest));
  const std::size_t whole = whole_records(text).end;
  if (whole >= bytes) return {};
  return fail(file_is_damaged(manifest, "its record at byte " + std::to_string(whole) + " is broken"));
}

}  // namespace

Result<void> check_closed_mark(const fs::path& directory) {
  const std::vector<FileLength> lengths = parse(read_small_file(directory / kClosedFile).value_or(""));
  if (lengths.empty() || lengths.front().name != current_manifest(directory)) return {};
  for (const FileLength& length : lengths) {
    const fs::path file = directory / length.name;
    TAVOLA_CHECK(check_length(file, length.bytes));
    if (file.extension() == ".log") {
      TAVOLA_CHECK(check_records(file, length.bytes));
    } else {
      TAVOLA_CHECK(check_manifest(file, length.bytes));
    }
  }
  return {};
}

}  // namespace tavola::store
