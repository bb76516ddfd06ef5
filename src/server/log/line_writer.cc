#include "server/log/line_writer.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/locks.h"

namespace tavola::server {

struct LineWriter::State {
  explicit State(Options said) : options(std::move(said)) {}

  void run();
  // The lines to write next; empty when there are no more and the writer ends.
  std::string next_lines();
  void write_all(std::string_view lines);
  bool is_abandoned();
  // Lets the thread write what is left. False when the reader took nothing for the whole patience.
  bool end();
  void drop(std::uint64_t lines) { dropped_total.fetch_add(lines, std::memory_order_relaxed); }

  const Options options;
  std::atomic<std::uint64_t> dropped_total = 0;
  std::atomic<std::uint64_t> written_bytes = 0;
  Mutex mutex;
  std::condition_variable_any changed;
  std::string waiting TAVOLA_GUARDED_BY(mutex);
  std::uint64_t dropped_behind TAVOLA_GUARDED_BY(mutex) = 0;  // lines that belong behind those waiting
  bool is_ending TAVOLA_GUARDED_BY(mutex) = false;
  bool is_done TAVOLA_GUARDED_BY(mutex) = false;
  bool gave_up TAVOLA_GUARDED_BY(mutex) = false;  // the reader takes nothing, and the writer has gone
};

namespace {

// A pipe that poll() calls writable takes so many bytes without blocking (POSIX, "write").
constexpr std::size_t kWriteBytesMax = PIPE_BUF;
constexpr std::chrono::milliseconds kPollPeriod(100);

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

bool LineWriter::State::is_abandoned() {
  const MutexLock lock(mutex);
  return gave_up;
}

std::string LineWriter::State::next_lines() {
  const MutexLock lock(mutex);
  while (waiting.empty() && dropped_behind == 0 && !is_ending) changed.wait(mutex);
  std::string lines = std::exchange(waiting, {});
  if (const std::uint64_t count = std::exchange(dropped_behind, 0); count > 0)
    lines += options.dropped_line(count);
  return lines;
}

void LineWriter::State::write_all(std::string_view lines) {
  while (!lines.empty()) {
    pollfd writable{.fd = options.descriptor, .events = POLLOUT, .revents = 0};
    const bool is_writable = ::poll(&writable, 1, static_cast<int>(kPollPeriod.count())) > 0;
    if (is_abandoned()) return drop(lines_in(lines));
    if (!is_writable) continue;
    const ssize_t written = ::write(options.descriptor, lines.data(), std::min(lines.size(), kWriteBytesMax));
    if (written >= 0) {
      lines.remove_prefix(static_cast<std::size_t>(written));
      written_bytes.fetch_add(static_cast<std::uint64_t>(written), std::memory_order_relaxed);
    } else if (errno != EINTR && errno != EAGAIN) {
      return drop(lines_in(lines));  // the reader has gone
    }
  }
}

void LineWriter::State::run() {
  for (std::string lines = next_lines(); !lines.empty(); lines = next_lines()) write_all(lines);
  const MutexLock lock(mutex);
  is_done = true;
  changed.notify_all();
}

bool LineWriter::State::end() {
  const MutexLock lock(mutex);
  is_ending = true;
  changed.notify_all();
  std::uint64_t seen = written_bytes.load();
  while (!is_done) {
    if (changed.wait_for(mutex, options.patience) == std::cv_status::no_timeout) continue;
    if (written_bytes.load() == seen) break;
    seen = written_bytes.load();
  }
  gave_up = !is_done;
  return is_done;
}

LineWriter::LineWriter(Options options)
    : state_(std::make_shared<State>(std::move(options))), thread_([state = state_] { state->run(); }) {}

void LineWriter::finish() {
  if (!thread_.joinable()) return;
  state_->end() ? thread_.join() : thread_.detach();
}

void LineWriter::write(std::string_view line) {
  State& state = *state_;
  const MutexLock lock(state.mutex);
  // Once a line is missing, its followers are dropped, too, until a line with their count is written.
  if (state.dropped_behind > 0 || state.waiting.size() + line.size() > state.options.buffer_bytes) {
    ++state.dropped_behind;
    state.drop(1);
    return;
  }
  state.waiting += line;
  state.changed.notify_all();
}

std::uint64_t LineWriter::dropped() const { return state_->dropped_total.load(std::memory_order_relaxed); }

}  // namespace tavola::server
