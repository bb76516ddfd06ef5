// The error of a write that breaks a design: "Tavola: Product.unitPrice must be ≥ 0 (was -1) [InventorySystem.yaml:41]".
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tavola/error.h>

#include "design/model/model.h"

namespace tavola::design {

// The detail of such an error, for programs: the name of what refuses the write, and the field that it is about.
struct Violation : ErrorDetail {
  Violation(std::string refused_by, std::string about)
      : name(std::move(refused_by)), field(std::move(about)) {}
  std::string name;   // a rule of the entity ("endsAfterStart"), or one of the names below
  std::string field;  // empty: several
};
inline constexpr const char* kUnknownReference = "UNKNOWN_REFERENCE";
inline constexpr const char* kComputed = "COMPUTED";
inline constexpr const char* kUndeclared = "UNDECLARED";
inline constexpr const char* kWrongState = "WRONG_STATE";

// `at` is the part of the design that the write breaks.
inline Error refusal(const Design& design, const std::string& message, const Span& at,
                     ErrorCode code = ErrorCode::Validation) {
  return {code, "Tavola: " + message + " [" + design.file + ":" + std::to_string(at.begin.line) + "]"};
}

// The refusal by name in the message of an error, which may come from another machine.
struct NamedRefusal {
  std::string name;
  std::string reason;
};

// Reads "Tavola: STILL_REFERENCED: the Group … [fus-main.yaml:160]". Returns nullopt if the message has no name.
inline std::optional<NamedRefusal> named_refusal(std::string_view message) {
  constexpr std::string_view kBegin = "Tavola: ";
  if (!message.starts_with(kBegin)) return std::nullopt;
  message.remove_prefix(kBegin.size());
  const std::size_t end = message.find(": ");
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::string_view name = message.substr(0, end);
  const bool is_name = std::ranges::all_of(
      name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
  if (!is_name) return std::nullopt;
  return NamedRefusal{std::string(name), std::string(message.substr(end + 2))};
}

// Returns the error with another detail.
inline Error with_detail(const Error& error, std::shared_ptr<const ErrorDetail> detail) {
  return {error.code(), error.message(), std::move(detail)};
}

}  // namespace tavola::design
