// MD5 of a text that comes in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tavola {

class RunningMd5 {
 public:
  RunningMd5();
  ~RunningMd5();
  RunningMd5(const RunningMd5&) = delete;
  RunningMd5& operator=(const RunningMd5&) = delete;

  void add(std::string_view piece);
  // 16 bytes, of all that was added. Nothing is added after it.
  std::string finish();

 private:
  struct Context;
  const std::unique_ptr<Context> context_;
};

}  // namespace tavola
