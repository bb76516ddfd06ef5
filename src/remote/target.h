// Where requests of a remote database go, as whom, and how.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/connect.h>

namespace tavola::remote {

// Operations may be marked as those of a tool (wire/codec/maintenance_header.h): a Tavola server does not count them, and performs them as
// they are if they move whole tables.
enum class Mark : std::uint8_t { None, Maintenance, AsIs };

struct Target {
  std::string url{};  // http:// or https://
  std::string region = "us-east-1";
  std::string ca_bundle{};  // empty: the certificates of the machine
  CredentialsSource credentials{};
  ConnectOptions options{};
  Mark mark = Mark::None;
};

// Returns whether the word is meant as an address of an endpoint: a URL, "aws:REGION", or "aws" for the region of the AWS_… variables.
bool is_address(std::string_view word);
// Returns whether a URL names a server of Amazon's, which always needs credentials.
bool is_aws(std::string_view url);

// Returns the URL of a service of Amazon's in a region.
std::string aws_url(std::string_view service, std::string_view region);

// Returns the target of an endpoint; check() says whether it can be one.
Target target_of(const Endpoint& endpoint, CredentialsSource credentials);

// Returns the target at `address` for Tavola's tools: region, certificates and credentials are those of AWS's tools. A server that is not
// Amazon's gets arbitrary credentials if there are none, because it may not need any.
Target from_environment(const std::string& address);

// Fails with Validation if the target's URL is none, or an option is less than 1.
Result<void> check(const Target& target);

}  // namespace tavola::remote
