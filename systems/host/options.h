// The command line of an application: the options that all of them have, and its own.
//
//   tavola-inventory --data inventory-data --dev-login
//   tavola-inventory report --period month --format csv
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::systems {

// People log in at an OpenID provider (openid/openid_login.h).
struct OpenIdOptions {
  std::string issuer = {};  // empty: nobody logs in so
  std::string client_id = {};
  std::string client_secret_file = {};  // empty: a public client
  std::string groups_claim = {};        // empty: `groups` and `cognito:groups`
  std::string scopes = "openid";
  std::string ca_file = {};  // certificates of issuers; empty: those of the machine
};

struct HostOptions {
  std::filesystem::path data = {};  // where the database is; by default <program>-data
  bool in_memory = false;
  std::string endpoint = {};  // of a remote database, instead of one of its own
  std::string sample = {};    // the size of the sample data that an empty table gets
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string tls_certificate = {};
  std::string tls_key = {};
  std::string public_url =
      {};                  // of the application, if people reach it by another address than the server's own
  bool dev_login = false;  // everybody may be anybody; on this machine only
  OpenIdOptions oidc = {};

  // Returns whether people use https.
  bool is_secure() const { return !tls_certificate.empty() || public_url.starts_with("https://"); }
};

// One option. `value` names its value for the help; empty: it has none.
struct Option {
  std::string_view name;  // "--data"
  std::string_view value;
  std::string_view help;
  std::function<Result<void>(const std::string& value)> take;
};

// Returns the options that fill in `options`, which must outlive them. Those of logins have "--oidc-" or "--dev-login" in their names.
std::vector<Option> host_options(HostOptions& options);

// Returns an option that stores its value as it is.
Option text_option(std::string_view name, std::string_view value, std::string_view help, std::string& into);
Option flag_option(std::string_view name, std::string_view help, bool& into);

// Calls the options, and returns the words that belong to none. "--name=value" is "--name value". Fails with Validation.
Result<std::vector<std::string>> read_options(std::span<const std::string> arguments,
                                              std::span<const Option> options);
// Returns the lines of the options for --help, none of which is longer than 100 characters.
std::string option_lines(std::span<const Option> options);

// Fails if options contradict one another, or would let strangers in.
Result<void> check_host_options(const HostOptions& options);

}  // namespace tavola::systems
