// What commands on designs have in common: the arguments k=v, the names of patterns and operations, and how failures are
// told.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "cli/design_commands.h"
#include "design/model/model.h"

namespace tavola::cli {

using Texts = std::map<std::string, std::string, std::less<>>;

// The error of one parameter or option: the command line is wrong.
Error bad_parameter(const std::string& name, std::string message);

// Fails with Validation and BadParameter when a word has no '=', or a name stands twice.
Result<Texts> read_arguments(const std::vector<std::string>& words);

// Fails with Validation when the design has neither a pattern nor an operation of this name.
Result<void> check_name(const design::Design& design, const std::string& name);

// The failure of a command: 3 for a refusal, 2 for a bad parameter, 1 otherwise.
Output failed(const Error& error);

}  // namespace tavola::cli
