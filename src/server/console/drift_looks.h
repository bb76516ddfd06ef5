// Looks for drift that take longer than a request: they run in the background, and pages ask for the result again and again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/locks.h"
#include "design/model/model.h"
#include "drift/drift.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the database and the clock. The destructor stops all looks.
class DriftLooks {
 public:
  struct Parts {
    Database& database;
    const Clock& clock;
    std::chrono::milliseconds wait{400};       // how long one question waits for the end
    std::chrono::seconds forgotten_after{15};  // without a question
  };
  explicit DriftLooks(const Parts& parts) : parts_(parts) {}
  ~DriftLooks() { stop(); }
  DriftLooks(const DriftLooks&) = delete;
  DriftLooks& operator=(const DriftLooks&) = delete;

  // Ends all looks. Those that are begun afterwards fail.
  void stop();

  // The design to compare with its table, and whether differences are repaired.
  struct Wish {
    std::shared_ptr<const design::Design> design;
    bool repair = false;
    const drift::RequestCounts* requests = nullptr;  // null: the use of the table is not checked
  };
  // Returns its name. Fails with LimitExceeded while too many look.
  Result<std::string> begin(const Wish& wish);

  struct State {
    std::string doing{};
    std::uint64_t items = 0;
    std::uint64_t expected = 0;                  // 0: unknown
    std::optional<drift::DriftReport> report{};  // set at the end; the look is forgotten then
  };
  // Waits a moment for the end. Fails as the look did, and with Validation if there is no such look: it was forgotten because nobody asked.
  Result<State> wait_for(const std::string& name);

 private:
  struct Look {
    State state{};
    std::optional<Error> failure{};
    std::chrono::steady_clock::time_point asked{};
    std::shared_ptr<const design::Design> design{};
    std::optional<drift::RequestCounts> requests{};
    std::jthread thread{};
  };
  void run(const std::string& name, Look& look, bool repair, const std::stop_token& stop);
  void note(const std::string& name, const drift::DriftProgress& progress);
  bool is_forgotten(const std::string& name) const;

  const Parts parts_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_stopped_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::uint64_t last_ TAVOLA_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::unique_ptr<Look>, std::less<>> looks_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server
