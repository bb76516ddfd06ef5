// A remote Database: every call becomes a request to an endpoint that speaks DynamoDB's protocol, Tavola's or AWS's own, and the response
// becomes the result. tavola/connect.h has the contract.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "remote/retries.h"
#include "remote/signed_client.h"

namespace tavola::remote {

// Connects as tavola::connect does.
Result<std::unique_ptr<Database>> connect(Target target);

// Gets or puts a page of a server beside DynamoDB's operations, signed like these: get(target, "/admin/designs/music/requests").
// Fails with Io if there was no response.
Result<HttpAnswer> get(const Target& target, std::string_view path);
Result<HttpAnswer> put(const Target& target, std::string_view path, const std::string& json);

// Connects over another transport, for tests. Only retries are added.
std::unique_ptr<Database> database_behind(Transport transport);

}  // namespace tavola::remote
