// Delivers the messages of an outbox to a URL, in their order, each at least once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "work/outbox.h"

namespace crawler {

struct WebhookOptions {
  std::string url{};
  std::string secret{};  // signs each delivery
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
  std::chrono::milliseconds retry_delay = std::chrono::seconds(1);  // doubles, up to a minute
};

// A delivery is a POST of the message. X-Tavola-Delivery is its id, the same at each attempt. X-Tavola-Signature is
// "t=SECONDS,v1=HEX", where HEX is the HMAC-SHA256 of "SECONDS.BODY" with the secret. Any answer of 200 to 299 is a receipt; after all
// others, and none, it is sent again. Of several processes with one outbox, one delivers at a time.
//
// Thread safety: all methods.
class Webhook {
 public:
  Webhook(Outbox outbox, WebhookOptions options);
  ~Webhook();  // stops; what is not delivered stays in the outbox
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  // The message is on disk when this returns.
  tavola::Result<void> send(std::string_view id, std::string_view message);
  // Waits until everything is delivered. Returns false if that takes longer, or `is_stopping` becomes true.
  bool wait_until_delivered(std::chrono::milliseconds patience, const std::atomic<bool>& is_stopping);

  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t failed_attempts() const { return failed_attempts_; }
  std::size_t waiting() const { return outbox_.size(); }

 private:
  void run();
  bool deliver_all();  // false: an attempt failed
  bool deliver(const Outbox::Message& message);

  const Outbox outbox_;
  const WebhookOptions options_;
  std::atomic<std::uint64_t> delivered_ = 0;
  std::atomic<std::uint64_t> failed_attempts_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool has_news_ = true;  // messages of an earlier run may wait
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace crawler
