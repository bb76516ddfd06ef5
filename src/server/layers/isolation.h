// `--isolate key`: each access key and region has a database of its own in one process, as DynamoDB Local has without -sharedDb.
//
// A database is opened by its first request: on disk in <data>/databases/<key>@<region>, otherwise in memory. At most kOpenMax are open: on disk the
// one that was used least recently is closed for another one, in memory further ones are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "access/identity/signature.h"
#include "base/clock.h"
#include "base/locks.h"
#include "engine/engine.h"
#include "store/store.h"

namespace tavola::server {

// Thread safety: all methods.
class Isolation {
 public:
  struct Parts {
    std::filesystem::path data{};  // empty: in memory
    store::Durability durability = store::Durability::Deferred;
    const Clock& clock;
    std::function<void(const std::string& database, const std::string& why)>
        report;  // gets failures in the background
  };
  explicit Isolation(Parts parts) : parts_(std::move(parts)) {}

  // One of the databases. Requests hold it until they are answered.
  class Own {
   public:
    Own(std::unique_ptr<store::Store> store, const Clock& clock)
        : store_(*store), engine_(std::move(store), clock) {}
    store::Store& store() { return store_; }
    engine::Engine& engine() { return engine_; }

   private:
    store::Store& store_;
    engine::Engine engine_;
  };

  // Fails with Validation if the key or the region is too long for a name, with LimitExceeded, or as opening a store does.
  Result<std::shared_ptr<Own>> database_of(const access::Sender& sender);

  void append_metrics(std::string& out) const;

  // Closes all databases. Their last writes are on disk then, and answered.
  void close();

  static constexpr std::size_t kOpenMax = 100;

 private:
  struct Kept {
    std::shared_ptr<Own> own{};
    std::uint64_t requests = 0;
    std::uint64_t last_used = 0;  // by the count of all requests
  };
  Result<void> make_room() TAVOLA_REQUIRES(mutex_);
  Result<std::shared_ptr<Own>> open(const std::string& name) const;

  const Parts parts_;
  mutable Mutex mutex_;
  std::map<std::string, Kept, std::less<>> databases_ TAVOLA_GUARDED_BY(mutex_);  // by name
  std::uint64_t requests_ TAVOLA_GUARDED_BY(mutex_) = 0;
};

}  // namespace tavola::server
