#include "transfer/formats/text_buffer.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kTextPieceBytes = std::size_t{256} * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // written by some programs at the beginning

}  // namespace

Result<bool> TextBuffer::more() {
  if (is_at_end_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  do {
    const std::size_t had = buffer_.size();
    buffer_.resize(had + kTextPieceBytes);
    Result<std::size_t> got = source_->read(std::span(buffer_).subspan(had));
    buffer_.resize(had + (got ? *got : 0));
    if (!got) return fail(std::move(got).error());
    is_at_end_ = *got == 0;
  } while (!is_begun_ && !is_at_end_ && buffer_.size() < kByteOrderMark.size());
  if (!is_begun_ && buffer_.starts_with(kByteOrderMark)) take(kByteOrderMark.size());
  is_begun_ = true;
  return !is_at_end_;
}

}  // namespace tavola::transfer
