// The arguments of commands on designs: parameters k=v, and the names of patterns and operations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "cli/output/command_output.h"
#include "design/model/model.h"

namespace tavola::cli {

using Texts = std::map<std::string, std::string, std::less<>>;

// Fails with Validation and BadParameter if a word has no '=' or a name is given twice.
Result<Texts> read_arguments(const std::vector<std::string>& words);

// Lists the patterns and operations of a design, with their parameters.
std::string names_text(const design::Design& design);
// The output of a command, like "tavola run", that was given a design and no name: it lists the names.
Output without_name(const design::Design& design, const std::string& command);

// Fails with Validation if the design has neither a pattern nor an operation of this name.
Result<void> check_name(const design::Design& design, const std::string& name);

}  // namespace tavola::cli
