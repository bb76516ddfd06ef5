#include "systems/text-analyzer/bucket/own_bucket.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "objects/codec/s3_error.h"
#include "systems/text-analyzer/bucket/keys.h"

namespace tavola::text_analyzer {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18U;
constexpr std::string_view kRegion = "local";
const std::string kName = "texts";

class FileReader final : public UploadReader {
 public:
  explicit FileReader(objects::FoundObject object)
      : object_(std::move(object)), piece_(std::min<std::uint64_t>(kPieceBytes, size_bytes()), '\0') {}

  std::uint64_t size_bytes() const override { return object_.record.facts.size_bytes; }

  Result<std::string_view> next() override {
    piece_.resize(std::min<std::uint64_t>(kPieceBytes, size_bytes() - at_));
    if (!objects::read_bytes(object_.file, at_, piece_))
      return fail(Error(ErrorCode::Io, "the uploaded file cannot be read"));
    at_ += piece_.size();
    return std::string_view(piece_);
  }

 private:
  objects::FoundObject object_;
  std::uint64_t at_ = 0;
  std::string piece_;
};

Credentials random_key() {
  return {.access_key_id = "KEY" + make_ulid(Clock::system().now(), Random::system()),
          .secret_access_key = make_uuid(Random::system()) + make_uuid(Random::system()),
          .session_token = {}};
}

access::Credentials only(const Credentials& key) {
  // The text is made here, so it has the form that it must have.
  return *access::Credentials::parse(key.access_key_id + " " + key.secret_access_key, "the key of uploads");
}

}  // namespace

OwnBucket::OwnBucket(std::unique_ptr<objects::ObjectStore> store, server::Log& log)
    : store_(std::move(store)),
      key_(random_key()),
      verifier_(only(key_), "s3"),
      service_({.store = *store_,
                .clock = Clock::system(),
                .verifier = &verifier_,
                .region = std::string(kRegion),
                .on_failure =
                    [&log](std::string_view path, std::string_view why) {
                      log.error("upload failed", {{"path", path}, {"why", why}});
                    }}),
      signer_(std::string(kRegion)) {
  store_->on_created([this](const objects::ObjectCreated& created) {
    if (uploaded_ && created.record.key.starts_with(kUploads)) uploaded_();
  });
}

Result<std::unique_ptr<OwnBucket>> OwnBucket::open(const std::string& folder, server::Log& log) {
  TAVOLA_TRY(auto store, objects::ObjectStore::open(folder, Clock::system()));
  if (!store->bucket(kName)) TAVOLA_CHECK(store->create_bucket(kName));
  return std::unique_ptr<OwnBucket>(new OwnBucket(std::move(store), log));
}

systems::Mount OwnBucket::mount() {
  http::ServerOptions options;
  service_.configure(options);
  return {.path = "/" + kName + "/",
          .refuse_head = std::move(options.refuse_head),
          .receive_body = std::move(options.receive_body),
          .handle = [this](const http::Request& request, http::Reply reply) {
            service_.handle(request, std::move(reply));
          }};
}

const std::string& OwnBucket::name() const { return kName; }

Result<std::string> OwnBucket::upload_url(const ExpectedUpload& upload) {
  return signer_.presigned_url({.method = "PUT",
                                .url = upload.origin + "/" + kName + "/" + upload.key,
                                .service = "s3",
                                .headers = {"Content-Length: " + std::to_string(upload.size_bytes)}},
                               key_, Clock::system().now(), kUploadLifetime);
}

Result<std::vector<std::string>> OwnBucket::list(const std::string& prefix, const std::string& after) {
  TAVOLA_TRY(const objects::ListPage page,
             store_->list(kName, {.prefix = prefix, .after = after, .entries_max = kKeysOfPage}));
  std::vector<std::string> keys;
  for (const objects::ListPage::Entry& entry : page.entries) keys.push_back(entry.key);
  return keys;
}

Result<std::unique_ptr<UploadReader>> OwnBucket::open(const std::string& key) {
  auto found = store_->get(kName, key);
  if (found) return std::make_unique<FileReader>(*std::move(found));
  const auto* const fault = found.error().detail<objects::S3Fault>();
  if (fault != nullptr && fault->code == "NoSuchKey") return nullptr;
  return fail(found.error());
}

Result<void> OwnBucket::write_empty(const std::string& key) {
  TAVOLA_TRY(const objects::Bucket bucket, store_->bucket(kName));
  TAVOLA_TRY(objects::Draft draft, objects::Draft::create(bucket));
  TAVOLA_CHECK(store_->put({.bucket = kName, .record = {.key = key}, .draft = std::move(draft)}));
  return {};
}

Result<void> OwnBucket::remove(const std::string& key) { return store_->remove(kName, key); }

}  // namespace tavola::text_analyzer
