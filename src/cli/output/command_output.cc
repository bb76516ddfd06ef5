#include "cli/output/command_output.h"

#include "design/model/arguments.h"
#include "design/model/refusal.h"
#include "design/requests/operation_plan.h"

namespace tavola::cli {

Output failed(const Error& error) {
  if (const auto* refusal = error.detail<design::Refusal>()) {
    return {.err = "refused: " + refusal->name +
                   (refusal->reason.empty() ? "" : " (" + refusal->reason + ")") + "\n",
            .exit_code = kRefused};
  }
  if (const auto* violation = error.detail<design::Violation>()) {
    return {.err = "refused: " + violation->name + " (" + error.message() + ")\n", .exit_code = kRefused};
  }
  const std::string& message = error.message();
  return {.err = "tavola: " + message + (message.ends_with('\n') ? "" : "\n"),
          .exit_code = error.detail<design::BadParameter>() != nullptr ? kUsageError : kFailed};
}

}  // namespace tavola::cli
