// The parts of the server that need no server: its log, its share of the memory, which requests take long.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "server/log/line_writer.h"
#include "server/log/log.h"
#include "server/log/repeated_event.h"
#include "server/long_requests.h"
#include "server/memory_plan.h"
#include "server/upstream.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;

TEST(Log, LinesForPeopleAndForPrograms) {
  const WallTime time{std::chrono::milliseconds(1'700'000'000'125)};
  EXPECT_EQ(
      log_line(LogFormat::Text, time, LogLevel::Info, "listening", {{"url", "http://x"}, {"why", "a \"b\""}}),
      "2023-11-14T22:13:20.125Z info  listening url=http://x why=\"a \\\"b\\\"\"\n");
  EXPECT_EQ(
      log_line(LogFormat::Json, time, LogLevel::Error, "failed", {{"what", "x\n"}}),
      "{\"time\":\"2023-11-14T22:13:20.125Z\",\"level\":\"error\",\"event\":\"failed\",\"what\":\"x\\n\"}\n");
}

// ---- Memory ----

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr std::size_t kGigabyte = 1024 * kMegabyte;

TEST(MemoryPlan, GrowsWithWhatThereIs) {
  const MemoryPlan usual = plan_memory(std::nullopt, 24 * kGigabyte);
  EXPECT_EQ(usual.cache_bytes, 64 * kMegabyte);
  EXPECT_EQ(usual.write_buffer_bytes, 32 * kMegabyte);
  EXPECT_EQ(usual.request_bytes, 256 * kMegabyte);
  EXPECT_EQ(usual.body_bytes, 16 * kMegabyte);
  const MemoryPlan given = plan_memory(8 * kGigabyte, 24 * kGigabyte);
  EXPECT_EQ(given.cache_bytes, 2 * kGigabyte);
  // All of it together, with the buffers of a parser, stays below what a small container has.
  for (const std::size_t megabytes : {128U, 256U, 512U}) {
    const std::size_t all = megabytes * kMegabyte;
    const MemoryPlan small = plan_memory(std::nullopt, all);
    EXPECT_LT(small.cache_bytes + 2 * small.write_buffer_bytes + small.request_bytes / 2 +
                  std::size_t{14} * small.large_requests * small.body_bytes,
              all)
        << megabytes;
    EXPECT_GT(small.unverified_bytes / 2 * 7 / 8, small.body_bytes) << megabytes;  // one client can send it
    EXPECT_LT(small.unverified_bytes, small.request_bytes) << megabytes;
  }
}

TEST(MemoryPlan, SeesTheLimitsOfContainers) {
  const ScratchDirectory scratch;
  const std::filesystem::path& root = scratch.path();
  const auto write = [&root](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << "\n";
  };
  const std::size_t machine = available_memory(root);
  EXPECT_GT(machine, 64 * kMegabyte);
  write("proc/self/cgroup", "0::/tavola.slice/server");
  write("sys/fs/cgroup/tavola.slice/server/memory.max", "max");
  EXPECT_EQ(available_memory(root), machine);
  write("sys/fs/cgroup/tavola.slice/memory.max", std::to_string(48 * kMegabyte));
  EXPECT_EQ(available_memory(root), 48 * kMegabyte);
  write("sys/fs/cgroup/memory.max", std::to_string(40 * kMegabyte));  // as a container sees it
  EXPECT_EQ(available_memory(root), 40 * kMegabyte);
  write("proc/self/cgroup", "5:cpu,memory:/docker/abc\n1:name=systemd:/x");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(available_memory(root), machine);
  write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", std::to_string(32 * kMegabyte));
  EXPECT_EQ(available_memory(root), 32 * kMegabyte);
}

// ---- Which requests have threads of their own ----

bool is_long(std::string_view path, std::string_view target, std::string_view body = "{}") {
  const http::Header headers[] = {{"X-Amz-Target", target}};
  http::Request request;
  request.method = target.empty() ? "GET" : "POST";
  request.path = path;
  request.body = body;
  request.headers = headers;
  return may_take_long(request);
}

