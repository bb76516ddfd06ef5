// The main() of every application: tells about itself, explains a mistake in the command line, serves until it is asked to stop.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/log/log.h"
#include "server/process/stop_signals.h"
#include "systems/host/application.h"

namespace tavola::systems {

struct Program {
  std::string_view name;   // "tavola-inventory"
  std::string_view usage;  // its commands; the help has it before the options
};

// Prints the help (--help, -h) or the version (--version) if one of the words asks for it. Returns whether one did.
bool tell_about(const Program& program, std::span<const std::string> arguments,
                std::span<const Option> options);
// Prints why a command line is refused. Returns the exit code for that, 2.
int refuse_command_line(const Program& program, const Error& error);

// Starts the application, says where it is, waits for SIGINT or SIGTERM and stops it in order. Returns the exit code of the program.
int serve_until_stopped(Application& application, const HostOptions& options, const std::string& title,
                        server::StopSignals& signals, server::Log& log);

}  // namespace tavola::systems
