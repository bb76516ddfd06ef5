#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/random.h"
#include "objects/storage/key_path.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {
namespace {

constexpr std::string_view kDrafts = "drafts";

}  // namespace

Draft::Draft(Folder folder, std::string name, Descriptor file)
    : folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)) {}

Result<Draft> Draft::create(const Bucket& bucket) {
  TAVOLA_TRY(std::optional<Folder> folder, bucket.state.make_folder(kDrafts));
  if (!folder)
    return fail(Error(ErrorCode::Io, "the folder of drafts of the bucket " + bucket.name + " is a file"));
  std::string name = make_uuid(Random::system());
  TAVOLA_TRY(Descriptor file, folder->create_file(name));
  return Draft(*std::move(folder), std::move(name), std::move(file));
}

Draft::~Draft() {
  if (name_.empty() || !file_.is_open()) return;  // stored, or moved from
  const Result<bool> removed = folder_.remove_file(name_);
  static_cast<void>(removed);  // the next start removes it
}

Result<void> Draft::write(std::string_view piece) { return write_bytes(file_, piece); }

Result<void> Draft::append(const Descriptor& file, std::uint64_t offset, std::uint64_t size_bytes) {
  auto from = static_cast<off_t>(offset);
  while (size_bytes > 0) {
    const ssize_t copied = ::copy_file_range(file.number(), &from, file_.number(), nullptr, size_bytes, 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return fail(system_error("copy", "an object", errno));
    if (copied == 0) return fail(Error::corrupt("a file of an object is shorter than it was"));
    size_bytes -= static_cast<std::uint64_t>(copied);
  }
  return {};
}

Result<FileFacts> Draft::settle(std::int64_t modified_ns) {
  const timespec moment{.tv_sec = modified_ns / 1'000'000'000, .tv_nsec = modified_ns % 1'000'000'000};
  const timespec times[2] = {moment, moment};
  if (::futimens(file_.number(), times) != 0) return fail(system_error("write", "an object", errno));
  TAVOLA_CHECK(sync(file_));
  const std::optional<FileFacts> facts = facts_of(file_);
  if (!facts) return fail(system_error("read", "an object", errno));
  return *facts;
}

Result<bool> Draft::move_to(const Folder& root, std::string_view path) {
  const auto [folder_path, name] = split_path(path);
  TAVOLA_TRY(const std::optional<Folder> folder, root.make_path(folder_path));
  if (!folder) return false;
  TAVOLA_TRY(const bool is_moved, folder->take_file(folder_, name_, name));
  if (!is_moved) return false;
  name_.clear();
  TAVOLA_CHECK(folder->sync());
  return true;
}

}  // namespace tavola::objects
