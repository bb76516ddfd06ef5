// The detail of an error about one parameter of a pattern or an operation.
#pragma once

#include <string>
#include <utility>

#include <tavola/error.h>

namespace tavola::design {

struct BadParameter : ErrorDetail {
  explicit BadParameter(std::string parameter) : name(std::move(parameter)) {}
  std::string name;
};

}  // namespace tavola::design
