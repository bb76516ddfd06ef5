// `tavola console`: its options.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {

void add_console_command(ProgramSpec& program, Command& chosen) {
  using Options = server::RemoteConsoleOptions;
  CommandBuilder<Options> console("console", "Serve the web console of a database that is elsewhere");
  console
      .option(
          "--endpoint", &Options::endpoint, "URL",
          "URL of a server, or aws:REGION for Amazon DynamoDB; keys and region come from the AWS_… variables")
      .alias("--endpoint-url")
      .number("--port", &Options::port, "N",
              "TCP port of the console; by default 8001, or a free one if it is taken; 0 chooses a free one",
              {0, 65'535})
      .flag("--read-only", &Options::read_only, "Change nothing, whatever the credentials allow")
      .choice_of("--log-format", &Options::log_format,
                 std::vector<std::pair<std::string, server::LogFormat>>{{"text", server::LogFormat::Text},
                                                                        {"json", server::LogFormat::Json}},
                 "Format of the log")
      .flag("--quiet", &Options::quiet, "Print no banner")
      .check([](Options& options) -> Result<void> {
        if (!options.endpoint.empty()) return {};
        return fail(Error::validation(
            "--endpoint is missing: give the URL of a server, or aws:REGION. The console of a server of "
            "your own is part of `tavola serve`"));
      })
      .example("tavola console --endpoint http://127.0.0.1:8000");
  program.commands.push_back(console.choose(chosen));
}

}  // namespace tavola::cli
