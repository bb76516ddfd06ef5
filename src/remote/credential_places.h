// The places where AWS's tools find credentials, one function each. Each returns nullopt if its place is not set up, and fails if it is, but
// gives no credentials.
#pragma once

#include <optional>
#include <string>

#include <tavola/connect.h>
#include <tavola/time.h>

#include "remote/http_client.h"
#include "remote/profile_files.h"

namespace tavola::remote {

struct FoundCredentials {
  Credentials credentials{};
  std::optional<WallTime> expires_at{};  // nullopt: never
};

// Things that places are looked up with. Borrows both.
struct Search {
  const Environment& environment;
  HttpClient& http;
};

using Found = Result<std::optional<FoundCredentials>>;

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
Found from_variables(const Environment& environment);
// The access key of the profile in the files.
Found from_profile_keys(const Environment& environment);
// AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, as in Kubernetes: a token that AWS STS exchanges.
Found from_web_identity(const Search& search);
// The profile in the files: its access key, its role by a web identity token, or its session of AWS IAM Identity Center ("SSO"), for which
// `aws sso login` left a token in ~/.aws/sso/cache.
Found from_profile(const Search& search);
// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI, as in Amazon ECS and EKS.
Found from_container(const Search& search);
// The instance metadata service of Amazon EC2, in its version 2.
Found from_instance(const Search& search);

}  // namespace tavola::remote
