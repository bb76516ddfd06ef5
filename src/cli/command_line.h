// The command line: the commands that exist, and the one that was given.
#pragma once

#include <string>
#include <variant>

#include "cli/archive_commands.h"
#include "cli/copy_command.h"
#include "cli/design_commands.h"
#include "cli/file_commands.h"
#include "cli/init_command.h"
#include "cli/kit_commands.h"
#include "cli/output/colors.h"
#include "cli/policy_command.h"
#include "cli/repair_command.h"
#include "cli/run_command.h"
#include "cli/tables/adopt_command.h"
#include "cli/tables/apply_command.h"
#include "cli/tables/drift_command.h"
#include "cli/tables/migrate_command.h"
#include "cli/tables/status_command.h"
#include "cli/token_command.h"
#include "server/remote_console.h"
#include "server/serve.h"

namespace tavola::cli {

struct PrintText {
  std::string text;
  int exit_code = 0;  // not 0: the text goes to standard error
};

// The command that the program runs, with its options.
using Command =
    std::variant<PrintText, server::ServeOptions, server::RemoteConsoleOptions, HealthOptions, EnvOptions,
                 CheckOptions, FormatOptions, TestOptions, DocsOptions, ExplainOptions, SchemaOptions,
                 PlanOptions, DiffOptions, ImportOptions, ExportOptions, InferOptions, InitOptions,
                 SampleOptions, GenerateOptions, RunOptions, DriftOptions, AdoptOptions, ApplyOptions,
                 StatusOptions, MigrateOptions, PolicyOptions, TokenOptions, ArchiveRunOptions,
                 ArchiveListOptions, ArchiveVerifyOptions, ArchiveRestoreOptions, DumpOptions, LoadOptions,
                 CopyOptions, RepairOptions>;

struct CommandLine {
  Command command{};
  ColorMode color = ColorMode::Auto;
};

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace tavola::cli
