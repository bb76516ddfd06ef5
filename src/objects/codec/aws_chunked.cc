#include "objects/codec/aws_chunked.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "objects/codec/s3_error.h"

namespace tavola::objects {
namespace {

constexpr std::size_t kChunkLineBytesMax = 4096;
constexpr std::string_view kSignatureName = "chunk-signature=";

Error bad_chunks() {
  return invalid_request("The body is not in the form that Content-Encoding: aws-chunked has.");
}

}  // namespace

Result<bool> AwsChunkedReader::read_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t size = std::min(end, bytes.size());
  if (line_.size() + size > kChunkLineBytesMax) return fail(bad_chunks());
  line_ += bytes.substr(0, size);
  bytes.remove_prefix(std::min(size + 1, bytes.size()));
  if (end == std::string_view::npos) return false;
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

Result<void> AwsChunkedReader::begin_chunk(ChunkEvents& events) {
  const std::string_view line = line_;
  const std::string_view digits = line.substr(0, line.find(';'));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return fail(bad_chunks());
  signature_.clear();
  for_each_part(line, ';', [&](std::string_view part) {
    if (part.starts_with(kSignatureName)) signature_ = part.substr(kSignatureName.size());
  });
  line_.clear();
  state_ = State::Data;
  if (left_ > 0) return {};
  state_ = State::Trailer;
  return events.on_chunk_end(signature_);
}

Result<void> AwsChunkedReader::read_trailer(ChunkEvents& events) {
  const std::string line = std::exchange(line_, {});
  if (line.empty()) {
    state_ = State::Ended;
    return {};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return fail(bad_chunks());
  return events.on_trailer(lower_case(line.substr(0, colon)),
                           trimmed(std::string_view(line).substr(colon + 1)));
}

Result<void> AwsChunkedReader::take(std::string_view bytes, ChunkEvents& events) {
  while (!bytes.empty()) {
    if (state_ == State::Ended) return fail(bad_chunks());
    if (state_ == State::Data) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      TAVOLA_CHECK(events.on_data(bytes.substr(0, size)));
      bytes.remove_prefix(size);
      left_ -= size;
      if (left_ > 0) continue;
      TAVOLA_CHECK(events.on_chunk_end(signature_));
      state_ = State::DataEnd;
      continue;
    }
    TAVOLA_TRY(const bool is_whole, read_line(bytes));
    if (!is_whole) return {};
    if (state_ == State::DataEnd) {
      if (!line_.empty()) return fail(bad_chunks());
      state_ = State::Size;
    } else if (state_ == State::Size) {
      TAVOLA_CHECK(begin_chunk(events));
    } else {
      TAVOLA_CHECK(read_trailer(events));
    }
  }
  return {};
}

}  // namespace tavola::objects
