// A folder: objects are files, written under a temporary name, synced and then renamed.
#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "transfer/archive/destination.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDraft = ".tmp";  // of replace_file: a leftover of a crash, not an object

class Folder final : public Destination {
 public:
  explicit Folder(std::string path) : root_(std::move(path)) {}

  Result<void> write(const std::string& name, std::string_view bytes) override {
    const fs::path path = root_ / name;
    TAVOLA_CHECK(make_directory(path.parent_path()));
    return replace_file(path, bytes, kByUmask);
  }

  Result<std::optional<std::string>> read(const std::string& name) override {
    const fs::path path = root_ / name;
    std::error_code error;
    if (!fs::exists(path, error)) {
      if (error) return fail(system_error("read", path, error.value()));
      return std::optional<std::string>();
    }
    TAVOLA_TRY(std::string bytes, read_file(path));
    return std::optional(std::move(bytes));
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::vector<std::string> names;
    const fs::path from = root_ / folder;
    std::error_code error;
    if (!fs::exists(from, error)) {
      if (error) return fail(system_error("read", from, error.value()));
      return names;
    }
    for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end;
         entry.increment(error)) {
      std::string name = entry->path().lexically_relative(root_).generic_string();
      if (entry->is_regular_file() && !name.ends_with(kDraft)) names.push_back(std::move(name));
    }
    if (error) return fail(system_error("read", from, error.value()));
    std::ranges::sort(names);
    return names;
  }

  std::string described() const override { return root_.string(); }

 private:
  // Syncs all parents, too, so that a power cut removes none of them.
  static Result<void> make_directory(const fs::path& path) {
    std::error_code error;
    if (path.empty() || fs::is_directory(path, error)) return {};
    const fs::path above = parent_of(path);
    if (above != path) TAVOLA_CHECK(make_directory(above));
    fs::create_directory(path, error);  // an existing one is fine
    if (error) return fail(system_error("create", path, error.value()));
    return sync_directory(above);
  }

  const fs::path root_;
};

}  // namespace

std::unique_ptr<Destination> open_folder(std::string path) {
  return std::make_unique<Folder>(std::move(path));
}

Result<std::unique_ptr<Destination>> open_destination(const Where& where) {
  if (where.to.starts_with("s3://")) return open_s3(where);
  if (where.to.empty() || where.to.find("://") != std::string::npos) {
    return fail(
        Error::validation("an archive is in a folder or in s3://bucket/prefix (was \"" + where.to + "\")"));
  }
  if (!where.s3_endpoint.empty()) {
    return fail(Error::validation("an S3 endpoint applies to s3://bucket/prefix only; the archive " +
                                  where.to + " is a folder"));
  }
  return open_folder(where.to);
}

}  // namespace tavola::transfer
