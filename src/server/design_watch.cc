#include "server/design_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "server/designs.h"

namespace tavola::server {
namespace {

// An editor needs several steps to save a file.
constexpr int kQuietMilliseconds = 50;
constexpr int kQuietRoundsMax = 20;

std::filesystem::path folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

Error no_watch(const std::string& what) {
  return {ErrorCode::Io, "--watch: " + what + ": " + std::strerror(errno)};
}

void drain(int descriptor) {
  std::array<char, 4096> buffer{};
  while (::read(descriptor, buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

DesignWatch::DesignWatch(Parts parts) : parts_(std::move(parts)) {
  const DesignList served = parts_.served.designs();
  for (const design::Design& design : *served) applied_[design.file] = design.text;
}

Result<std::unique_ptr<DesignWatch>> DesignWatch::start(Parts parts) {
  std::unique_ptr<DesignWatch> watch(new DesignWatch(std::move(parts)));
  TAVOLA_CHECK(watch->open());
  watch->thread_ = std::jthread([&self = *watch] { self.work(); });
  return watch;
}

DesignWatch::~DesignWatch() {
  const std::uint64_t one = 1;
  if (end_ >= 0) static_cast<void>(!::write(end_, &one, sizeof one));
  if (thread_.joinable()) thread_.join();
  if (events_ >= 0) ::close(events_);
  if (end_ >= 0) ::close(end_);
}

Result<void> DesignWatch::open() {
  events_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  end_ = ::eventfd(0, EFD_CLOEXEC);
  if (events_ < 0 || end_ < 0) return fail(no_watch("files cannot be watched"));
  std::set<std::filesystem::path> folders;
  for (const std::string& file : parts_.files) folders.insert(folder_of(file));
  for (const std::filesystem::path& folder : folders) {
    if (::inotify_add_watch(events_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) < 0)
      return fail(no_watch(folder.string() + " cannot be watched"));
  }
  return {};
}

void DesignWatch::work() {
  look();  // a file may have changed before its folder was watched
  for (;;) {
    std::array<pollfd, 2> waits{{{end_, POLLIN, 0}, {events_, POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    if (waits[1].revents == 0) continue;
    for (int round = 0; round < kQuietRoundsMax; ++round) {
      drain(events_);
      if (::poll(waits.data(), waits.size(), kQuietMilliseconds) == 0) break;
      if (waits[0].revents != 0) return;
    }
    look();
  }
}

void DesignWatch::look() {
  std::vector<design::Design> designs;
  std::string wrong;
  const auto note = [&](const Result<void>& done) {
    if (!done) wrong += done.error().message() + (done.error().message().ends_with('\n') ? "" : "\n");
    return done.has_value();
  };
  for (const std::string& file : parts_.files)
    note(add_design(file, designs));  // one that is wrong stops no other
  for (const design::Design& design : designs) {
    std::string& applied = applied_[design.file];
    if (applied != design.text && note(parts_.changes.start(design, {}))) applied = design.text;
  }
  if (!wrong.empty() && wrong != reported_) {
    parts_.log.error("a changed design is not used; the one before it stays");
    parts_.log.say(wrong);
  }
  reported_ = std::move(wrong);
}

}  // namespace tavola::server
