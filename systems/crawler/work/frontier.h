// The pages of a shop that are still to be read, by breadth, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "web/url.h"

namespace crawler {

// Recognises pages that a server can make without end. Thread safety: one thread.
class TrapDetector {
 public:
  // Returns whether a page is one too many of its kind:
  //   - longer than 1000 bytes, deeper than 16 segments, or a segment three times in one path (/a/b/a/b/a/b);
  //   - beyond 60 pages that differ in dates alone (/events/2026/01, ?month=3): calendars have no end;
  //   - beyond 100 combinations of three or more parameters of one path: filters and sort orders.
  bool is_trap(const Url& url);

 private:
  std::unordered_map<std::size_t, unsigned> dated_;     // by the hash of the address without its dates
  std::unordered_map<std::size_t, unsigned> combined_;  // by the hash of the path
};

struct FrontierLimits {
  std::size_t pages = 10'000;
  unsigned depth = 10;
};

struct FrontierPage {
  Url url{};
  unsigned depth = 0;
  unsigned redirects = 0;  // that led here
};

// Remembers which pages were seen as hashes of 64 bits, so that a million of them take some tens of megabytes.
class Frontier {
 public:
  explicit Frontier(FrontierLimits limits) : limits_(limits) {}

  // Adds a page unless it was seen, is too deep or a trap, or the limit of pages is reached. Returns whether it was added.
  bool add(FrontierPage page);
  // Marks a page as seen without adding it. Returns false if it was already.
  bool mark(const Url& url) { return seen_.insert(std::hash<std::string>()(url.text())).second; }
  // Takes the page with the least depth; of several, the one added first.
  std::optional<FrontierPage> next();

  std::size_t seen() const { return seen_.size(); }
  std::size_t traps() const { return traps_; }
  std::size_t beyond_limits() const { return beyond_limits_; }
  bool has_all_pages() const { return added_ >= limits_.pages; }  // that it may have

 private:
  FrontierLimits limits_;
  TrapDetector trap_detector_;
  std::unordered_set<std::size_t> seen_;
  std::deque<std::deque<FrontierPage>> by_depth_;
  std::size_t added_ = 0;
  std::size_t traps_ = 0;
  std::size_t beyond_limits_ = 0;
};

}  // namespace crawler
