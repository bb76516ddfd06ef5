// `tavola health` and `tavola env`: their options.
#include "cli/command/builder.h"
#include "cli/options.h"

namespace tavola::cli {
namespace {

constexpr const char* kAskedServerHelp =
    "URL of the server; by default $AWS_ENDPOINT_URL_DYNAMODB, $AWS_ENDPOINT_URL or http://127.0.0.1:8000";

}  // namespace

void add_kit_commands(ProgramSpec& program, Command& chosen) {
  CommandBuilder<HealthOptions> health("health", "Ask whether a server does its work");
  health.option("--endpoint", &HealthOptions::endpoint, "URL", kAskedServerHelp)
      .alias("--endpoint-url")
      .notes("Prints what the server says. The exit code is 0 if it is healthy, otherwise 1.")
      .example("tavola health --endpoint http://127.0.0.1:8000");
  program.commands.push_back(health.choose(chosen));

  CommandBuilder<EnvOptions> env("env", "Print shell commands that point AWS's tools and SDKs to a server");
  env.option("--endpoint", &EnvOptions::endpoint, "URL", kAskedServerHelp)
      .alias("--endpoint-url")
      .choice("--shell", &EnvOptions::shell, {"sh", "fish", "powershell"},
              "Shell that reads them; by default fish if $SHELL says so, otherwise sh")
      .option("--region", &EnvOptions::region, "NAME", "Region that clients use")
      .option("--access-key", &EnvOptions::access_key, "NAME", "Access key and secret that clients use")
      .example("eval \"$(tavola env --endpoint http://127.0.0.1:8000)\"");
  program.commands.push_back(env.choose(chosen));
}

}  // namespace tavola::cli
