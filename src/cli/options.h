// The commands of `tavola` with their options and arguments. Each is described in the .cc file of its subject.
#pragma once

#include "cli/command/spec.h"
#include "cli/command_line.h"

namespace tavola::cli {

// Each adds its commands to the program. When one is given, it is put into `chosen`.
void add_serve_command(ProgramSpec& program, Command& chosen);
void add_console_command(ProgramSpec& program, Command& chosen);
void add_kit_commands(ProgramSpec& program, Command& chosen);
void add_design_commands(ProgramSpec& program, Command& chosen);
void add_archive_commands(ProgramSpec& program, Command& chosen);
void add_file_commands(ProgramSpec& program, Command& chosen);
void add_copy_command(ProgramSpec& program, Command& chosen);
void add_repair_command(ProgramSpec& program, Command& chosen);

// Options of several commands, with the same words.
inline constexpr const char* kDataHelp = "Data directory; no server may have it open";
inline constexpr const char* kEndpointHelp =
    "URL of a server, or of DynamoDB, instead of --data; keys and region come from the AWS_… variables";
inline constexpr const char* kTableHelp = "Name of the table, instead of the one in the design";

// --data, and --endpoint instead of it.
template <class Builder, class Data, class Endpoint>
void add_database(Builder& command, Data data, Endpoint endpoint, const char* endpoint_help = kEndpointHelp) {
  command.group("Database")
      .option("--data", data, "DIR", kDataHelp)
      .option("--endpoint", endpoint, "URL", endpoint_help)
      .alias("--endpoint-url");
}

}  // namespace tavola::cli
