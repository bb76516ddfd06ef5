#include "server/requests/viewers.h"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "store/store.h"

namespace tavola::server {
namespace {

// Receives one answer.
class Page final : public http::ReplyTarget {
 public:
  http::Reply reply_to() { return http::Reply(*this); }
  std::string body() { return answer_.get_future().get(); }
  void reply(http::Response response) override {
    std::string text(response.source->size_bytes(), ' ');
    EXPECT_TRUE(response.source->read(text));
    answer_.set_value(text);
  }
  void dropped() override { answer_.set_value("dropped"); }

 private:
  std::promise<std::string> answer_;
};

class RequestViewersTest : public ::testing::Test {
 protected:
  RequestRecorder recorder_;
  engine::Engine engine_{store::open_memory()};
  const AskedReader reader_{{engine_}};
};

TEST_F(RequestViewersTest, APageGetsWhatComes) {
  RequestViewers viewers(recorder_, reader_);
  Page first;
  viewers.wait(0, first.reply_to());
  EXPECT_TRUE(recorder_.is_recording());
  // There is nothing yet but the number to go on after.
  const std::uint64_t last = recorder_.last();
  EXPECT_EQ(first.body(), "retry: 20\n\nid: " + std::to_string(last) + "\n\n");
  Page second;
  viewers.wait(last, second.reply_to());
  recorder_.record({.operation = "PutItem"}, {.body = R"({"TableName":"t"})"});
  const std::string events = second.body();
  EXPECT_NE(events.find("\nid: " + std::to_string(last + 1) + "\ndata: {\"requests\":[{"), std::string::npos)
      << events;
  EXPECT_NE(events.find(R"("tables":["t"])"), std::string::npos) << events;
}

TEST_F(RequestViewersTest, RecordingEndsAfterTheLastViewer) {
  RequestViewers viewers(recorder_, reader_, std::chrono::milliseconds(1));
  viewers.look();
  recorder_.record({.operation = "PutItem"}, {});
  while (recorder_.is_recording()) std::this_thread::yield();
  EXPECT_TRUE(recorder_.read(0, 10).requests.empty());
  // It begins again for the next one.
  Page page;
  viewers.wait(recorder_.last(), page.reply_to());
  EXPECT_TRUE(recorder_.is_recording());
  recorder_.record({.operation = "PutItem"}, {});
  EXPECT_NE(page.body().find("PutItem"), std::string::npos);
}

TEST_F(RequestViewersTest, EverybodyIsAnsweredAtTheEnd) {
  RequestViewers viewers(recorder_, reader_);
  Page held;
  viewers.wait(recorder_.last(), held.reply_to());
  viewers.close();
  EXPECT_TRUE(
      held.body().starts_with("retry: 20\n\n"));  // the number to go on after follows, if there was time
  EXPECT_FALSE(recorder_.is_recording());
  Page late;
  viewers.wait(recorder_.last(), late.reply_to());
  EXPECT_EQ(late.body(), "retry: 20\n\n");
}

TEST_F(RequestViewersTest, ManyPagesAndThreads) {
  RequestViewers viewers(recorder_, reader_);
  viewers.look();
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    while (!is_over) recorder_.record({.operation = "GetItem"}, {.body = R"({"TableName":"t"})"});
  });
  std::vector<std::thread> pages;
  for (int i = 0; i < 4; ++i) {
    pages.emplace_back([&] {
      Page page;
      viewers.wait(0, page.reply_to());
      EXPECT_TRUE(page.body().starts_with("retry: 20\n\nid: "));
    });
  }
  for (std::thread& page : pages) page.join();
  is_over = true;
  writer.join();
}

}  // namespace
}  // namespace tavola::server
