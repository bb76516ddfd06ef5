#include "cli/kit_commands.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/output/command_output.h"
#include "remote/http_client.h"

namespace tavola::cli {
namespace {

constexpr const char* kUsualEndpoint = "http://127.0.0.1:8000";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

Result<void> check_url(const std::string& url) {
  if (url.starts_with("http://") || url.starts_with("https://")) return {};
  return fail(Error::validation("--endpoint must be a URL like " + std::string(kUsualEndpoint) + " (was " +
                                url + ")"));
}

Result<std::string> endpoint_of(const std::string& given) {
  std::string url = without_slash(given.empty() ? default_endpoint() : given);
  TAVOLA_CHECK(check_url(url));
  return url;
}

Result<Output> ask_health(const HealthOptions& options) {
  TAVOLA_TRY(const std::string url, endpoint_of(options.endpoint));
  constexpr std::chrono::seconds kPatience{5};
  remote::HttpClient client({.connect_timeout = kPatience,
                             .answer_timeout = kPatience,
                             .ca_bundle = variable("AWS_CA_BUNDLE"),
                             .answer_bytes_max = std::size_t{1} << 20U});
  TAVOLA_TRY(const remote::HttpAnswer answer, client.send({.url = url + "/health"}));
  if (answer.status == 200) return Output{.out = answer.body + "\n"};
  return Output{.err = "tavola: the server at " + url + " is not healthy (HTTP status " +
                       std::to_string(answer.status) + "): " + answer.body + "\n",
                .exit_code = kFailed};
}

// Quotes for sh and fish, which both end a quotation only at a quote.
std::string in_shell_quotes(std::string_view text, std::string_view quote) {
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted.append(quote) : quoted.append(1, c);
  return quoted + "'";
}

struct Shell {
  std::string_view quote;                   // a quote inside quotes
  std::array<std::string_view, 3> export_;  // before the name, between, after the value
  std::array<std::string_view, 2> unset;    // before and after the name
};

Shell shell_of(std::string_view name) {
  if (name == "fish") return {.quote = "\\'", .export_ = {"set -gx ", " ", ";"}, .unset = {"set -e ", ";"}};
  if (name == "powershell") {
    return {.quote = "''",
            .export_ = {"$Env:", " = ", ""},
            .unset = {"Remove-Item Env:", " -ErrorAction SilentlyContinue"}};
  }
  return {.quote = "'\\''", .export_ = {"export ", "=", ""}, .unset = {"unset ", ""}};
}

std::string usual_shell() { return variable("SHELL").ends_with("fish") ? "fish" : "sh"; }

Result<Output> exports(const EnvOptions& options) {
  TAVOLA_TRY(const std::string url, endpoint_of(options.endpoint));
  const Shell shell = shell_of(options.shell.empty() ? usual_shell() : options.shell);
  const std::pair<std::string_view, std::string> variables[] = {
      {"AWS_ENDPOINT_URL_DYNAMODB", url},
      {"AWS_ENDPOINT_URL_DYNAMODB_STREAMS", url},
      {"AWS_ENDPOINT_URL", url},
      {"AWS_REGION", options.region},
      {"AWS_DEFAULT_REGION", options.region},
      {"AWS_ACCESS_KEY_ID", options.access_key},
      {"AWS_SECRET_ACCESS_KEY", options.access_key}};
  Output output;
  for (const auto& [name, value] : variables) {
    output.out.append(shell.export_[0]).append(name).append(shell.export_[1]);
    output.out.append(in_shell_quotes(value, shell.quote)).append(shell.export_[2]).append("\n");
  }
  // Some SDKs prefer a profile to the keys above, and a session token does not belong to them.
  for (const std::string_view name : {"AWS_PROFILE", "AWS_SESSION_TOKEN"})
    output.out.append(shell.unset[0]).append(name).append(shell.unset[1]).append("\n");
  return output;
}

}  // namespace

std::string default_endpoint() {
  for (const char* name : {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"}) {
    if (std::string url = variable(name); !url.empty()) return url;
  }
  return kUsualEndpoint;
}

Output run(const HealthOptions& options) {
  const Result<Output> output = ask_health(options);
  return output ? *output : failed(output.error());
}

Output run(const EnvOptions& options) {
  const Result<Output> output = exports(options);
  return output ? *output : failed(output.error());
}

}  // namespace tavola::cli
