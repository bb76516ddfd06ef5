#include "store/data_files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/files.h"

namespace tavola::store {

namespace fs = std::filesystem;

Error file_is(const fs::path& path, const FileFate& fate) {
  const std::string is = " is " + std::string(fate.fate);
  const std::string why = fate.reason.empty() ? "" : " (" + readable(std::string(fate.reason)) + ")";
  return {ErrorCode::Corrupt,
          "the file " + quoted(path) + is + "; restore the directory from a backup" + why +
              std::string(fate.otherwise),
          std::make_shared<FileFault>(path, "it" + is + why)};
}

namespace {

constexpr std::string_view kRepair = "; or read what is left with `tavola repair`";
constexpr std::string_view kGiveUp =
    "; or give up the writes that it held: `tavola serve --accept-loss` opens without them";

}  // namespace

Error file_is_damaged(const fs::path& path, std::string_view reason) {
  return file_is(path, {"damaged", reason, kRepair});
}

Error file_is_missing(const fs::path& path) { return file_is(path, {"missing", "", kRepair}); }

Error log_is_damaged(const fs::path& path, std::string_view reason) {
  return file_is(path, {"damaged", reason, kGiveUp});
}

Error log_is_missing(const fs::path& path, std::string_view reason) {
  return file_is(path, {"missing", reason, kGiveUp});
}

Result<std::vector<std::string>> log_files(const fs::path& directory) {
  TAVOLA_TRY(std::vector<std::string> names, list_directory(directory));
  std::erase_if(names, [](std::string_view name) { return !name.ends_with(".log"); });
  // Their numbers are padded to six digits, and may have more.
  std::ranges::sort(names, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return names;
}

}  // namespace tavola::store
