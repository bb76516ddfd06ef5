#include "systems/text-analyzer/backend/announce.h"

#include <charconv>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/random.h"
#include "base/utf8.h"
#include "http/pages/page_answers.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/v1/problem.h"
#include "systems/text-analyzer/bucket/keys.h"

namespace tavola::text_analyzer {
namespace {

using http::Response;
using text_analyzer_history::PresignRefusal;
using text_analyzer_history::refusal;
using text_analyzer_history::RepresignRefusal;

constexpr std::size_t kOwnerBytesMax = 128;  // as the design says
constexpr std::size_t kFingerprintBytesMax = 256;
constexpr int kTriesMax = 3;
constexpr int kConflict = 409;

struct Asked {
  std::string owner_id;
  std::string name;
  std::uint64_t size_bytes = 0;
  std::string fingerprint;  // empty: none
  std::string file_id;      // of a file that is there; empty: none
};

// A file, or the answer to a request that gets none.
using FoundFile = std::expected<File, Response>;

Response not_understood() {
  return server::problem_answer(
      400,
      R"(send {"ownerId": …, "name": …, "size": bytes, "fingerprint": …}; the fingerprint may be left out)");
}

std::expected<Asked, Response> read_asked(std::string_view body) {
  const auto json = json::parse(body);
  if (!json || !json->is_object()) return std::unexpected(not_understood());
  Asked asked{.owner_id = json->text_at("ownerId"),
              .name = json->text_at("name"),
              .fingerprint = json->text_at("fingerprint"),
              .file_id = json->text_at("fileId")};
  const std::string size = json->text_at("size");
  const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), asked.size_bytes);
  const bool is_size = problem == std::errc() && end == size.data() + size.size();
  const bool is_owner = !asked.owner_id.empty() && asked.owner_id.size() <= kOwnerBytesMax &&
                        !asked.owner_id.contains('#') && is_utf8(asked.owner_id);
  if (!is_size || !is_owner || asked.fingerprint.size() > kFingerprintBytesMax || !is_utf8(asked.name))
    return std::unexpected(not_understood());
  return asked;
}

class Announcer {
 public:
  explicit Announcer(AnnounceParts parts) : parts_(std::move(parts)) {}

  Response answer(const http::Request& request) const {
    const auto asked = read_asked(request.body);
    if (!asked) return asked.error();
    if (const auto refused = refuse(parts_.rules, {.name = asked->name, .size_bytes = asked->size_bytes}))
      return server::problem_answer(refused->status, refused->why);
    const FoundFile file = asked->file_id.empty() ? announced(*asked) : announced_again(*asked);
    if (!file) return file.error();
    if (parts_.announced) parts_.announced(*file);
    return answer_with(*file, *asked, request);
  }

 private:
  static Response failed(const Error& error) { return server::problem_answer(503, error.message()); }

  std::string new_key(const std::string& file_id) const {
    return upload_key(file_id, make_ulid(parts_.clock.now(), Random::system()));
  }

  FoundFile announced(const Asked& asked) const {
    const bool has_fingerprint = !asked.fingerprint.empty();
    // The design makes the same id of a fingerprint. The key of the upload needs it before.
    const std::string id = has_fingerprint ? to_hex(sha256({asked.owner_id, ":", asked.fingerprint}))
                                           : make_ulid(parts_.clock.now(), Random::system());
    for (int tries = 1;; ++tries) {
      const auto known = has_fingerprint ? parts_.files.getFile({.fileId = id}) : std::optional<File>();
      if (!known) return std::unexpected(failed(known.error()));
      if (!*known) {
        if (const auto noted = parts_.announcements.note(id); !noted)
          return std::unexpected(failed(noted.error()));
      }
      auto file = parts_.files.presign(
          {.ownerId = asked.owner_id,
           .fingerprint = has_fingerprint ? std::optional(asked.fingerprint) : std::nullopt,
           .newId = has_fingerprint ? std::nullopt : std::optional(id),
           .s3Bucket = parts_.bucket.name(),
           .s3Key = new_key(id),
           .originalFileName = asked.name});
      if (!file) return std::unexpected(failed(file.error()));
      if (!waits_in_vain(*file) || tries == kTriesMax) return renewed(*std::move(file), asked);
      // It would be removed while it is uploaded; begin anew.
      if (const auto gone = parts_.announcements.discard(file->fileId); !gone)
        return std::unexpected(failed(gone.error()));
    }
  }

  FoundFile announced_again(const Asked& asked) const {
    auto file = parts_.files.getFile({.fileId = asked.file_id});
    if (!file) return std::unexpected(failed(file.error()));
    if (!*file || (*file)->ownerId != asked.owner_id || waits_in_vain(**file))
      return std::unexpected(server::problem_answer(404, "There is no such file; announce it anew"));
    return renewed(**std::move(file), asked);
  }

  bool waits_in_vain(const File& file) const {
    return file.status == File::Status::PENDING && parts_.announcements.is_too_old(file);
  }

  // A file that failed gets a new key, so that nobody takes its old upload for the new one. One that waits keeps its key: two pages may
  // upload the same content, and either upload will do.
  FoundFile renewed(File file, const Asked& asked) const {
    const bool has_failed = file.status == File::Status::FAILED;
    const bool is_renamed = file.status == File::Status::PENDING && file.originalFileName != asked.name;
    if (!has_failed && !is_renamed) return file;
    auto renewed =
        parts_.files.represign({.fileId = file.fileId,
                                .s3Key = has_failed ? std::optional(new_key(file.fileId)) : std::nullopt,
                                .originalFileName = asked.name});
    if (renewed) return *std::move(renewed);
    if (!refusal<RepresignRefusal>(renewed.error())) return std::unexpected(failed(renewed.error()));
    // A worker has just taken it.
    auto now = parts_.files.getFile({.fileId = file.fileId});
    if (!now) return std::unexpected(failed(now.error()));
    if (!*now)
      return std::unexpected(server::problem_answer(kConflict, "The file was removed; announce it again"));
    return **std::move(now);
  }

  Response answer_with(const File& file, const Asked& asked, const http::Request& request) const {
    std::string body;
    json::Writer json(body);
    json.begin_object();
    json.name("fileId").text(file.fileId);
    json.name("status").text(to_text(file.status));
    const bool wants_upload = file.status == File::Status::PENDING || file.status == File::Status::FAILED;
    if (wants_upload) {
      const auto url =
          parts_.bucket.upload_url({.key = file.s3Key,
                                    .size_bytes = asked.size_bytes,
                                    .origin = parts_.scheme + "://" + std::string(request.header("host"))});
      if (!url) return failed(url.error());
      json.name("upload").begin_object();
      json.name("method").text("PUT");
      json.name("url").text(*url);
      json.name("expiresInSeconds").integer(kUploadLifetime.count());
      json.end_object();
    }
    json.end_object();
    return http::json_answer(std::move(body));
  }

  const AnnounceParts parts_;
};

}  // namespace

systems::Route announce_page(AnnounceParts parts) {
  const auto announcer = std::make_shared<const Announcer>(std::move(parts));
  return {.method = "POST",
          .path = "/files",
          .answer = [announcer](const systems::Visit& visit) { return announcer->answer(visit.request); },
          .access = systems::Access::Everybody};
}

}  // namespace tavola::text_analyzer
