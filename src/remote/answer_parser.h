// Reads the bytes of one HTTP answer.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <tavola/error.h>

#include "remote/http_client.h"

namespace tavola::remote {

class AnswerParser {
 public:
  // `has_body`: false for an answer to HEAD. `bytes_max` as in HttpOptions.
  AnswerParser(bool has_body, std::size_t bytes_max);
  AnswerParser(const AnswerParser&) = delete;
  AnswerParser& operator=(const AnswerParser&) = delete;
  ~AnswerParser();

  // Takes the next bytes; none: the server closed the connection. Fails with Io if this is not HTTP, or ends too early.
  Result<void> take(std::string_view bytes);

  bool is_begun() const;
  bool is_complete() const;
  // Returns whether the connection may be used again.
  bool keeps_connection() const;
  HttpAnswer& answer();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tavola::remote
