// A bucket. upstream/ signs and sends requests; names are in the path ("path style"), which every server supports.
#include <algorithm>
#include <thread>

#include "base/digest.h"
#include "base/encoding.h"
#include "remote/signed_client.h"
#include "transfer/archive/destination.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {
namespace {

using remote::HttpAnswer;

constexpr long kNotFound = 404;
constexpr long kTooMany = 429;
constexpr long kFirstFailure = 300;
constexpr long kFirstOfServer = 500;
constexpr int kRequestsMax = 5;

std::string without_references(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kReferences[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [reference, character] : kReferences) {
    for (std::size_t at = 0; (at = text.find(reference, at)) != std::string::npos; at += character.size()) {
      text.replace(at, reference.size(), character);
    }
  }
  return text;
}

// Returns each text between <name> and </name>. The few responses of S3 that are read are flat enough for that.
std::vector<std::string> elements(std::string_view xml, const std::string& name) {
  const std::string begin = "<" + name + ">";
  const std::string end = "</" + name + ">";
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = xml.find(begin, at)) != std::string_view::npos;) {
    at += begin.size();
    const std::size_t stop = xml.find(end, at);
    if (stop == std::string_view::npos) break;
    found.push_back(without_references(std::string(xml.substr(at, stop - at))));
    at = stop + end.size();
  }
  return found;
}

std::string first_element(std::string_view xml, const std::string& name) {
  const std::vector<std::string> all = elements(xml, name);
  return all.empty() ? std::string() : all.front();
}

class S3 final : public Destination {
 public:
  struct Place {
    std::string bucket;
    std::string prefix;  // empty, or ends with '/'
  };
  S3(remote::Target target, Place place)
      : url_(target.url), place_(std::move(place)), client_(std::move(target)) {}

  Result<void> write(const std::string& name, std::string_view bytes) override {
    TAVOLA_TRY(const HttpAnswer answer, sent({.method = "PUT",
                                              .url = object_url(name),
                                              .service = "s3",
                                              .headers = {"Content-Type: application/octet-stream"},
                                              .body = bytes}));
    if (answer.status >= kFirstFailure) return fail(refused("write " + name, answer));
    return {};
  }

  Result<std::optional<std::string>> read(const std::string& name) override {
    TAVOLA_TRY(HttpAnswer answer, sent({.method = "GET", .url = object_url(name), .service = "s3"}));
    const bool is_missing =
        answer.status == kNotFound && first_element(answer.body, "Code") != "NoSuchBucket";
    if (is_missing) return std::optional<std::string>();
    if (answer.status >= kFirstFailure) return fail(refused("read " + name, answer));
    return std::optional(std::move(answer.body));
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::vector<std::string> names;
    std::string next;
    do {
      TAVOLA_TRY(const HttpAnswer answer,
                 sent({.method = "GET", .url = list_url(folder, next), .service = "s3"}));
      if (answer.status >= kFirstFailure) return fail(refused("list the archive", answer));
      for (const std::string& key : elements(answer.body, "Key")) {
        if (key.starts_with(place_.prefix)) names.push_back(key.substr(place_.prefix.size()));
      }
      next = first_element(answer.body, "NextContinuationToken");
    } while (!next.empty());
    std::ranges::sort(names);
    return names;
  }

  std::string described() const override { return "s3://" + place_.bucket + "/" + place_.prefix; }

 private:
  std::string bucket_url() const { return url_ + "/" + place_.bucket; }
  std::string object_url(const std::string& name) const {
    return bucket_url() + "/" + remote::percent_encoded(place_.prefix + name, "/");
  }
  // Returns the parameters in the order of their names, as they are signed.
  std::string list_url(const std::string& folder, const std::string& next) const {
    return bucket_url() + "/?" +
           (next.empty() ? "" : "continuation-token=" + remote::percent_encoded(next, "") + "&") +
           "list-type=2&prefix=" + remote::percent_encoded(place_.prefix + folder, "");
  }

  // Sends again, with growing pauses, while the server is busy or fails: each of these requests may come twice. Five tries take about a
  // second: a wrong address shows at once, and an interrupted run is resumed by the next.
  Result<HttpAnswer> sent(remote::SignedRequest request) {
    request.headers.push_back("x-amz-content-sha256: " + to_hex(sha256({request.body})));
    for (int tries = 1;; ++tries) {
      Result<HttpAnswer> answer = client_.send(request);
      const bool may_help = !answer || answer->status >= kFirstOfServer || answer->status == kTooMany;
      if (!may_help || tries == kRequestsMax) return answer;
      std::this_thread::sleep_for(pause_after(tries));
    }
  }

  Error refused(const std::string& attempt, const HttpAnswer& answer) const {
    const std::string code = first_element(answer.body, "Code");
    const std::string words = first_element(answer.body, "Message");
    return {ErrorCode::Io, "cannot " + attempt + " in " + described() + ": " +
                               (code.empty() ? "HTTP status " + std::to_string(answer.status) : code) +
                               (words.empty() ? "" : ", " + words)};
  }

  const std::string url_;
  const Place place_;
  remote::SignedClient client_;
};

}  // namespace

Result<std::unique_ptr<Destination>> open_s3(const Where& where) {
  constexpr std::string_view kScheme = "s3://";
  const std::string rest = where.to.substr(kScheme.size());
  S3::Place place{.bucket = rest.substr(0, rest.find('/')), .prefix = {}};
  const bool is_name = std::ranges::all_of(place.bucket, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
  if (place.bucket.empty() || !is_name) {
    return fail(Error::validation("an archive in S3 is named like s3://bucket/prefix (was \"" + where.to +
                                  "\"); a bucket's name has letters, digits, '-' and '.'"));
  }
  if (rest.size() > place.bucket.size() + 1) place.prefix = rest.substr(place.bucket.size() + 1);
  if (!place.prefix.empty() && !place.prefix.ends_with('/')) place.prefix += '/';
  remote::Target target = remote::from_environment(where.s3_endpoint);
  if (target.url.empty()) target = remote::from_environment(remote::aws_url("s3", target.region));
  while (target.url.ends_with('/')) target.url.pop_back();
  if (!target.url.starts_with("http://") && !target.url.starts_with("https://")) {
    return fail(
        Error::validation("an S3 endpoint is a URL like http://127.0.0.1:9000 (was " + target.url + ")"));
  }
  return std::make_unique<S3>(std::move(target), std::move(place));
}

}  // namespace tavola::transfer
