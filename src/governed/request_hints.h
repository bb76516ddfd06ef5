// Facts about the writes of a request beyond their keys. The engine's rules see keys and values alone, so the front says the
// rest here, for the thread that performs the request.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tavola/requests.h>

namespace tavola::governed {

// Belongs to one thread and applies to its request while it lives. The innermost of a thread counts.
class RequestHints {
 public:
  RequestHints() : outer_(innermost) { innermost = this; }
  ~RequestHints() { innermost = outer_; }
  RequestHints(const RequestHints&) = delete;
  RequestHints& operator=(const RequestHints&) = delete;

  // Returns null outside of a request.
  static const RequestHints* current() { return innermost; }

  std::size_t items = 0;                 // that it is about; the keys of a transaction begin with them
  bool creates = false;                  // some of its items are likely new: puts
  bool changes = false;                  // some exist, or nobody knows
  std::vector<std::string> mentioned{};  // the attributes that its expressions may look at

 private:
  const RequestHints* const outer_;
  static inline thread_local constinit const RequestHints* innermost = nullptr;
};

void note(RequestHints& hints, const PutItemRequest& request);
void note(RequestHints& hints, const DeleteItemRequest& request);
void note(RequestHints& hints, const UpdateItemRequest& request);
void note(RequestHints& hints, const ConditionCheck& request);

}  // namespace tavola::governed
