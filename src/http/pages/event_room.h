// Server-sent events for pages: a page's EventSource holds one request open, which is answered with the events that came since the last one
// the page has seen (Last-Event-ID), or, after a while, with none; then the page asks again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <string_view>
#include <thread>

#include "base/locks.h"
#include "http/message.h"

namespace tavola::http {

// Thread safety: all methods.
class EventRoom {
 public:
  EventRoom();
  ~EventRoom() { close(); }
  EventRoom(const EventRoom&) = delete;
  EventRoom& operator=(const EventRoom&) = delete;

  // `data` is one line of JSON. It is for everybody who is logged in, so it names what changed and does not contain it.
  void publish(std::string_view kind, std::string data);

  // Answers at once if there are newer events than `last_event_id`, otherwise later. Beyond kHeldMax requests, at once with none.
  void wait(std::string_view last_event_id, Reply reply);

  // Answers everybody; from now on wait() answers at once.
  void close();

 private:
  static constexpr std::size_t kKeptMax = 256;
  static constexpr std::size_t kHeldMax = 1000;
  static constexpr std::chrono::seconds kHeldFor{25};

  struct Event {
    std::uint64_t id;
    std::string text;  // as it is sent
  };
  struct Held {
    std::uint64_t seen;
    std::chrono::steady_clock::time_point until;
    Reply reply;
  };
  std::string since(std::uint64_t seen) const;
  void answer_old();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  std::list<Held> held_;  // the one that waits longest first
  std::uint64_t first_id_;
  std::uint64_t last_id_;
  bool is_closed_ = false;
  std::thread sweeper_;
};

}  // namespace tavola::http
