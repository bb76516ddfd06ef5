// A bucket in a folder of this machine, which the application serves itself over S3's protocol (src/objects): uploads are signed and verified as
// they are at Amazon S3. The key to it is random and known to this process alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "access/identity/signature.h"
#include "objects/object_service.h"
#include "objects/storage/object_store.h"
#include "remote/signature.h"
#include "server/log/log.h"
#include "systems/host/application.h"
#include "systems/text-analyzer/bucket/bucket.h"

namespace tavola::text_analyzer {

class OwnBucket final : public Bucket {
 public:
  // Creates the folder if it is missing. Fails with Locked if another program uses it.
  static Result<std::unique_ptr<OwnBucket>> open(const std::string& folder, server::Log& log);

  // Returns the part of the application's server that takes uploads. The bucket must outlive it.
  systems::Mount mount();
  // Calls `uploaded` after each upload, on the thread that took it. Must be called before anything is uploaded.
  void on_upload(std::function<void()> uploaded) { uploaded_ = std::move(uploaded); }

  const std::string& name() const override;
  Result<std::string> upload_url(const ExpectedUpload& upload) override;
  Result<std::vector<std::string>> list(const std::string& prefix, const std::string& after) override;
  Result<std::unique_ptr<UploadReader>> open(const std::string& key) override;
  Result<void> write_empty(const std::string& key) override;
  Result<void> remove(const std::string& key) override;

 private:
  OwnBucket(std::unique_ptr<objects::ObjectStore> store, server::Log& log);

  std::unique_ptr<objects::ObjectStore> store_;
  const Credentials key_;
  access::SignatureVerifier verifier_;
  objects::ObjectService service_;
  remote::Signer signer_;
  std::function<void()> uploaded_;
};

}  // namespace tavola::text_analyzer
