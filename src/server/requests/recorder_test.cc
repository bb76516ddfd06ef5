#include "server/requests/recorder.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tavola::server {
namespace {

void record_put(RequestRecorder& recorder, const std::string& body, int status = 200) {
  recorder.record({.operation = "PutItem", .status = status}, {.body = body, .sender = "key"});
}

TEST(RequestRecorder, RecordsNothingBeforeSomebodyLooks) {
  RequestRecorder recorder;
  record_put(recorder, "{}");
  EXPECT_FALSE(recorder.is_recording());
  EXPECT_TRUE(recorder.read(0, 10).requests.empty());
  recorder.start();
  record_put(recorder, "{}");
  EXPECT_EQ(recorder.read(0, 10).requests.size(), 1U);
}

TEST(RequestRecorder, KeepsWhatARequestWas) {
  RequestRecorder recorder;
  recorder.start();
  recorder.record({.operation = "Query",
                   .duration = std::chrono::microseconds(7),
                   .status = 400,
                   .origin = Origin::Console,
                   .request_bytes = 11,
                   .answer_bytes = 22,
                   .scanned = 5,
                   .returned = 2,
                   .read_units = 0.5},
                  {.target = "t", .body = "bb", .sender = "sss", .error = "eeee", .refusal = "rrrrr"});
  const RecordedPage page = recorder.read(0, 10);
  ASSERT_EQ(page.requests.size(), 1U);
  const RecordedRequest& one = page.requests.front();
  EXPECT_EQ(one.facts.operation, "Query");
  EXPECT_EQ(one.facts.duration, std::chrono::microseconds(7));
  EXPECT_EQ(one.facts.origin, Origin::Console);
  EXPECT_EQ(one.facts.scanned, 5);
  EXPECT_EQ(one.facts.read_units, 0.5);
  EXPECT_EQ(one.texts().target, "t");
  EXPECT_EQ(one.texts().body, "bb");
  EXPECT_EQ(one.texts().sender, "sss");
  EXPECT_EQ(one.texts().error, "eeee");
  EXPECT_EQ(one.texts().refusal, "rrrrr");
  EXPECT_EQ(recorder.find(one.number)->texts().body, "bb");
  EXPECT_FALSE(recorder.find(one.number + 1));
}

TEST(RequestRecorder, GoesOnAfterANumber) {
  RequestRecorder recorder;
  recorder.start();
  record_put(recorder, "first");
  const std::uint64_t first = recorder.read(0, 10).last;
  EXPECT_TRUE(recorder.read(first, 10).requests.empty());
  record_put(recorder, "second");
  const RecordedPage page = recorder.read(first, 10);
  ASSERT_EQ(page.requests.size(), 1U);
  EXPECT_EQ(page.requests.front().texts().body, "second");
  EXPECT_EQ(page.last, first + 1);
  // The number of another server.
  EXPECT_EQ(recorder.read(first + 1'000'000, 10).requests.size(), 2U);
}

TEST(RequestRecorder, IsBoundedInRequests) {
  RequestRecorder recorder;
  recorder.start();
  const std::size_t count = 3 * RequestRecorder::kRequestsMax;
  for (std::size_t i = 0; i < count; ++i) record_put(recorder, std::to_string(i));
  const RecordedPage page = recorder.read(0, count);
  EXPECT_LE(page.requests.size(), RequestRecorder::kRequestsMax);
  EXPECT_GE(page.requests.size(), RequestRecorder::kRequestsMax / 4);
  EXPECT_EQ(page.requests.back().texts().body, std::to_string(count - 1));
  EXPECT_EQ(page.missed, count - page.requests.size());
  EXPECT_FALSE(recorder.find(page.requests.front().number - 1));
}

TEST(RequestRecorder, IsBoundedInBytes) {
  RequestRecorder recorder;
  recorder.start();
  const std::string body(RequestRecorder::kBodyBytesMax, 'x');
  for (std::size_t i = 0; i < 2'000; ++i) {
    record_put(recorder, body);
    record_put(recorder, "small");
  }
  std::size_t bytes = 0;
  for (const RecordedRequest& one : recorder.read(0, 10'000).requests)
    bytes += sizeof(one) + one.text_bytes();
  EXPECT_LE(bytes, RequestRecorder::kBytesMax);
  EXPECT_GE(bytes, RequestRecorder::kBytesMax / 16);  // of one part at least
}

TEST(RequestRecorder, KeepsTheBeginningOfABodyThatIsTooLarge) {
  RequestRecorder recorder;
  recorder.start();
  record_put(recorder, std::string(RequestRecorder::kBodyBytesMax + 1, 'x'));
  const RecordedPage page = recorder.read(0, 1);
  EXPECT_EQ(page.requests.front().texts().body, std::string(RequestRecorder::kBeginningBytes, 'x'));
  EXPECT_FALSE(page.requests.front().has_whole_body);
  EXPECT_EQ(page.requests.front().texts().sender, "key");
}

TEST(RequestRecorder, APageThatIsTooSmallHasAQuarterAndAmongThemRefusedOnes) {
  RequestRecorder recorder;
  recorder.start();
  record_put(recorder, "refused", 400);
  for (int i = 0; i < 100; ++i) record_put(recorder, "plain");
  const RecordedPage page = recorder.read(0, 40);
  ASSERT_EQ(page.requests.size(), 10U);
  EXPECT_EQ(page.requests.front().texts().body, "refused");
  EXPECT_EQ(page.missed, 91U);
  // They leave room for the others.
  for (int i = 0; i < 100; ++i) record_put(recorder, "refused", 500);
  record_put(recorder, "plain");
  const RecordedPage next = recorder.read(page.last, 40);
  EXPECT_EQ(next.requests.size(), 10U);
  EXPECT_EQ(next.requests.back().texts().body, "plain");
  EXPECT_EQ(recorder.read(next.last - 40, 40).requests.size(), 40U);
}

TEST(RequestRecorder, ForgetsWhenItStops) {
  RequestRecorder recorder;
  recorder.start();
  record_put(recorder, "secret");
  const std::uint64_t number = recorder.last();
  recorder.stop();
  record_put(recorder, "unseen");
  EXPECT_FALSE(recorder.find(number));
  EXPECT_TRUE(recorder.read(0, 10).requests.empty());
  recorder.start();
  record_put(recorder, "again");
  EXPECT_EQ(recorder.read(number, 10).requests.size(), 1U);
}

// Readers that go from page to page see every request once, in order, whichever threads record them.
TEST(RequestRecorder, ReadersSeeEveryRequestOfAllThreads) {
  constexpr int kThreads = 6;
  constexpr int kEach = 300;  // all fit, even if all threads write to one part
  RequestRecorder recorder;
  recorder.start();
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) record_put(recorder, std::to_string(thread * kEach + i));
      --running;
    });
  }
  std::vector<std::set<std::string>> seen(2);
  for (std::set<std::string>& mine : seen) {
    threads.emplace_back([&] {
      std::uint64_t after = 0;
      bool is_last = false;
      while (!is_last) {
        is_last = running == 0;
        const RecordedPage page = recorder.read(after, 100'000);
        EXPECT_EQ(page.missed, 0U);
        for (const RecordedRequest& one : page.requests) {
          EXPECT_GT(one.number, after);
          after = one.number;
          EXPECT_TRUE(mine.emplace(one.texts().body).second);
        }
        EXPECT_LE(after, page.last);
        after = page.last;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::set<std::string>& mine : seen) EXPECT_EQ(mine.size(), std::size_t{kThreads} * kEach);
}

// Memory is not left behind by requests that were on their way when the last viewer left.
TEST(RequestRecorder, StopsWhileThreadsRecord) {
  RequestRecorder recorder;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      while (!is_over) record_put(recorder, "body");
    });
  }
  for (int i = 0; i < 200; ++i) {
    recorder.start();
    (void)recorder.read(0, 100);
    recorder.stop();
    EXPECT_TRUE(recorder.read(0, 100).requests.empty());
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tavola::server
