#include "server/layers/isolation.h"

#include <string_view>
#include <system_error>

#include "http/metrics.h"

namespace tavola::server {
namespace {

constexpr std::size_t kNameMax = 200;
constexpr std::size_t kMegabytes = std::size_t{1} << 20U;

// Letters, digits and - stay; every other byte becomes %XX: so a name is a safe name of a folder, and no two keys have the same.
void append_name(std::string& name, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    const auto byte = static_cast<unsigned char>(c);
    stays ? name.append(1, c)
          : name.append(1, '%').append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
  }
}

Result<std::string> name_of(const access::Sender& sender) {
  std::string name;
  append_name(name, sender.access_key);
  name += '@';
  append_name(name, sender.region);
  if (name.size() <= kNameMax) return name;
  return fail(Error::validation("the access key and the region are too long for --isolate"));
}

}  // namespace

Result<std::shared_ptr<Isolation::Own>> Isolation::open(const std::string& name) const {
  std::unique_ptr<store::Store> store;
  if (parts_.data.empty()) {
    store = store::open_memory();
  } else {
    const std::filesystem::path folder = parts_.data / "databases";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
      return fail(Error(ErrorCode::Io, "cannot create " + folder.string() + ": " + failed.message()));
    TAVOLA_TRY(store, store::open_rocks(folder / name, {.durability = parts_.durability,
                                                        .cache_bytes = 8 * kMegabytes,
                                                        .write_buffer_bytes = 8 * kMegabytes}));
  }
  auto own = std::make_shared<Own>(std::move(store), parts_.clock);
  own->engine().start_sweeping([report = parts_.report, name](const std::string& why) { report(name, why); });
  return own;
}

Result<void> Isolation::make_room() {
  if (databases_.size() < kOpenMax) return {};
  auto oldest = databases_.end();
  for (auto one = databases_.begin(); one != databases_.end(); ++one) {
    const bool is_idle = one->second.own.use_count() == 1;
    if (is_idle && (oldest == databases_.end() || one->second.last_used < oldest->second.last_used))
      oldest = one;
  }
  if (parts_.data.empty() || oldest == databases_.end()) {
    return fail(Error::limit_exceeded("this server has " + std::to_string(kOpenMax) +
                                      " databases of different keys and regions (--isolate), as many as it "
                                      "keeps; use a key again, or start another server"));
  }
  databases_.erase(oldest);
  return {};
}

Result<std::shared_ptr<Isolation::Own>> Isolation::database_of(const access::Sender& sender) {
  TAVOLA_TRY(const std::string name, name_of(sender));
  const MutexLock lock(mutex_);
  auto found = databases_.find(name);
  if (found == databases_.end()) {
    TAVOLA_CHECK(make_room());
    TAVOLA_TRY(std::shared_ptr<Own> own, open(name));
    found = databases_.emplace(name, Kept{.own = std::move(own)}).first;
  }
  ++found->second.requests;
  found->second.last_used = ++requests_;
  return found->second.own;
}

void Isolation::close() {
  std::map<std::string, Kept, std::less<>> closed;
  const MutexLock lock(mutex_);
  closed.swap(databases_);
}

void Isolation::append_metrics(std::string& out) const {
  const MutexLock lock(mutex_);
  http::append_metric(out, {"tavola_isolated_databases", "Databases of --isolate that are open.", "gauge",
                            databases_.size()});
  if (databases_.empty()) return;
  out +=
      "# HELP tavola_isolated_requests_total Requests since a database of --isolate was opened, by access "
      "key and region.\n"
      "# TYPE tavola_isolated_requests_total counter\n";
  for (const auto& [name, kept] : databases_) {
    out.append("tavola_isolated_requests_total{").append(http::label("database", name)).append("} ");
    out.append(std::to_string(kept.requests)).append("\n");
  }
}

}  // namespace tavola::server
