// Viewers of the requests: recording begins with the first and ends some seconds after the last. Pages hold a request open, which is answered with
// the next rows as a server-sent event, ten times a second at most, however many requests there are.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string_view>
#include <thread>

#include "http/message.h"
#include "server/requests/asked_for.h"
#include "server/requests/recorder.h"

namespace tavola::server {

// Thread safety: all methods. Borrows the recorder and the reader.
class RequestViewers {
 public:
  static constexpr std::size_t kRowsMax = 1'000;  // of one answer

  // Records on for this long after the last one has looked.
  RequestViewers(RequestRecorder& recorder, const AskedReader& reader,
                 std::chrono::milliseconds records_on = std::chrono::seconds(5));
  ~RequestViewers() { close(); }
  RequestViewers(const RequestViewers&) = delete;
  RequestViewers& operator=(const RequestViewers&) = delete;

  // Somebody looks: recording begins, or continues.
  void look();
  // Answers with the requests after this number, as soon as there are some. Beyond kHeldMax viewers, at once with none.
  void wait(std::uint64_t after, http::Reply reply);
  // Answers everybody, and ends recording; from now on wait() answers at once.
  void close();

 private:
  static constexpr std::chrono::milliseconds kBetween{100};
  static constexpr std::chrono::seconds kHeldFor{25};
  static constexpr std::size_t kHeldMax = 100;

  using Moment = std::chrono::steady_clock::time_point;
  struct Held {
    std::uint64_t after;
    Moment until;
    http::Reply reply;
  };
  void run();
  // Removes the viewers for whom there is news, or who have waited long enough.
  std::list<Held> take_ready(Moment now);
  void answer(std::list<Held> ready) const;

  RequestRecorder& recorder_;
  const AskedReader& reader_;
  const std::chrono::milliseconds records_on_;
  std::mutex mutex_;  // a condition variable needs it
  std::condition_variable changed_;
  std::list<Held> held_;
  Moment last_look_;
  bool is_closed_ = false;
  std::thread thread_;
};

}  // namespace tavola::server
