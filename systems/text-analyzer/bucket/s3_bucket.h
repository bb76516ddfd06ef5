// A bucket on a server with S3's protocol: `tavola serve --buckets`, Amazon S3, or another one.
#pragma once

#include <memory>
#include <string>

#include "remote/signature.h"
#include "remote/signed_client.h"
#include "remote/target.h"
#include "systems/text-analyzer/bucket/bucket.h"

namespace tavola::text_analyzer {

struct S3Options {
  std::string url{};  // of the server: "http://127.0.0.1:8002", "https://s3.eu-central-1.amazonaws.com"
  std::string public_url{};  // of the same server for browsers; empty: `url`
  std::string bucket = "texts";
};

class S3Bucket final : public Bucket {
 public:
  // Creates the bucket if the server is not Amazon's and has none of the name. Region and credentials are those of AWS's tools
  // (AWS_REGION, AWS_ACCESS_KEY_ID …).
  static Result<std::unique_ptr<S3Bucket>> open(const S3Options& options);

  const std::string& name() const override { return options_.bucket; }
  Result<std::string> upload_url(const ExpectedUpload& upload) override;
  Result<std::vector<std::string>> list(const std::string& prefix, const std::string& after) override;
  Result<std::unique_ptr<UploadReader>> open(const std::string& key) override;
  Result<void> write_empty(const std::string& key) override;
  Result<void> remove(const std::string& key) override;

 private:
  class Reader;
  S3Bucket(S3Options options, const remote::Target& target);

  std::string url_of(const std::string& key) const;
  Result<void> make_sure_it_exists(bool may_create);
  // Sends again, after a pause that grows, while the server is busy or fails.
  Result<remote::HttpAnswer> send(remote::SignedRequest request);

  const S3Options options_;
  const CredentialsSource credentials_;
  remote::SignedClient client_;
  remote::Signer signer_;
};

}  // namespace tavola::text_analyzer
