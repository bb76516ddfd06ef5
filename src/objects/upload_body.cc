#include "objects/upload_body.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "objects/codec/s3_error.h"

namespace tavola::objects {
namespace {

constexpr std::string_view kStreaming = "STREAMING-";
constexpr std::string_view kSignedTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
constexpr std::string_view kSignedPieces = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
constexpr std::string_view kUnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

std::optional<std::uint64_t> length_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Error piece_mismatch() {
  return s3_error(
      "SignatureDoesNotMatch", 403,
      "The request signature we calculated does not match the signature you provided. Check your key "
      "and signing method.");
}

}  // namespace

UploadBody::UploadBody(const http::Request& head, Result<Draft> draft,
                       std::optional<access::PieceSignatures> pieces)
    : pieces_(std::move(pieces)) {
  if (!draft) {
    error_ = draft.error();
    return;
  }
  draft_.emplace(*std::move(draft));
  if (Result<void> read = read_head(head); !read) error_ = read.error();
}

Result<void> UploadBody::read_head(const http::Request& head) {
  const std::string_view payload = head.header("x-amz-content-sha256");
  is_chunked_ = payload.starts_with(kStreaming);
  if (is_chunked_) {
    if (payload != kSignedTrailer && payload != kSignedPieces && payload != kUnsignedTrailer)
      return fail(
          invalid_request("The value of x-amz-content-sha256 is not supported: " + std::string(payload)));
    has_signed_trailer_ = payload == kSignedTrailer;
    if (payload == kUnsignedTrailer) pieces_.reset();
    if (pieces_) chunk_sha256_ = begin_sha256();
    length_ = length_in(head.header("x-amz-decoded-content-length"));
    if (!length_) return fail(missing_length());
  } else if (!payload.empty() && payload != "UNSIGNED-PAYLOAD") {
    claimed_sha256_ = lower_case(payload);
    payload_sha256_ = begin_sha256();
  }
  if (!is_chunked_) length_ = length_in(head.header("content-length"));
  if (length_.value_or(0) > kUploadBytesMax) return fail(entity_too_large());
  if (const std::string_view text = head.header("content-md5"); !text.empty()) {
    const std::optional<std::string> digest = from_base64(text);
    if (!digest || digest->size() != 16) return fail(invalid_digest());
    claimed_md5_ = *digest;
  }
  for (const http::Header& header : head.headers)
    if (const auto checksum = checksum_of_header(header.name)) expect(*checksum, header.value);
  for_each_part(head.header("x-amz-trailer"), ',', [&](std::string_view name) {
    if (const auto checksum = checksum_of_header(trimmed(name))) {
      expect(*checksum, {});
      announced_.push_back(*checksum);
    }
  });
  const auto algorithm = checksum_of_algorithm(head.header("x-amz-sdk-checksum-algorithm"));
  if (algorithm && expected_.empty()) expect(*algorithm, {});
  return {};
}

void UploadBody::expect(Checksum checksum, std::string_view value) {
  expected_.push_back({.checksum = checksum, .running = begin(checksum), .value = std::string(value)});
}

bool UploadBody::take(std::string_view piece) {
  if (error_) return false;
  const Result<void> taken = is_chunked_ ? chunks_.take(piece, *this) : add(piece);
  if (!taken) error_ = taken.error();
  return taken.has_value();
}

Result<void> UploadBody::add(std::string_view piece) {
  size_bytes_ += piece.size();
  if (size_bytes_ > length_.value_or(kUploadBytesMax))
    return fail(length_ ? incomplete_body() : entity_too_large());
  md5_->add(piece);
  if (payload_sha256_) payload_sha256_->add(piece);
  for (const Expected& one : expected_) one.running->add(piece);
  return draft_->write(piece);
}

Result<void> UploadBody::on_data(std::string_view piece) {
  if (chunk_sha256_) chunk_sha256_->add(piece);
  return add(piece);
}

Result<void> UploadBody::on_chunk_end(std::string_view signature) {
  if (!pieces_) return {};
  const std::string digest = std::exchange(chunk_sha256_, begin_sha256())->finish();
  if (!pieces_->matches_piece(digest, signature)) return fail(piece_mismatch());
  return {};
}

Result<void> UploadBody::on_trailer(std::string_view name, std::string_view value) {
  if (name == "x-amz-trailer-signature") {
    if (pieces_ && !pieces_->matches_trailer(sha256({trailer_}), value)) return fail(piece_mismatch());
    is_trailer_verified_ = true;
    return {};
  }
  trailer_.append(name).append(":").append(value).append("\n");
  const auto checksum = checksum_of_header(name);
  if (!checksum) return {};
  std::erase(announced_, *checksum);
  for (Expected& one : expected_)
    if (one.checksum == *checksum) one.value = value;
  return {};
}

Result<void> UploadBody::check_lengths() const {
  if (is_chunked_ && !chunks_.is_complete()) return fail(incomplete_body());
  if (length_ && *length_ != size_bytes_) return fail(incomplete_body());
  if (!announced_.empty()) {
    return fail(
        s3_error("MalformedTrailerError", 400,
                 "The request contained trailing data that was not well-formed or did not conform to our "
                 "published schema."));
  }
  if (has_signed_trailer_ && pieces_ && !is_trailer_verified_) return fail(piece_mismatch());
  return {};
}

Result<UploadBody::Received> UploadBody::finish() {
  if (error_) return fail(*error_);
  TAVOLA_CHECK(check_lengths());
  std::string digest = md5_->finish();
  if (!claimed_md5_.empty() && claimed_md5_ != digest) return fail(bad_digest("Content-MD5"));
  if (payload_sha256_ && to_hex(payload_sha256_->finish()) != claimed_sha256_) {
    return fail(content_sha256_mismatch());
  }
  Pairs checksums;
  for (const Expected& one : expected_) {
    std::string value = to_base64(one.running->finish());
    if (!one.value.empty() && one.value != value) return fail(bad_digest(algorithm_of(one.checksum)));
    checksums.emplace_back(algorithm_of(one.checksum), std::move(value));
  }
  return Received{.draft = std::move(*std::exchange(draft_, std::nullopt)),
                  .md5 = std::move(digest),
                  .checksums = std::move(checksums),
                  .size_bytes = size_bytes_};
}

}  // namespace tavola::objects
