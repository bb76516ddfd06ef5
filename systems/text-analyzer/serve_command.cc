#include "systems/text-analyzer/serve_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/joined.h"
#include "base/random.h"
#include "systems/host/run.h"
#include "systems/host/system_design.h"
#include "systems/text-analyzer/backend/announce.h"
#include "systems/text-analyzer/backend/live_status.h"
#include "systems/text-analyzer/bucket/own_bucket.h"

namespace tavola::text_analyzer {
namespace {

namespace fs = std::filesystem;

int failed(const Error& error) {
  std::fprintf(stderr, "tavola-text-analyzer: %s\n", error.message().c_str());
  return 1;
}

// The folder of uploads: beside the database, or, with --in-memory, one that ends with the program.
class UploadFolder {
 public:
  explicit UploadFolder(const systems::HostOptions& options)
      : is_temporary_(options.in_memory),
        path_(options.in_memory ? fs::temp_directory_path() / ("tavola-texts-" + make_uuid(Random::system()))
                                : options.data / "uploads") {}
  ~UploadFolder() {
    std::error_code ignored;
    if (is_temporary_) fs::remove_all(path_, ignored);
  }
  UploadFolder(const UploadFolder&) = delete;
  UploadFolder& operator=(const UploadFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  const bool is_temporary_;
  const fs::path path_;
};

// The bucket that the options name. `own` is set if it is one of this program's.
struct OpenedBucket {
  std::unique_ptr<Bucket> bucket;
  OwnBucket* own = nullptr;
};

Result<OpenedBucket> open_bucket(const AnalyzerOptions& options, const UploadFolder& folder,
                                 server::Log& log) {
  OpenedBucket opened;
  if (options.s3.url.empty()) {
    TAVOLA_TRY(auto own, OwnBucket::open(folder.path(), log));
    opened.own = own.get();
    opened.bucket = std::move(own);
  } else {
    TAVOLA_TRY(opened.bucket, S3Bucket::open(options.s3));
  }
  return opened;
}

// Returns the scheme, host and port to which browsers send uploads; empty if that is this program.
std::string origin_of(const S3Options& s3) {
  const std::string& url = s3.public_url.empty() ? s3.url : s3.public_url;
  return url.empty() ? "" : url.substr(0, url.find('/', url.find("://") + 3));
}

}  // namespace

int serve(const AnalyzerOptions& options, server::Log& log, server::StopSignals& signals) {
  const WallTime start = Clock::system().now();
  const auto design = systems::SystemDesign::open(
      {.text = Files::text(), .file = "text-analyzer-history.yaml", .options = options.host, .log = log});
  if (!design) return failed(design.error());
  const auto files = Files::open((*design)->database());
  if (!files) return failed(files.error());
  const UploadFolder folder(options.host);
  const auto bucket = open_bucket(options, folder, log);
  if (!bucket) return failed(bucket.error());
  Announcements announcements(
      {.files = *files, .bucket = *bucket->bucket, .keep = options.keep_announced, .log = log});

  systems::Application* running = nullptr;  // set before anything is published
  LiveStatus live(
      {.files = *files, .log = log, .publish = [&running](std::string_view kind, std::string data) {
         running->events().publish(kind, std::move(data));
       }});
  const bool is_secure = !options.host.tls_certificate.empty();
  systems::Application::Parts parts{.name = "tavola-text-analyzer",
                                    .design = **design,
                                    .assets = http::embedded_assets(),
                                    .settings = {{"maxSize", std::to_string(options.rules.size_bytes_max)},
                                                 {"types", joined(options.rules.types)}},
                                    .guests = systems::Guests::MayRead,
                                    .connects_to = origin_of(options.s3)};
  if (bucket->own != nullptr) parts.mount = bucket->own->mount();
  parts.routes = {announce_page({.files = *files,
                                 .bucket = *bucket->bucket,
                                 .announcements = announcements,
                                 .rules = options.rules,
                                 .scheme = is_secure ? "https" : "http",
                                 .announced = [&live](const File& file) { live.watch(file); }})};
  systems::Application application(std::move(parts));
  running = &application;
  WorkMetrics metrics(application.metrics());
  const bool is_alone = options.host.endpoint.empty() && options.s3.url.empty();
  Worker worker({.files = *files,
                 .bucket = *bucket->bucket,
                 .announcements = announcements,
                 .options = options.work,
                 .log = log,
                 .metrics = metrics,
                 .changed = [&live](const File& file) { live.changed(file); },
                 .alone_since = is_alone ? std::optional(start) : std::nullopt});
  if (bucket->own != nullptr) bucket->own->on_upload([&worker] { worker.wake(); });
  return systems::serve_until_stopped(application, options.host, "Text analyzer", signals, log);
}

}  // namespace tavola::text_analyzer