TEST(LongRequests, NoIoThreadRunsWhatCanTakeLong) {
  for (const char* path :
       {"/metrics", "/v1/", "/v1/Shop/listOrders", "/admin/faults", "/admin/migrations/T"}) {
    EXPECT_TRUE(is_long(path, "")) << path;
    EXPECT_TRUE(is_long(path, "DynamoDB_20120810.GetItem") || std::string_view(path) == "/metrics") << path;
  }
  for (const char* name : {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "CreateTable",
                           "UpdateTable", "DeleteTable", "CreateBackup", "ImportTable", "Unheard"}) {
    EXPECT_TRUE(is_long("/", "DynamoDB_20120810." + std::string(name))) << name;
  }
  for (const char* body :
       {R"({"FilterExpression":"a"})", R"({"ScanFilter":{}})", R"({"ProjectionExpression":"a"})",
        R"({"AttributesToGet":["a"]})", R"({"\u0046ilterExpression":"a"})"}) {
    EXPECT_TRUE(is_long("/", "DynamoDB_20120810.Scan", body)) << body;
    EXPECT_TRUE(is_long("/", "DynamoDB_20120810.Query", body)) << body;
  }
  EXPECT_TRUE(is_long("/", "DynamoDB_20120810.PutItem", std::string(100'000, ' ')));
}

TEST(LongRequests, IoThreadsRunWhatIsShort) {
  for (const char* path : {"/", "/health", "/health/live"}) EXPECT_FALSE(is_long(path, "")) << path;
  for (const char* name : {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem",
                           "TransactWriteItems"}) {
    EXPECT_FALSE(is_long("/", "DynamoDB_20120810." + std::string(name))) << name;
  }
}

// Roles look at every item of a page.
TEST(LongRequests, NoIoThreadReadsPagesWhereKeysStandForPeople) {
  const auto is_long_for_people = [](std::string_view target) {
    const http::Header headers[] = {{"X-Amz-Target", target}};
    http::Request request;
    request.method = "POST";
    request.path = "/";
    request.body = "{}";
    request.headers = headers;
    return may_take_long_for_people(request);
  };
  EXPECT_TRUE(is_long_for_people("DynamoDB_20120810.Query"));
  EXPECT_TRUE(is_long_for_people("DynamoDB_20120810.Scan"));
  EXPECT_FALSE(is_long_for_people("DynamoDB_20120810.GetItem"));
}

// A pipe of which both ends are known; what is written to it is read when the test wants.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Pipe() {
    close_write_end();
    ::close(ends_[0]);
  }
  int write_end() const { return ends_[1]; }
  void close_write_end() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  // Writes until the pipe is full; returns how many bytes that were.
  std::size_t fill() const {
    const int flags = ::fcntl(ends_[1], F_GETFL);
    ::fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
    std::size_t bytes = 0;
    while (::write(ends_[1], "-", 1) == 1) ++bytes;
    ::fcntl(ends_[1], F_SETFL, flags);
    return bytes;
  }
  // So many bytes, or all until the end.
  std::string read(std::size_t bytes_max = std::string::npos) const {
    std::string text;
    char byte = 0;
    while (text.size() < bytes_max && ::read(ends_[0], &byte, 1) == 1) text += byte;
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(Upstream, OnlyIndexesOfAmazonAreLate) {
  for (const char* address : {"aws", "aws:eu-central-1", "https://dynamodb.eu-central-1.amazonaws.com"})
    EXPECT_GT(index_lag_of(remote::from_environment(address)).count(), 0) << address;
  for (const char* address : {"http://127.0.0.1:8000", "http://localhost/.amazonaws.com"})
    EXPECT_EQ(index_lag_of(remote::from_environment(address)).count(), 0) << address;
}

TEST(RepeatedEvent, IsLoggedOnceAPeriodWithACount) {
  Pipe pipe;
  const int errors = ::dup(STDERR_FILENO);
  ::dup2(pipe.write_end(), STDERR_FILENO);
  std::vector<std::function<void()>> tasks;
  {
    Log log(LogFormat::Text);
    RepeatedEvent event(log, LogLevel::Error, "request failed",
                        [&](std::chrono::milliseconds, auto task) { tasks.push_back(std::move(task)); });
    for (int i = 0; i < 1000; ++i) event.happened({{"n", i % 2 == 0 ? "even" : "odd"}});
    ASSERT_EQ(tasks.size(), 1U);
    tasks.front()();
    for (int i = 0; i < 20; ++i) event.happened({{"n", std::to_string(i)}});
    ASSERT_EQ(tasks.size(), 2U);
    tasks.back()();
  }
  ::dup2(errors, STDERR_FILENO);
  ::close(errors);
  pipe.close_write_end();
  const std::string text = pipe.read();
  EXPECT_THAT(text, testing::MatchesRegex(".* request failed n=even\n.* request failed n=odd times=500\n"
                                          ".* request failed n=even times=499\n(.* request failed n=[0-7]\n)+"
                                          ".* request failed others=12\n"));
}

// Lines are missing only where a line says how many, whenever the writer's thread had its turn.
TEST(LineWriter, DropsWhatNobodyReadsAndTellsHowMuch) {
  constexpr int kLines = 500;
  Pipe pipe;
  const std::size_t filled = pipe.fill();
  {
    LineWriter writer({.descriptor = pipe.write_end(), .buffer_bytes = 100});
    for (int i = 0; i < kLines; ++i) writer.write("line " + std::to_string(i) + "\n");
    EXPECT_GT(writer.dropped(), 400U);
    EXPECT_EQ(pipe.read(filled), std::string(filled, '-'));
  }
  pipe.close_write_end();
  std::istringstream lines(pipe.read());
  int next = 0;
  for (std::string line; std::getline(lines, line);) {
    int dropped = 0;
    if (line == "line " + std::to_string(next)) {
      ++next;
    } else {
      ASSERT_EQ(std::sscanf(line.c_str(), "%d lines dropped", &dropped), 1) << line;
      next += dropped;
    }
  }
  EXPECT_EQ(next, kLines);
}

TEST(LineWriter, EndsAlthoughNobodyReads) {
  Pipe pipe;
  const std::size_t filled = pipe.fill();
  LineWriter({.descriptor = pipe.write_end(), .patience = std::chrono::milliseconds(1)})
      .write("never read\n");
  EXPECT_EQ(pipe.read(filled), std::string(filled, '-'));
}

TEST(LineWriter, WritesAllToWhoReadsSlowly) {
  Pipe pipe;
  std::string all;
  std::thread reader([&] { all = pipe.read(); });
  {
    LineWriter writer({.descriptor = pipe.write_end()});
    for (int i = 0; i < 1000; ++i) writer.write(std::to_string(i) + std::string(500, '.') + "\n");
    EXPECT_EQ(writer.dropped(), 0U);
  }
  pipe.close_write_end();
  reader.join();
  EXPECT_EQ(std::ranges::count(all, '\n'), 1000);
  EXPECT_TRUE(all.starts_with("0.") && all.contains("\n999."));
}

}  // namespace
}  // namespace tavola::server
