// The protocol without its transport: takes the target and body of a request, returns a status and a body.
//
//   DynamoDB_20120810.PutItem + JSON ─▶ the operation's file ─▶ Database ─▶ JSON, or an error in AWS's form
#pragma once

#include <string>
#include <string_view>

#include <tavola/database.h>

#include "wire/codec/operations.h"

namespace tavola::wire {

struct Answer {
  int status = 200;
  std::string body;
  std::string_view exception{};  // the name of the error; empty if there is none
};

// Returns null, with the error in `refused`, if the target names no operation of the server.
const KnownOperation* operation_of_target(std::string_view target, Answer& refused);

// Runs one operation. Never fails: errors are answers.
Answer run(const KnownOperation& operation, Database& database, const ServerIdentity& server,
           std::string_view body);

// Returns the error as AWS sends it. `server` is needed for the ARNs of throttled tables.
Answer error_answer(const Error& error, const ServerIdentity& server = {});

}  // namespace tavola::wire
