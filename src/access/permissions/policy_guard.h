// Evaluates a server's resource policies for a request.
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

// The sender, origin and time of a request.
struct Visit {
  std::string user_name;      // the access key
  std::string address{};      // empty: unknown
  bool is_encrypted = false;  // it came through TLS
  WallTime now{};
  // Set for a PartiQL statement: AWS has separate actions for these.
  bool is_statement = false;
  // Returns whether there is such a user: a policy about an unknown user would have no effect.
  std::function<bool(std::string_view user_name)> knows_user{};
};

// A cache of parsed policies. Thread safety: all methods.
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

// Lives as long as one request; borrows its constructor arguments.
class PolicyGuard {
 public:
  PolicyGuard(Database& database, const ServerIdentity& server, const Visit& visit, ParsedPolicies& parsed)
      : database_(database), server_(server), visit_(visit), parsed_(parsed) {}

  const Visit& visit() const { return visit_; }

  // Adds the request's values of the condition keys that the policy mentions.
  using Details = std::function<void(const policy::Policy& policy, policy::Context& context)>;
  struct Question {
    std::string_view action;    // "GetItem"
    std::string_view owner;     // whose policy decides: a table or a stream
    std::string_view resource;  // the requested resource: the owner, or "<table>/index/<index>"
    const Details* details = nullptr;
  };
  // Returns nullopt if the owner has no policy, or is missing.
  Result<std::optional<policy::Verdict>> ask(const Question& question) const;
  // Returns the verdict of a policy that is not stored yet.
  policy::Verdict judge(const policy::Policy& policy, const Question& question) const;

  // Fails unless all principals of the policy exist.
  Result<void> check_principals(const policy::Policy& policy) const;

 private:
  // Returns the caller's values of the condition keys that the policy mentions.
  policy::Context context(const policy::Policy& policy) const;

  Database& database_;
  const ServerIdentity& server_;
  const Visit& visit_;
  ParsedPolicies& parsed_;
};

}  // namespace tavola::access
