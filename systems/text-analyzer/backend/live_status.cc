#include "systems/text-analyzer/backend/live_status.h"

#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/encoding.h"
#include "json/writer.h"

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kMarkLength = 16;

bool is_done(File::Status status) {
  return status == File::Status::COMPLETED || status == File::Status::FAILED;
}

}  // namespace

std::string mark_of_owner(const std::string& owner_id) {
  return to_hex(sha256({"owner:", owner_id})).substr(0, kMarkLength);
}

LiveStatus::LiveStatus(Parts parts) : parts_(std::move(parts)), thread_([this] { run(); }) {}

LiveStatus::~LiveStatus() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LiveStatus::changed(const File& file) {
  if (is_news(file)) publish(file);
}

void LiveStatus::watch(const File& file) {
  {
    const std::scoped_lock lock(mutex_);
    if (watched_.size() >= kWatchedMax) return;  // pages also ask by themselves, now and then
    watched_.insert_or_assign(file.fileId, Watched{.status = file.status,
                                                   .updated_at = file.updatedAt,
                                                   .until = std::chrono::steady_clock::now() + kWatchedFor});
  }
  changed_.notify_one();
}

bool LiveStatus::is_news(const File& file) {
  const std::scoped_lock lock(mutex_);
  const auto found = watched_.find(file.fileId);
  if (found == watched_.end()) return true;
  Watched& known = found->second;
  const bool is_new = known.status != file.status || known.updated_at != file.updatedAt;
  known.status = file.status;
  known.updated_at = file.updatedAt;
  if (is_new && is_done(file.status)) watched_.erase(found);
  return is_new;
}

void LiveStatus::publish(const File& file) const {
  std::string data;
  json::Writer json(data);
  json.begin_object();
  json.name("owner").text(mark_of_owner(file.ownerId));
  json.end_object();
  parts_.publish("file", std::move(data));
}

Result<void> LiveStatus::look(const std::string& file_id) {
  TAVOLA_TRY(const std::optional<File> file, parts_.files.getFile({.fileId = file_id}));
  if (file) changed(*file);
  return {};
}

void LiveStatus::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (watched_.empty()) {
      changed_.wait(lock);
      continue;
    }
    std::vector<std::string> ids;
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(watched_, [&](const auto& one) { return one.second.until < now; });
    for (const auto& [id, watched] : watched_) ids.push_back(id);
    lock.unlock();
    for (const std::string& id : ids) {
      if (const auto looked = look(id); !looked) {
        parts_.log.warning("the status of a file cannot be read", {{"error", looked.error().message()}});
        break;
      }
    }
    lock.lock();
    changed_.wait_for(lock, kPause, [this] { return is_stopping_; });
  }
}

}  // namespace tavola::text_analyzer
