#include "remote/target.h"

#include <utility>

#include "remote/credentials.h"

namespace tavola::remote {
namespace {

constexpr std::string_view kAwsScheme = "aws:";
constexpr std::string_view kDefaultRegion = "us-east-1";
constexpr int kToolAttempts = 8;  // a copy of a whole table should survive a busy minute

std::string first_of(std::string a, std::string b) { return a.empty() ? std::move(b) : std::move(a); }

std::string region_variable() {
  return first_of(system_variable("AWS_REGION"), system_variable("AWS_DEFAULT_REGION"));
}

bool is_url(std::string_view word) { return word.starts_with("http://") || word.starts_with("https://"); }

bool is_region(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string_view host_of(std::string_view url) {
  const std::size_t start = url.find("://");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = url.substr(start + 3);
  return rest.substr(0, rest.find_first_of(":/?"));
}

// Returns the region that an address names; empty if it names none.
std::string region_in(std::string_view address) {
  if (address.starts_with(kAwsScheme)) return std::string(address.substr(kAwsScheme.size()));
  constexpr std::string_view kService = "dynamodb.";
  const std::string_view host = host_of(address);
  if (!is_aws(address) || !host.starts_with(kService)) return {};
  const std::string_view region = host.substr(kService.size());
  return std::string(region.substr(0, region.find('.')));
}

std::string url_of(const std::string& address) {
  const std::string region = region_in(address);
  if (!address.starts_with(kAwsScheme) || !is_region(region)) return address;
  return aws_url("dynamodb", region);
}

// A server that asks for no credentials still needs the form of a signature.
const Credentials kAnybody{.access_key_id = "anybody", .secret_access_key = "anything", .session_token = {}};

// A server other than Amazon's is not a reason to look for credentials in the network.
CredentialsSource tool_credentials(const std::string& url) {
  if (is_aws(url)) return default_credentials();
  return [keys = local_credentials(system_variable).value_or(kAnybody)]() -> Result<Credentials> {
    return keys;
  };
}

}  // namespace

bool is_address(std::string_view word) {
  return is_url(word) || word == "aws" || word.starts_with(kAwsScheme);
}

bool is_aws(std::string_view url) {
  const std::string_view host = host_of(url);
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

std::string aws_url(std::string_view service, std::string_view region) {
  const char* const china = region.starts_with("cn-") ? ".cn" : "";
  return "https://" + std::string(service) + "." + std::string(region) + ".amazonaws.com" + china;
}

Target target_of(const Endpoint& endpoint, CredentialsSource credentials) {
  const std::string region = first_of(endpoint.region, region_in(endpoint.address));
  return {.url = url_of(endpoint.address),
          .region = first_of(region, std::string(kDefaultRegion)),
          .ca_bundle = endpoint.ca_bundle,
          .credentials = std::move(credentials)};
}

Target from_environment(const std::string& address) {
  const std::string region = first_of(region_variable(), std::string(kDefaultRegion));
  Endpoint endpoint{.address = address == "aws" ? std::string(kAwsScheme) + region : address,
                    .ca_bundle = system_variable("AWS_CA_BUNDLE")};
  if (region_in(endpoint.address).empty()) endpoint.region = region;
  Target target = target_of(endpoint, tool_credentials(url_of(endpoint.address)));
  target.options.attempts = kToolAttempts;
  return target;
}

Result<void> check(const Target& target) {
  const std::string_view host = host_of(target.url);
  if (!is_url(target.url) || host.empty() || host.contains('@')) {
    return fail(
        Error::validation("an endpoint must be a URL like http://127.0.0.1:8000, or a region of AWS like "
                          "aws:eu-central-1 (got \"" +
                          target.url + "\")"));
  }
  const ConnectOptions& options = target.options;
  if (options.connections < 1 || options.attempts < 1 || options.connect_timeout.count() < 1 ||
      options.answer_timeout.count() < 1) {
    return fail(
        Error::validation("the connections, attempts and timeouts of a connection must be at least 1"));
  }
  return {};
}

}  // namespace tavola::remote

namespace tavola {

Endpoint endpoint_from_environment() {
  using remote::first_of;
  using remote::system_variable;
  const std::string region = first_of(remote::region_variable(), std::string(remote::kDefaultRegion));
  const std::string url =
      first_of(system_variable("AWS_ENDPOINT_URL_DYNAMODB"), system_variable("AWS_ENDPOINT_URL"));
  return {.address = url.empty() ? std::string(remote::kAwsScheme) + region : url,
          .region = region,
          .ca_bundle = system_variable("AWS_CA_BUNDLE")};
}

}  // namespace tavola
