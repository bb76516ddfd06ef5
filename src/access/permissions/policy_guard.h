// The resource policies of a server at work: what they say of a request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/locks.h"
#include "policy/policy.h"
#include "wire/codec/operations.h"

namespace tavola::access {

// Who sent a request, from where and when.
struct Visit {
  std::string user_name;      // the access key
  std::string address{};      // empty: unknown
  bool is_encrypted = false;  // it came through TLS
  WallTime now{};
  // A statement of PartiQL: AWS has actions of their own for these.
  bool is_statement = false;
  // Whether there is such a user: a policy about somebody else would do nothing.
  std::function<bool(std::string_view user_name)> knows_user{};
};

// Policies that were parsed already. Thread safety: all methods.
class ParsedPolicies {
 public:
  // `text` is what a Database returned for the resource.
  Result<std::shared_ptr<const policy::Policy>> parsed(const std::string& resource, const std::string& text);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const policy::Policy> policy;
  };
  SharedMutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ TAVOLA_GUARDED_BY(mutex_);
};

// Lives as long as one request: borrows all it is given.
class PolicyGuard {
 public:
  PolicyGuard(Database& database, const ServerIdentity& server, const Visit& visit, ParsedPolicies& parsed)
      : database_(database), server_(server), visit_(visit), parsed_(parsed) {}

  const Visit& visit() const { return visit_; }

  // Adds what the request says of the condition keys that the policy mentions.
  using Details = std::function<void(const policy::Policy& policy, policy::Context& context)>;
  struct Question {
    std::string_view action;    // "GetItem"
    std::string_view owner;     // whose policy it is about: a table or a stream
    std::string_view resource;  // what is asked for: the same, or "<table>/index/<index>"
    const Details* details = nullptr;
  };
  // Nothing when the owner has no policy, or is not there.
  Result<std::optional<policy::Verdict>> ask(const Question& question) const;
  // What a policy that is not there yet would say.
  policy::Verdict judge(const policy::Policy& policy, const Question& question) const;

  // Fails unless all whom the policy names are there.
  Result<void> check_principals(const policy::Policy& policy) const;

 private:
  // What the policy mentions of who asks.
  policy::Context context(const policy::Policy& policy) const;

  Database& database_;
  const ServerIdentity& server_;
  const Visit& visit_;
  ParsedPolicies& parsed_;
};

}  // namespace tavola::access
