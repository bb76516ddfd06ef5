// The resource policies of tables and streams: stored beside the catalog, and cached, because every checked request
// needs its table's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/policies.h>

#include "base/clock.h"
#include "base/locks.h"
#include "engine/catalog/catalog.h"
#include "store/store.h"

namespace tavola::engine {

// Thread safety: all methods. The absence of a policy is cached as well: it costs two lookups in memory.
class Policies {
 public:
  Policies(store::Store& store, Catalog& catalog, const Clock& clock)
      : store_(store), catalog_(catalog), clock_(clock) {}

  Result<PutResourcePolicyResponse> put(const PutResourcePolicyRequest& request);
  Result<GetResourcePolicyResponse> get(const GetResourcePolicyRequest& request);
  Result<DeleteResourcePolicyResponse> remove(const DeleteResourcePolicyRequest& request);
  // Forgets what it remembers: the store has returned to another state.
  void forget_all() {
    const ExclusiveLock lock(mutex_);
    ++changes_;
    remembered_.clear();
  }

 private:
  struct Stored {
    std::string policy;
    std::string revision_id;
  };
  struct Remembered {
    TableId table;                         // another table of the same name has other policies
    std::shared_ptr<const Stored> stored;  // null if there is none
  };
  // The resource that a policy is attached to.
  struct Resource {
    SchemaPtr table;  // null: a stream of a deleted table, which has no policy any more
    std::string key;  // in the store
  };

  static Result<std::optional<Stored>> decode(const std::optional<std::string_view>& record);
  // Fails with ResourceNotFound.
  Result<Resource> find(const std::string& name);
  // Replaces the stored policy by the result of `change`; nullopt removes it.
  template <class Change>
  Result<void> update(const std::string& name, const Change& change);
  // Returns `now` in milliseconds, as on AWS, and always a later revision than that of `before`.
  static std::uint64_t next_revision(const std::optional<Stored>& before, WallTime now);

  store::Store& store_;
  Catalog& catalog_;
  const Clock& clock_;
  SharedMutex mutex_;
  std::map<std::string, Remembered, std::less<>> remembered_ TAVOLA_GUARDED_BY(mutex_);
  std::uint64_t changes_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::string stamp_ TAVOLA_GUARDED_BY(mutex_);  // of a shared store, when all in remembered_ was read
  store::Store::Position changed_at_ TAVOLA_GUARDED_BY(mutex_) = 0;  // the latest change
};

}  // namespace tavola::engine
