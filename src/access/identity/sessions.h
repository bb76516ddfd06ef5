// Sessions of people who are logged in. A session is kept here, by a random id that only the browser's cookie has.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/locks.h"
#include "base/random.h"
#include "design/roles/access.h"

namespace tavola::access {

// Returns 256 random bits in hexadecimal.
std::string random_secret(Random& random);

// The login of a person at an issuer elsewhere.
struct LoginOrigin {
  std::string provider = {};  // the name of the way they took; empty: here
  std::string name = {};      // theirs, for people to read; empty: their `sub`
  std::string proof = {};     // what the provider gave, for the end of the login: an ID token
};

struct Session {
  design::Identity who;  // the person; at the console the id of their access key is the `sub`
  std::string
      page_token;  // pages send it with every request that changes something: other sites do not know it
  LoginOrigin origin = {};
};

// Sessions end when nobody used them for `idle`, at last after `whole`, and with the program.
struct SessionLimits {
  std::chrono::seconds idle = std::chrono::hours(12);
  std::chrono::seconds whole = std::chrono::hours(24 * 7);
  std::size_t count = 10'000;  // beyond it the one that was unused for the longest time ends
};

// Thread safety: all methods.
class Sessions {
 public:
  Sessions(const Clock& clock, Random& random, SessionLimits limits = {})
      : clock_(clock), random_(random), limits_(limits) {}

  // Returns the id of a new session: 256 random bits.
  std::string begin(design::Identity who, LoginOrigin origin = {});
  // Returns nullopt for an id that is unknown or whose session has ended.
  std::optional<Session> find(std::string_view id);
  void end(std::string_view id);
  std::size_t size() const;

 private:
  struct Kept {
    Session session;
    WallTime begun;
    WallTime used;
  };
  bool has_ended(const Kept& kept, WallTime now) const;
  void make_room(WallTime now) TAVOLA_REQUIRES(mutex_);

  const Clock& clock_;
  Random& random_;
  const SessionLimits limits_;
  mutable Mutex mutex_;
  // By the SHA-256 of the id: how long a search takes says nothing about an id.
  std::map<std::string, Kept, std::less<>> by_hash_ TAVOLA_GUARDED_BY(mutex_);
};

// Counts attempts by their sender, so that passwords and people cannot be tried out quickly. Thread safety: all methods.
class AttemptLimit {
 public:
  AttemptLimit(const Clock& clock, std::size_t attempts, std::chrono::seconds period)
      : clock_(clock), attempts_(attempts), period_(period) {}

  // Notes an attempt. Returns how long the sender must wait; zero: they may go ahead.
  std::chrono::seconds note(const std::string& sender);

 private:
  struct Window {
    WallTime begun;
    std::size_t count = 0;
  };
  const Clock& clock_;
  const std::size_t attempts_;
  const std::chrono::seconds period_;
  Mutex mutex_;
  std::map<std::string, Window, std::less<>> by_sender_ TAVOLA_GUARDED_BY(mutex_);
};

// Returns the value of a cookie in a Cookie header; empty if it is missing.
std::string_view cookie_of(std::string_view header, std::string_view name);

}  // namespace tavola::access
