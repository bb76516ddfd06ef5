// Received bytes that are not yet consumed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace tavola::http {

class ReadBuffer {
 public:
  explicit ReadBuffer(std::size_t bytes_max) : bytes_max_(std::max(bytes_max, kFirstBytes)) {}

  std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  void consume(std::size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  void clear() { begin_ = end_ = 0; }

  // Returns memory to read into, `wanted` bytes or more if allowed; empty if the buffer is full. Invalidates bytes().
  std::span<char> room(std::size_t wanted = 0) {
    wanted = std::max(wanted, kRoomBytes);
    if (empty() && capacity_ > std::max(wanted, kFirstBytes)) shrink();
    if (capacity_ - end_ < wanted && begin_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (capacity_ - end_ < wanted && capacity_ < bytes_max_) grow(end_ + wanted);
    return {data_.get() + end_, capacity_ - end_};
  }
  // Must be called after `count` bytes were written to room().
  void grew(std::size_t count) { end_ += count; }

 private:
  static constexpr std::size_t kFirstBytes = std::size_t{8} * 1024;  // of every idle connection
  static constexpr std::size_t kRoomBytes = std::size_t{2} * 1024;

  void grow(std::size_t wanted) {
    const std::size_t capacity = std::min(bytes_max_, std::max({capacity_ * 2, kFirstBytes, wanted}));
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(larger.get(), data_.get(), end_);
    data_ = std::move(larger);
    capacity_ = capacity;
  }
  void shrink() {
    data_.reset();
    capacity_ = 0;
  }

  std::size_t bytes_max_;
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace tavola::http
