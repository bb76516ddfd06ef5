#include "systems/host/options.h"

#include <algorithm>
#include <charconv>

#include "http/listening.h"
#include "http/web_guard.h"
#include "systems/host/openid/issuer.h"

namespace tavola::systems {
namespace {

Result<void> read_port(const std::string& text, std::uint16_t& port) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem == std::errc() && end == text.data() + text.size()) return {};
  return fail(
      Error::validation("--port must be a number from 0 to 65535, 0 for any free one (was " + text + ")"));
}

// Returns whether the text is the address of a server: http or https, a host, and nothing else.
bool is_origin_of_server(const std::string& url) {
  return (url.starts_with("http://") || url.starts_with("https://")) && http::is_origin(url);
}

void add_login_options(HostOptions& options, std::vector<Option>& all) {
  all.push_back(
      flag_option("--dev-login",
                  "Log in as anybody, without a password, at an issuer in this program. For development, "
                  "on this machine only",
                  options.dev_login));
  all.push_back(text_option("--oidc-issuer", "URL",
                            "People log in at this OpenID provider, for example Cognito",
                            options.oidc.issuer));
  all.push_back(
      text_option("--oidc-client-id", "ID", "The application's name there", options.oidc.client_id));
  all.push_back(text_option("--oidc-client-secret-file", "FILE", "Its secret there, if it has one",
                            options.oidc.client_secret_file));
  all.push_back(text_option("--oidc-groups-claim", "NAME",
                            "The claim with a person's groups. By default groups and cognito:groups",
                            options.oidc.groups_claim));
  all.push_back(
      text_option("--oidc-scopes", "WORDS", "What is asked for. By default openid", options.oidc.scopes));
  all.push_back(text_option("--oidc-ca", "FILE",
                            "Certificates (PEM) for the issuer, instead of the machine's",
                            options.oidc.ca_file));
  all.push_back(text_option("--public-url", "URL",
                            "The address at which people reach the application, if a proxy is in front of it",
                            options.public_url));
}

Result<void> check_logins(const HostOptions& options) {
  const OpenIdOptions& oidc = options.oidc;
  if (oidc.issuer.empty()) {
    const bool has_more =
        !oidc.client_id.empty() || !oidc.client_secret_file.empty() || !oidc.groups_claim.empty();
    return has_more ? fail(Error::validation("the options --oidc-… belong to --oidc-issuer; give it, too"))
                    : Result<void>();
  }
  if (options.dev_login) {
    return fail(Error::validation("--dev-login is an issuer of its own; leave it out, or --oidc-issuer"));
  }
  if (oidc.client_id.empty()) {
    return fail(Error::validation(
        "--oidc-issuer needs --oidc-client-id: the name that the issuer gave this application"));
  }
  if (!(" " + oidc.scopes + " ").contains(" openid ")) {
    return fail(Error::validation("--oidc-scopes must have openid among its words"));
  }
  return Issuer::check_url(oidc.issuer);
}

const Option* find_option(std::span<const Option> options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

}  // namespace

Option text_option(std::string_view name, std::string_view value, std::string_view help, std::string& into) {
  return {name, value, help, [&into](const std::string& text) -> Result<void> {
            into = text;
            return {};
          }};
}

Option flag_option(std::string_view name, std::string_view help, bool& into) {
  return {name, "", help, [&into](const std::string&) -> Result<void> {
            into = true;
            return {};
          }};
}

std::vector<Option> host_options(HostOptions& options) {
  std::vector<Option> all;
  all.push_back({"--data", "DIR", "Folder of the database; created if it is missing",
                 [&options](const std::string& text) -> Result<void> {
                   options.data = text;
                   return {};
                 }});
  all.push_back(
      flag_option("--in-memory", "Keep all data in memory; it ends with the program", options.in_memory));
  all.push_back(text_option("--endpoint", "URL",
                            "Use the database there: a server of Tavola, or Amazon DynamoDB",
                            options.endpoint));
  all.push_back(text_option("--sample", "SIZE",
                            "Fill an empty table with sample data: small, medium, large or a number of items",
                            options.sample));
  all.push_back(text_option("--host", "HOST", "Address to listen on. By default 127.0.0.1", options.host));
  all.push_back({"--port", "PORT", "Port to listen on; 0 for any free one",
                 [&options](const std::string& text) { return read_port(text, options.port); }});
  all.push_back(text_option("--tls-cert", "FILE", "Certificate with its chain (PEM): serve HTTPS",
                            options.tls_certificate));
  all.push_back(text_option("--tls-key", "FILE", "Its private key (PEM)", options.tls_key));
  add_login_options(options, all);
  return all;
}

Result<std::vector<std::string>> read_options(std::span<const std::string> arguments,
                                              std::span<const Option> options) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("-")) {
      words.push_back(argument);
      continue;
    }
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    const Option* const option = find_option(options, name);
    if (option == nullptr) return fail(Error::validation("there is no option " + name));
    std::string value;
    if (equals < argument.size()) {
      value = argument.substr(equals + 1);
      if (option->value.empty()) return fail(Error::validation(name + " takes no value"));
    } else if (!option->value.empty()) {
      if (i + 1 == arguments.size()) {
        return fail(Error::validation(name + " needs a value: " + name + " " + std::string(option->value)));
      }
      value = arguments[++i];
    }
    TAVOLA_CHECK(option->take(value));
  }
  return words;
}

std::string option_lines(std::span<const Option> options) {
  constexpr std::size_t kColumn = 24;
  constexpr std::size_t kLineMax = 100;
  const std::string begin = "\n" + std::string(kColumn, ' ');
  std::string text;
  for (const Option& option : options) {
    std::string left = "  " + std::string(option.name);
    if (!option.value.empty()) left += " " + std::string(option.value);
    text += left + (left.size() + 2 > kColumn ? begin : std::string(kColumn - left.size(), ' '));
    std::string_view rest = option.help;
    while (rest.size() > kLineMax - kColumn) {
      const std::size_t end = rest.rfind(' ', kLineMax - kColumn);
      if (end == std::string_view::npos) break;
      text += std::string(rest.substr(0, end)) + begin;
      rest.remove_prefix(end + 1);
    }
    text += std::string(rest) + "\n";
  }
  return text;
}

Result<void> check_host_options(const HostOptions& options) {
  if (!options.endpoint.empty() && options.in_memory) {
    return fail(Error::validation("--endpoint and --in-memory name two databases; give one of them"));
  }
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return fail(Error::validation("--tls-cert and --tls-key belong together; give both"));
  }
  if (!options.public_url.empty() && !is_origin_of_server(options.public_url)) {
    return fail(
        Error::validation("--public-url must be an address like https://shop.example, without a path (was " +
                          options.public_url + ")"));
  }
  TAVOLA_CHECK(check_logins(options));
  TAVOLA_TRY(const bool is_local, http::is_loopback(options.host));
  if (is_local) return {};
  if (options.dev_login) {
    return fail(
        Error::validation("--dev-login lets everybody in as anybody, so it needs an address of this machine; "
                          "leave out --host " +
                          options.host));
  }
  if (options.tls_certificate.empty()) {
    return fail(
        Error::validation("listening on " + options.host +
                          " without --tls-cert and --tls-key would send sessions unencrypted; give them"));
  }
  return {};
}

}  // namespace tavola::systems
