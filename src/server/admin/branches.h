// `--test-admin`: the named states of a server to which tests return, and how they empty it.
//
// A branch is a branch of the store: taking one costs nothing, and returning costs what changed since. Requests that began before a
// return end on the old state, and later ones wait for the new state, which is durable before it is shown. Branches end with the server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/time.h>

#include "base/clock.h"
#include "base/locks.h"
#include "engine/engine.h"
#include "server/admin/request_gate.h"

namespace tavola::server {

// Thread safety: all methods. Must end before the engine.
class Branches {
 public:
  struct Parts {
    engine::Engine& engine;
    const Clock& clock;
    // Fails with ResourceInUse while work goes on that would write to the new state: imports, adoptions.
    std::function<Result<void>()> check_idle;
    // Called after the state was replaced, before the next request: what the server knows of the old one is forgotten.
    std::function<Result<void>()> follow;
  };
  explicit Branches(Parts parts) : parts_(std::move(parts)) {}

  RequestGate& gate() { return gate_; }

  struct Branch {
    std::string name{};
    WallTime taken{};
    std::uint64_t restores = 0;
  };
  std::vector<Branch> list() const;
  std::optional<Branch> find(const std::string& name) const;
  // Takes the current state under a name; one of that name is replaced. Fails with Validation if the name is not allowed, with LimitExceeded if there
  // are too many.
  Result<void> take(const std::string& name);
  // Fails with ResourceNotFound.
  Result<void> restore(const std::string& name);
  // Fails with ResourceNotFound.
  Result<void> remove(const std::string& name);

  // Removes all tables; those of designs of the server's options are made again.
  Result<void> reset();
  // Removes all items of a table, or of all tables.
  Result<void> empty_table(const std::string& table);
  Result<void> empty_tables();

 private:
  struct Kept {
    Branch about{};
    std::unique_ptr<store::Branch> state{};
  };
  // Calls `change` while no request runs.
  template <class Change>
  Result<void> replace(const Change& change);

  const Parts parts_;
  RequestGate gate_;
  mutable Mutex mutex_;  // held during changes, too: they take turns
  std::map<std::string, Kept, std::less<>> branches_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
