// The body of an upload that the client sends in chunks of its own, inside of HTTP's (Content-Encoding: aws-chunked): with a
// signature for each chunk, or with a checksum behind the last one.
//
//   5;chunk-signature=<64 hexadecimal digits>\r\n
//   hello\r\n
//   0;chunk-signature=<64 hexadecimal digits>\r\n
//   x-amz-checksum-crc32:<base64>\r\n
//   \r\n
//
// "Signature calculations: transferring payload in multiple chunks" of the S3 API reference.
// fuzz/objects_aws_chunked_fuzz.cc feeds it random bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/error.h>

namespace tavola::objects {

// Receives what a body consists of. A failure ends the reading.
class ChunkEvents {
 public:
  virtual ~ChunkEvents() = default;
  virtual Result<void> on_data(std::string_view piece) = 0;
  virtual Result<void> on_chunk_end(std::string_view signature) = 0;  // empty if it has none
  // A header behind the last chunk; x-amz-trailer-signature among them. The name is in lower case.
  virtual Result<void> on_trailer(std::string_view name, std::string_view value) = 0;
};

// Thread safety: none.
class AwsChunkedReader {
 public:
  // Fails as the events do, and with an error of S3 if the bytes have another form.
  Result<void> take(std::string_view bytes, ChunkEvents& events);
  // Returns whether the body has ended.
  bool is_complete() const { return state_ == State::Ended; }

 private:
  enum class State : std::uint8_t { Size, Data, DataEnd, Trailer, Ended };
  // Moves a line from `bytes` into line_. Returns whether it is complete.
  Result<bool> read_line(std::string_view& bytes);
  Result<void> begin_chunk(ChunkEvents& events);
  Result<void> read_trailer(ChunkEvents& events);

  State state_ = State::Size;
  std::uint64_t left_ = 0;  // of the chunk
  std::string line_;
  std::string signature_;
};

}  // namespace tavola::objects
