// Sends messages in the background: writes those whose causes are new (notices.h), and sends those that are due (delivery.h).
//
//   notice of the design ─▶ message in the outbox ─▶ claimed for one attempt ─▶ sent ─▶ marked as sent
//
// A program that is killed leaves the message in the outbox. Of several programs one gets a message, for kClaim; if it dies, another one gets it
// afterwards. A message whose sender dies between the acceptance and the mark is sent a second time with the same id.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/log/log.h"
#include "systems/inventory/all_shops.h"
#include "systems/inventory/delivery.h"
#include "systems/inventory/notices.h"

namespace tavola::inventory {

class Alerts {
 public:
  struct Parts {
    const inventory_outbox::InventoryOutbox& outbox;
    AllShops& shops;
    MessageWriter writer;
    Delivery delivery;
    std::chrono::seconds retry_first;
    server::Log& log;
    std::function<void()> changed = {};  // called when a message was written, sent or given up
    const Clock& clock = Clock::system();
  };
  explicit Alerts(Parts parts);  // starts
  ~Alerts();                     // finishes the running attempt
  Alerts(const Alerts&) = delete;
  Alerts& operator=(const Alerts&) = delete;

  // Looks for new causes in a shop now. All shops are looked at every kPause, because other programs may use the same table. Thread safety: any
  // thread.
  void wake(const std::string& shop_id);

 private:
  static constexpr std::chrono::seconds kPause{15};
  static constexpr std::chrono::seconds kClaim{180};  // longer than an attempt may take
  static constexpr std::chrono::hours kGiveUpAfter{24};
  static constexpr std::chrono::hours kLongestPause{1};

  void run();
  // Returns the shops to look at now.
  Result<std::vector<std::string>> shops_to_look_at();
  Result<void> write_messages();
  // Sends what is due. Returns when the next message is due, at most kPause from now.
  Result<WallTime> send_messages();
  // Makes one attempt. Returns when the next one is due; nullopt if none is.
  Result<std::optional<WallTime>> send(const inventory_outbox::Message& message);
  WallTime later(const inventory_outbox::Message& message, WallTime now) const;

  Parts parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> changed_shops_;
  bool is_stopping_ = false;
  std::optional<std::chrono::steady_clock::time_point> looked_at_all_;  // by the thread alone
  std::thread thread_;
};

}  // namespace tavola::inventory
