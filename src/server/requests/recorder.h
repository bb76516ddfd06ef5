// The last requests that the server answered, for somebody who looks at them.
//
//   if (recorder.is_recording()) recorder.record(facts, texts);   // one relaxed load while nobody looks
//   ...
//   recorder.start();
//   const RecordedPage page = recorder.read(after, 1'000);
//   recorder.stop();                                              // releases the memory
//
// A ring in memory, bounded in requests and bytes. Requests have the numbers after one another, in the order of their answers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/locks.h"

namespace tavola::server {

// The sender of a request.
enum class Origin : std::uint8_t { Client, Console, Tool };

// All that is known of a request besides its texts.
struct RequestFacts {
  std::string_view operation{};  // "PutItem", a literal; empty: `target` says what was asked for
  std::chrono::system_clock::time_point began{};
  std::chrono::nanoseconds duration{0};
  int status = 200;
  Origin origin = Origin::Client;
  std::size_t request_bytes = 0;
  std::size_t answer_bytes = 0;
  std::optional<std::int64_t> scanned{};  // items, if it read any
  std::optional<std::int64_t> returned{};
  double read_units = 0;
  double write_units = 0;

  bool is_refused() const { return status >= 400; }
};

struct RequestTexts {
  std::string_view target{};   // "GET /v1/music/songsOf?artist=a"; empty for an operation
  std::string_view body{};     // of one beyond kBodyBytesMax, the beginning is kept
  std::string_view sender{};   // the id of the access key
  std::string_view error{};    // the name of the error
  std::string_view refusal{};  // its message, as the text of a JSON string
};

class RecordedRequest {
 public:
  std::uint64_t number = 0;
  RequestFacts facts{};
  bool has_whole_body = true;

  RequestTexts texts() const;
  // Copies the texts into the memory that the request has already.
  void set_texts(const RequestTexts& texts);
  std::size_t text_bytes() const { return all_.capacity(); }
  void release_texts() { std::string().swap(all_); }

 private:
  std::string all_;                      // the texts one after the other
  std::array<std::uint32_t, 4> ends_{};  // of the first four
};

struct RecordedPage {
  std::vector<RecordedRequest> requests;  // by their numbers
  std::uint64_t last = 0;                 // the number to go on after
  std::uint64_t missed = 0;               // further requests since `after`, which the page does not contain
};

// Thread safety: all methods.
class RequestRecorder {
 public:
  static constexpr std::size_t kRequestsMax = 8'000;
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20U;
  static constexpr std::size_t kBodyBytesMax = std::size_t{32} << 10U;
  static constexpr std::size_t kBeginningBytes = 2'000;
  static constexpr std::size_t kRefusalBytesMax = 1'000;

  RequestRecorder();

  bool is_recording() const { return is_on_.load(std::memory_order_relaxed); }
  void start();
  void stop();

  // Does nothing unless it records.
  void record(const RequestFacts& facts, const RequestTexts& texts);

  // Returns all requests after the one of this number, if they are at most so many. Otherwise nobody can read them, and making rows of them
  // would slow the server down: then a quarter as many, the latest, and among them as many refused requests and Scans as fit into half of that.
  // A number that this recorder did not give stands for the beginning.
  RecordedPage read(std::uint64_t after, std::size_t requests_max) const;
  // Returns nullopt if it was overwritten.
  std::optional<RecordedRequest> find(std::uint64_t number) const;
  // Returns the time of day of a request that began at this moment.
  std::chrono::system_clock::time_point time_of(std::chrono::steady_clock::time_point began) const {
    const std::chrono::nanoseconds between(clocks_differ_by_.load(std::memory_order_relaxed));
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(began.time_since_epoch() + between));
  }
  std::uint64_t last() const { return last_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t kParts = 4;
  // The place of a request that a page may have.
  struct Place {
    std::uint64_t number;
    std::size_t part;
    bool is_remarkable;
  };
  // Requests after one number, through another.
  struct Span {
    std::uint64_t after;
    std::uint64_t last;
  };
  // Returns those of a part, the newest first.
  std::vector<Place> places_in(std::size_t part, const Span& span) const;
  // Returns copies in the same order, without those that were overwritten since.
  std::vector<RecordedRequest> copies(const std::vector<Place>& places) const;
  static void keep_latest(std::vector<Place>& places, std::size_t kept);

  // Threads rarely wait for each other: each writes to the part of its own.
  class alignas(64) Part {
   public:
    // Returns the oldest request or an unused one, with its memory, to be overwritten by one of so many bytes of text.
    RecordedRequest& make_room(std::size_t text_bytes) TAVOLA_REQUIRES(mutex);
    void add(RecordedRequest& request) TAVOLA_REQUIRES(mutex);
    // The newest request is at 0.
    const RecordedRequest& at(std::size_t age) const TAVOLA_REQUIRES(mutex) {
      return ring_[(end_ + ring_.size() - 1 - age) % ring_.size()];
    }
    std::size_t size() const TAVOLA_REQUIRES(mutex) { return size_; }
    void clear() TAVOLA_REQUIRES(mutex);

    mutable Mutex mutex;

   private:
    void drop_oldest() TAVOLA_REQUIRES(mutex);

    std::vector<RecordedRequest> ring_ TAVOLA_GUARDED_BY(mutex);
    std::size_t end_ TAVOLA_GUARDED_BY(mutex) = 0;  // the next request comes here
    std::size_t size_ TAVOLA_GUARDED_BY(mutex) = 0;
    std::size_t text_bytes_ TAVOLA_GUARDED_BY(mutex) = 0;
  };

  const std::uint64_t first_;
  std::atomic<bool> is_on_ = false;
  std::atomic<std::uint64_t> last_;
  std::atomic<std::int64_t> clocks_differ_by_ =
      0;  // nanoseconds; asking the time of day for each request would cost more
  std::array<Part, kParts> parts_;
};

}  // namespace tavola::server
