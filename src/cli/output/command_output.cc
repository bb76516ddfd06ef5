#include "cli/output/command_output.h"

#include <memory>
#include <utility>

#include "design/model/arguments.h"
#include "design/model/refusal.h"
#include "design/requests/operation_plan.h"

namespace tavola::cli {

Error bad_parameter(const std::string& name, std::string message) {
  return {ErrorCode::Validation, std::move(message), std::make_shared<design::BadParameter>(name)};
}

std::string counted(std::uint64_t count, const std::string& one) {
  const bool ends_in_ch = one.ends_with("ch");
  return std::to_string(count) + " " + one + (count == 1 ? "" : ends_in_ch ? "es" : "s");
}

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
