// MD5 of a text that arrives in pieces.
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
  // Returns the 16 bytes of everything added. Must be called last.
  std::string finish();

 private:
  struct Context;
  const std::unique_ptr<Context> context_;
};

}  // namespace tavola
