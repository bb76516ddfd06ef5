// The body of an upload: written to the disk as it arrives, with its checksums, so that no upload is held in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

#include "access/identity/signature.h"
#include "http/message.h"
#include "objects/codec/aws_chunked.h"
#include "objects/codec/checksums.h"
#include "objects/storage/object_store.h"

namespace tavola::objects {

// The largest object of one PUT, and the largest part of a multipart upload.
inline constexpr std::uint64_t kUploadBytesMax = std::uint64_t{5} << 30U;

// Thread safety: one thread at a time.
class UploadBody final : public http::BodySink, private ChunkEvents {
 public:
  // A draft that could not be created is an error of finish(). `pieces` verifies the signatures of chunks; none are verified
  // without it.
  UploadBody(const http::Request& head, Result<Draft> draft, std::optional<access::PieceSignatures> pieces);

  // Called by the server; false after the first error.
  bool take(std::string_view piece) override;

  struct Received {
    Draft draft;
    std::string md5;    // 16 bytes
    Pairs checksums{};  // by algorithm, in base64
    std::uint64_t size_bytes = 0;
  };
  // Checks the body against everything that the client said about it. Must be called once, at the end.
  Result<Received> finish();

 private:
  struct Expected {
    Checksum checksum;
    std::unique_ptr<RunningChecksum> running;
    std::string value;  // in base64; empty: computed only
  };
  Result<void> read_head(const http::Request& head);
  void expect(Checksum checksum, std::string_view value);
  Result<void> add(std::string_view piece);
  Result<void> on_data(std::string_view piece) override;
  Result<void> on_chunk_end(std::string_view signature) override;
  Result<void> on_trailer(std::string_view name, std::string_view value) override;
  Result<void> check_lengths() const;

  std::optional<Draft> draft_;
  std::optional<Error> error_;
  std::optional<access::PieceSignatures> pieces_;
  bool is_chunked_ = false;
  bool has_signed_trailer_ = false;
  AwsChunkedReader chunks_;
  std::unique_ptr<RunningChecksum> chunk_sha256_;  // of the chunk that is read, if chunks are verified
  std::string trailer_;  // the headers behind the chunks, as their signature covers them
  bool is_trailer_verified_ = false;
  std::unique_ptr<RunningChecksum> md5_ = begin_md5();
  std::unique_ptr<RunningChecksum> payload_sha256_;  // null: the client did not claim any
  std::string claimed_sha256_;
  std::string claimed_md5_;
  std::vector<Expected> expected_;
  std::vector<Checksum> announced_;  // in the header x-amz-trailer, and still to come
  std::optional<std::uint64_t> length_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace tavola::objects
