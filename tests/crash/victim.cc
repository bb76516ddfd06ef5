#include "tests/crash/victim.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by the program

namespace tavola::crash {

namespace {

using Steady = std::chrono::steady_clock;

// A writer without output for so long hangs; far above what the slowest sanitizer needs to open a database.
constexpr std::chrono::seconds kPatience{120};

struct Pipe {
  int reader = -1;
  int writer = -1;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  fcntl(ends[1], F_SETFD, 0);  // the child inherits the writing end
  return Pipe{.reader = ends[0], .writer = ends[1]};
}

std::optional<pid_t> spawn(const WriterOptions& options) {
  std::vector<std::string> arguments = to_arguments(options);
  arguments.insert(arguments.begin(), "crash_test");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) != 0) return std::nullopt;
  return pid;
}

// Splits the output of the pipe into lines.
class LineReader {
 public:
  LineReader(int fd, const std::function<void(std::string_view)>& line) : fd_(fd), line_(line) {}

  bool any() const { return any_; }

  // Waits for bytes at most until `until`. Returns false at the end of the pipe.
  bool read_until(Steady::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    pollfd poll_fd{.fd = fd_, .events = POLLIN, .revents = 0};
    const int ready = poll(&poll_fd, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return true;
    return read_some();
  }

  bool read_some() {
    std::array<char, 65536> bytes{};
    const ssize_t got = read(fd_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    rest_.append(bytes.data(), static_cast<std::size_t>(got));
    std::size_t from = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
      line_(std::string_view(rest_).substr(from, end - from));
      from = end + 1;
      any_ = true;
    }
    rest_.erase(0, from);
    return true;
  }

 private:
  int fd_;
  const std::function<void(std::string_view)>& line_;
  std::string rest_;
  bool any_ = false;
};

End end_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {.killed = true};
  if (WIFSIGNALED(status)) return {.problem = std::string("died of ") + strsignal(WTERMSIG(status))};
  return {.problem = "ended by itself with status " + std::to_string(WEXITSTATUS(status))};
}

}  // namespace

End run_and_kill(WriterOptions options, const Moment& moment,
                 const std::function<void(std::string_view)>& line) {
  const auto pipe = make_pipe();
  if (!pipe) return {.problem = "no pipe"};
  options.journal_fd = pipe->writer;
  const auto pid = spawn(options);
  close(pipe->writer);
  if (!pid) {
    close(pipe->reader);
    return {.problem = "cannot start a process"};
  }
  LineReader reader(pipe->reader, line);
  const auto start = Steady::now();
  bool alive = true;
  bool silent = false;
  if (moment.since == Moment::Since::FirstLine) {
    while (alive && !reader.any() && !silent) {
      alive = reader.read_until(start + kPatience);
      silent = !reader.any() && Steady::now() >= start + kPatience;
    }
  }
  const auto deadline = (moment.since == Moment::Since::Start ? start : Steady::now()) + moment.delay;
  while (alive && Steady::now() < deadline) alive = reader.read_until(deadline);
  kill(*pid, SIGKILL);
  while (reader.read_some()) {
  }
  close(pipe->reader);
  End end = end_of(*pid);
  if (silent) return {.problem = "wrote nothing for " + std::to_string(kPatience.count()) + " s"};
  return end;
}

}  // namespace tavola::crash
