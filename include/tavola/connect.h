// connect(): the Database of a server that speaks DynamoDB's protocol: Amazon DynamoDB, `tavola serve`, or another one.
//
//   TAVOLA_TRY(auto here, tavola::connect({.address = "http://127.0.0.1:8000"}, tavola::default_credentials()));
//   TAVOLA_TRY(auto aws, tavola::connect({.address = "aws:eu-central-1"}, tavola::default_credentials()));
//   TAVOLA_CHECK(aws->put_item({.table_name = "Music", .item = song}));
//
// docs/CONNECT.md says what is sent, what is sent again, and where credentials are found.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <tavola/database.h>
#include <tavola/error.h>

namespace tavola {

// The address of the server, and its region.
struct Endpoint {
  std::string address{};  // a URL, "http://127.0.0.1:8000", or AWS's endpoint in a region, "aws:eu-central-1"
  std::string region{};   // of signatures; empty: the one that the address names, otherwise us-east-1
  std::string ca_bundle{};  // a file of trusted certificates (PEM); empty: those of the machine
};

// Returns the endpoint that the variables of AWS's tools describe: AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL, otherwise AWS's
// endpoint in the region; AWS_REGION or AWS_DEFAULT_REGION; AWS_CA_BUNDLE.
Endpoint endpoint_from_environment();

// An access key. Requests are signed with it; the secret itself is never sent.
struct Credentials {
  std::string access_key_id{};
  std::string secret_access_key{};
  std::string session_token{};  // of a temporary key; empty: none
};

// Returns the credentials for the next request. Called before each attempt, from the thread that made the call and from several threads
// at once; an error becomes the error of the call.
using CredentialsSource = std::function<Result<Credentials>()>;

// Returns a source that finds credentials where AWS's tools do (docs/CONNECT.md has the order), when they are first needed. Temporary ones
// are renewed before they expire. Fails with AccessDenied, in words that name the places looked at, if there are none.
CredentialsSource default_credentials();

struct ConnectOptions {
  // Calls that are performed at the same time, each on a connection of its own, which is kept open for later calls. Others wait.
  int connections = 32;
  // How often a request is sent at most. It is sent again, after a pause, when the server throttled it or could not be reached, or when
  // it failed at the server and a second time does no harm: a read, or a transaction, which has a token. 1: never again.
  int attempts = 3;
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{
      60'000};  // of one attempt, from its start to the end of the answer
};

// Returns the database of the server. Sends nothing yet: a server that cannot be reached fails at the first call. Fails with Validation if
// the address is neither of the two forms, or an option is less than 1.
//
// The contract of Database holds as far as the server keeps it. In addition:
//   - A call fails with Io if there was no answer. The message says whether a write can have taken effect.
//   - Every member of a request is sent, the legacy parameters as well, or the call is refused. `as_is` is sent as a header that only
//     Tavola's servers understand. `caller` is not sent: to the server, the caller is who holds the access key. A request with a test of
//     visible items (`may_see`) is refused.
//   - freeze() and migrate_table() are refused; govern_table() and describe_governance() return empty responses.
//   - Thread safety: every method may be called from any thread, and calls do not wait for each other (ConnectOptions::connections).
Result<std::unique_ptr<Database>> connect(const Endpoint& endpoint, CredentialsSource credentials,
                                          const ConnectOptions& options = {});
Result<std::unique_ptr<Database>> connect(const Endpoint& endpoint, const Credentials& credentials,
                                          const ConnectOptions& options = {});

}  // namespace tavola
