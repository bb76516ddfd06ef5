#include "transfer/exports/buckets.h"

#include <algorithm>

#include "base/files.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileUrl = "file://";

bool is_inside(const fs::path& root, const fs::path& path) {
  return std::ranges::mismatch(root, path).in1 == root.end();
}

// The records of S3's objects lie beside the buckets, in a folder whose name begins with a dot
// (objects/storage/object_store.h). The relative path of the root itself is ".".
bool is_hidden(const fs::path& root, const fs::path& path) {
  return std::ranges::any_of(path.lexically_relative(root),
                             [](const fs::path& part) { return part.native().starts_with('.'); });
}

}  // namespace

Result<Buckets> Buckets::open(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(system_error("create", folder, error.value()));
  fs::path root = fs::canonical(folder, error);
  if (error) return fail(system_error("open", folder, error.value()));
  return Buckets(std::move(root));
}

Result<std::optional<fs::path>> Buckets::find(const std::string& bucket) const {
  fs::path path = root_ / bucket;
  if (bucket.starts_with(kFileUrl)) {
    path = bucket.substr(kFileUrl.size());
    if (!path.is_absolute()) {
      return fail(Error::validation("a folder is named as file:///path (was " + bucket + ")"));
    }
  }
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error || !is_inside(root_, real)) {
    return fail(Error::validation("the folder " + bucket +
                                  " is not inside the one that `tavola serve --buckets` names"));
  }
  if (is_hidden(root_, real)) {
    return fail(
        Error::validation("the folder " + bucket +
                          " is not a bucket: name one inside of the folder of `tavola serve --buckets`, "
                          "whose name does not begin with a dot"));
  }
  if (!fs::is_directory(real, error)) return std::optional<fs::path>();
  return std::optional(real);
}

Result<std::vector<std::string>> parts_of_key(std::string_view key) {
  std::vector<std::string> parts;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find('/'), key.size());
    const std::string_view part = key.substr(0, end);
    key.remove_prefix(std::min(end + 1, key.size()));
    if (part.empty()) continue;
    if (part == "." || part == ".." || part.contains('\0')) {
      return fail(Error::validation("a prefix becomes folders, which cannot be named . or .."));
    }
    parts.emplace_back(part);
  }
  return parts;
}

Result<std::string> plain_key(std::string_view key) {
  const std::size_t behind_folders = key.rfind('/') + 1;  // 0 if there are none
  TAVOLA_TRY(const std::vector<std::string> folders, parts_of_key(key.substr(0, behind_folders)));
  std::string plain;
  for (const std::string& folder : folders) plain += folder + '/';
  return plain.append(key.substr(behind_folders));
}

bool contain_one_another(const fs::path& a, const fs::path& b) {
  const auto real = [](const fs::path& path) {
    std::error_code error;
    fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
    if (error) found = fs::absolute(path, error).lexically_normal();
    return found.has_filename() ? found : found.parent_path();
  };
  const fs::path real_a = real(a);
  const fs::path real_b = real(b);
  return is_inside(real_a, real_b) || is_inside(real_b, real_a);
}

Result<fs::path> make_folders(const fs::path& bucket, const std::vector<std::string>& parts) {
  fs::path folder = bucket;
  for (const std::string& part : parts) {
    folder /= part;
    std::error_code error;
    const bool is_new = fs::create_directory(folder, error);
    if (error) return fail(system_error("create", folder, error.value()));
    if (is_new) TAVOLA_CHECK(sync_directory(folder.parent_path()));
    if (fs::symlink_status(folder, error).type() != fs::file_type::directory) {
      return fail(
          Error::validation("the folder " + part + " is a symbolic link, and links are not followed"));
    }
  }
  return folder;
}

Result<std::vector<FoundFile>> files_with_prefix(const fs::path& bucket, std::string_view said_prefix) {
  TAVOLA_TRY(const std::string prefix, plain_key(said_prefix));
  // Only the folder of the prefix must be searched.
  fs::path from = bucket;
  if (const std::size_t slash = prefix.rfind('/'); slash != std::string::npos) {
    TAVOLA_TRY(const std::vector<std::string> parts, parts_of_key(std::string_view(prefix).substr(0, slash)));
    for (const std::string& part : parts) from /= part;
    std::error_code error;
    const fs::path real = fs::weakly_canonical(from, error);
    if (error || real != from || !fs::is_directory(from, error)) return std::vector<FoundFile>();
  }
  std::vector<FoundFile> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;  // a file that was deleted concurrently
    if (entry->symlink_status(ignored).type() != fs::file_type::regular) continue;
    std::string key = entry->path().lexically_relative(bucket).generic_string();
    if (key.starts_with(prefix)) found.push_back({.key = std::move(key), .path = entry->path()});
  }
  if (error) return fail(system_error("read", from, error.value()));
  std::ranges::sort(found, {}, &FoundFile::key);
  return found;
}

}  // namespace tavola::transfer
