// Writes lines to a descriptor on a thread of its own, so that nobody waits for the reader: a pipe may be full because
// nobody reads it, and a terminal may be stopped.
//
//   LineWriter writer({.descriptor = STDERR_FILENO});
//   writer.write("listening\n");
//
// Lines that find the buffer full are dropped and counted. Where they are missing, a line says how many, as soon as the
// reader takes something again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace tavola::server {

// Thread safety: all methods.
class LineWriter {
 public:
  struct Options {
    int descriptor;  // stays open; its flags are not changed, because other processes may share it
    std::size_t buffer_bytes = std::size_t{1} << 20;
    std::function<std::string(std::uint64_t)> dropped_line = [](std::uint64_t count) {
      return std::to_string(count) + " lines dropped\n";
    };
    std::chrono::milliseconds patience =
        std::chrono::seconds(1);  // with a reader who takes nothing, at the end
  };
  explicit LineWriter(Options options);
  ~LineWriter() { finish(); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Writes what is left, as long as the reader takes it. Lines that come later are lost. Not to be called by two threads at once.
  void finish();

  // `line` ends with its line end. Never waits for the reader.
  void write(std::string_view line);
  std::uint64_t dropped() const;

 private:
  struct State;

  const std::shared_ptr<State> state_;  // the thread's, too: a write that blocks may outlive the writer
  std::thread thread_;
};

}  // namespace tavola::server
