// Asks a server: a request as JSON goes out, a typed response comes back.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tavola/error.h>

#include "base/locks.h"
#include "remote/retries.h"
#include "wire/codec/json.h"

namespace tavola::remote {

// Thread safety: all methods.
class Asker {
 public:
  explicit Asker(Transport transport) : client_(std::move(transport)) {}

  // Sends a request, with retries, and reads the response with `read`.
  template <class Read>
  auto ask(Again again, Operation operation, Read read) -> std::invoke_result_t<Read, wire::JsonValue> {
    TAVOLA_TRY(const std::string answer, client_.send(std::move(operation), again));
    const Result<wire::JsonDocument> document = wire::JsonDocument::parse(answer);
    if (!document || document->root().type() != wire::JsonType::Object) return not_dynamodb();
    return read(document->root());
  }
  // Sends a request whose response says nothing.
  Result<void> tell(Again again, Operation operation);

  // Returns the part of this server's ARNs that ends with "table/", which has its region and account: that of the table, or of another
  // one if it is missing. A server without tables gets one of our own, because it cannot tell.
  Result<std::string> arns(const std::string& table);

 private:
  static std::unexpected<Error> not_dynamodb();
  Result<std::string> learn_arns(const std::string& table);

  RetryingClient client_;
  Mutex mutex_;
  std::string arns_ TAVOLA_GUARDED_BY(mutex_);  // empty: not known yet
};

}  // namespace tavola::remote
