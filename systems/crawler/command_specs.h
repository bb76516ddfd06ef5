// The commands of the program with their options.
#pragma once

#include <span>

#include "options.h"

namespace crawler {

std::span<const CommandSpec> all_commands();

}  // namespace crawler
