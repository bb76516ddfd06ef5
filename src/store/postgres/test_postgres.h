// A server of PostgreSQL for tests: Debian's, with its data in memory (/dev/shm) and a Unix socket as its only door.
#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <pwd.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "store/store.h"

namespace tavola::store {

// Stopped at the end, and when the test dies. PostgreSQL refuses to run as root, so it runs as the user `nobody` then.
class PostgresServer {
 public:
  using Settings = std::vector<std::string>;

  // An own data directory; `standby_of`: a copy of that server, which follows it.
  explicit PostgresServer(const Settings& settings = {}, const PostgresServer* standby_of = nullptr) {
    std::string name =
        (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/tavola-pg-XXXXXX");
    TAVOLA_ASSERT(mkdtemp(name.data()) != nullptr);
    directory_ = name;
    if (const auto user = server_user()) TAVOLA_ASSERT(chown(name.c_str(), user->first, user->second) == 0);
    if (standby_of == nullptr) {
      run({program("initdb"), "-D", data(), "-U", "tavola", "-A", "trust", "-E", "UTF8", "--locale=C",
           "--no-sync", "--no-instructions"});
    } else {
      run({program("pg_basebackup"), "-D", data(), "-h", standby_of->directory_, "-U", "tavola", "-R", "-X",
           "stream", "--no-sync", "-c", "fast", "-d", "application_name=standby"});
    }
    settings_ = settings;
    start();
  }
  ~PostgresServer() {
    stop(SIGQUIT);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  const std::string& directory() const { return directory_; }
  std::string url() const { return "postgresql:///postgres?user=tavola&host=" + directory_; }
  pid_t process() const { return process_; }

  void start() {
    std::vector<std::string> arguments{program("postgres"),
                                       "-D",
                                       data(),
                                       "-k",
                                       directory_,
                                       "-c",
                                       "listen_addresses=",
                                       "-c",
                                       "fsync=off",
                                       "-c",
                                       "max_connections=200",
                                       "-c",
                                       "shared_buffers=64MB",
                                       "-c",
                                       "logging_collector=off",
                                       "-c",
                                       "autovacuum=off"};
    for (const std::string& setting : settings_) arguments.insert(arguments.end(), {"-c", setting});
    process_ = spawn(arguments);
    wait_until_ready();
  }
  // SIGQUIT stops at once, SIGKILL is a crash.
  void stop(int signal) {
    if (process_ <= 0) return;
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    // The other processes of a killed server end by themselves; the data must not be used before.
    if (signal == SIGKILL) {
      for (int i = 0; i < 500 && runs_something(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::error_code ignored;
      std::filesystem::remove(std::filesystem::path(data()) / "postmaster.pid", ignored);
    }
  }
  void promote() { run({program("pg_ctl"), "-D", data(), "promote", "-w", "-s"}); }

  // Runs SQL with psql.
  void sql(const std::string& text) {
    run({program("psql"), "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", directory_, "-U", "tavola", "-d",
         "postgres", "-c", text});
  }

 private:
  static std::optional<std::pair<uid_t, gid_t>> server_user() {
    if (geteuid() != 0) return std::nullopt;
    const passwd* user = getpwnam("nobody");
    TAVOLA_ASSERT(user != nullptr);
    return std::pair(user->pw_uid, user->pw_gid);
  }
  static std::string program(const std::string& name) {
    std::vector<std::filesystem::path> versions;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", missing))
      versions.push_back(entry.path());
    if (versions.empty()) {
      ADD_FAILURE() << "PostgreSQL is not installed; run `packaging/setup test`";
      std::abort();
    }
    return *std::ranges::max_element(versions) / "bin" / name;
  }
  std::string data() const { return directory_ + "/data"; }

  pid_t spawn(const std::vector<std::string>& arguments) const {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const auto user = server_user();
    const std::string log = directory_ + "/log";
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (std::freopen(log.c_str(), "a", stderr) == nullptr || dup2(2, 1) < 0) _exit(126);
    if (user && (setgid(user->second) != 0 || setuid(user->first) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGQUIT);  // changing the user took it back
    if (chdir("/") == 0) execv(argv.front(), argv.data());
    _exit(127);
  }
  void run(const std::vector<std::string>& arguments) const {
    const pid_t child = spawn(arguments);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << arguments.front() << "\n" << log();
  }
  std::string log() const {
    std::ifstream file(directory_ + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool runs_something() const {
    std::ifstream file(data() + "/postmaster.pid");
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(entry.path() / "cwd", gone) == data() && !gone) return true;
    }
    return false;
  }
  void wait_until_ready() {
    constexpr int kTries = 3000;
    for (int i = 0; i < kTries; ++i) {
      const pid_t child = spawn({program("pg_isready"), "-q", "-h", directory_});
      int status = 0;
      waitpid(child, &status, 0);
      if (status == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "PostgreSQL did not start\n" << log();
  }

  std::string directory_;
  Settings settings_;
  pid_t process_ = 0;
};

// One server for all tests of a program; each test has a schema of its own.
inline PostgresServer& shared_postgres() {
  static PostgresServer server;
  return server;
}

inline PostgresOptions new_postgres_schema() {
  static std::atomic<int> schemas = 0;
  return {.url = shared_postgres().url(), .schema = "test" + std::to_string(++schemas)};
}

inline std::unique_ptr<Store> open_postgres_or_die(const PostgresOptions& options) {
  auto store = open_postgres(options);
  if (!store) ADD_FAILURE() << store.error().message();
  TAVOLA_ASSERT(store.has_value());
  return std::move(*store);
}

}  // namespace tavola::store
