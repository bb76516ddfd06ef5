#include "remote/signed_client.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <zlib.h>

#include "base/clock.h"
#include "wire/codec/maintenance_header.h"
#include "wire/codec/operations.h"

namespace tavola::remote {
namespace {

// A difference that no server minds.
constexpr std::int64_t kSkewSecondsMin = 60;

// Words of answers that refuse a signature for its time. The first are names of exceptions; DynamoDB says it in the message of an
// InvalidSignatureException.
constexpr std::string_view kTimeErrors[] = {"RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture",
                                            "Signature expired", "Signature not yet current"};

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<void> check_sum(const HttpAnswer& answer) {
  const std::string_view sent = answer.header("x-amz-crc32");
  if (sent.empty()) return {};
  std::uint32_t sum = 0;
  const auto [end, error] = std::from_chars(sent.data(), sent.data() + sent.size(), sum);
  const bool is_number = error == std::errc() && end == sent.data() + sent.size();
  if (is_number && sum == crc32_of(answer.body)) return {};
  return fail(Error(ErrorCode::Io, "the answer was damaged on its way: its checksum (x-amz-crc32) differs"));
}

}  // namespace

std::string streams_url(std::string url) {
  constexpr std::string_view kHost = "://dynamodb.";
  const std::size_t host = url.find(kHost);
  if (host != std::string::npos && is_aws(url)) url.insert(host + 3, "streams.");
  return url;
}

SignedClient::SignedClient(Target target)
    : target_(std::move(target)),
      http_({.connections = target_.options.connections,
             .connect_timeout = target_.options.connect_timeout,
             .answer_timeout = target_.options.answer_timeout,
             .ca_bundle = target_.ca_bundle}),
      signer_(target_.region) {}

Result<HttpAnswer> SignedClient::post(const Operation& operation) {
  const wire::KnownOperation* known = wire::find_operation(operation.name);
  const bool is_streams = known != nullptr && known->service == wire::Service::Streams;
  const std::string service = is_streams ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.";
  std::vector<std::string> headers{"Content-Type: application/x-amz-json-1.0",
                                   "X-Amz-Target: " + service + std::string(operation.name)};
  const Mark mark = std::max(target_.mark, operation.mark);
  if (mark != Mark::None) {
    headers.push_back(std::string(wire::kMaintenanceHeader) + ": " +
                      std::string(mark == Mark::AsIs ? wire::kAsIs : "true"));
  }
  TAVOLA_TRY(HttpAnswer answer, send({.method = "POST",
                                      .url = is_streams ? streams_url(target_.url) : target_.url,
                                      .service = "dynamodb",
                                      .headers = std::move(headers),
                                      .body = operation.body},
                                     operation.ended));
  TAVOLA_CHECK(check_sum(answer));
  return answer;
}

Result<HttpAnswer> SignedClient::send(const SignedRequest& request, HttpRequest::Ended ended) {
  TAVOLA_TRY(HttpAnswer answer, send_once(request, ended));
  if (!learns_time(answer)) return answer;
  return send_once(request, ended);
}

Result<HttpAnswer> SignedClient::send_once(const SignedRequest& request, HttpRequest::Ended ended) {
  TAVOLA_TRY(const Credentials credentials, target_.credentials());
  const WallTime now = Clock::system().now() + std::chrono::seconds(clock_offset_seconds_.load());
  return http_.send({.method = request.method,
                     .url = request.url,
                     .headers = signer_.signed_headers(request, credentials, now),
                     .body = request.body,
                     .ended = ended});
}

bool SignedClient::learns_time(const HttpAnswer& answer) {
  if (answer.status != 400 && answer.status != 403) return false;
  const bool is_about_time = std::ranges::any_of(
      kTimeErrors, [&answer](std::string_view words) { return answer.body.contains(words); });
  if (!is_about_time) return false;
  const std::int64_t time = http_time(answer.header("date"));
  if (time < 0) return false;
  const std::int64_t now =
      std::chrono::floor<std::chrono::seconds>(Clock::system().now()).time_since_epoch().count();
  const std::int64_t offset = time - now;
  if (std::abs(offset - clock_offset_seconds_.load()) < kSkewSecondsMin) return false;
  clock_offset_seconds_ = offset;
  return true;
}

}  // namespace tavola::remote
