#include "server/requests/viewers.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "server/requests/rows.h"

namespace tavola::server {
namespace {

// The text of an answer that is not compressed: ten times a second, that would cost more than it saves.
class PlainText final : public http::BodySource {
 public:
  explicit PlainText(std::string text) : text_(std::move(text)) {}
  std::uint64_t size_bytes() const override { return text_.size(); }
  bool read(std::span<char> into) override {
    if (into.size() > text_.size() - at_) return false;
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), into.size(), into.begin());
    at_ += into.size();
    return true;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

// The page asks again at once; it is answered at the next tick.
http::Response event_stream(std::string events) {
  http::Response response{.status = 200, .content_type = "text/event-stream"};
  response.source = std::make_shared<PlainText>("retry: 20\n\n" + std::move(events));
  response.add_header("Cache-Control", "no-store");
  return response;
}

}  // namespace

RequestViewers::RequestViewers(RequestRecorder& recorder, const AskedReader& reader,
                               std::chrono::milliseconds records_on)
    : recorder_(recorder), reader_(reader), records_on_(records_on) {}

void RequestViewers::look() {
  const std::scoped_lock lock(mutex_);
  if (is_closed_) return;
  last_look_ = std::chrono::steady_clock::now();
  recorder_.start();
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void RequestViewers::wait(std::uint64_t after, http::Reply reply) {
  look();
  {
    const std::scoped_lock lock(mutex_);
    if (!is_closed_ && held_.size() < kHeldMax) {
      held_.push_back({after, std::chrono::steady_clock::now() + kHeldFor, std::move(reply)});
      return;
    }
  }
  reply(event_stream({}));
}

std::list<RequestViewers::Held> RequestViewers::take_ready(Moment now) {
  std::list<Held> ready;
  for (auto one = held_.begin(); one != held_.end();) {
    const auto next = std::next(one);
    // A number of another server is answered, too, so that the page continues after ours.
    if (one->after != recorder_.last() || one->until <= now || is_closed_)
      ready.splice(ready.end(), held_, one);
    one = next;
  }
  return ready;
}

void RequestViewers::answer(std::list<Held> ready) const {
  for (Held& one : ready) {
    const RecordedPage page = recorder_.read(one.after, kRowsMax);
    std::string event = "id: " + std::to_string(page.last) + "\n";
    if (!page.requests.empty() || page.missed > 0) event += "data: " + page_json(page, reader_) + "\n";
    one.reply(event_stream(event + "\n"));
  }
}

void RequestViewers::run() {
  std::unique_lock lock(mutex_);
  while (!is_closed_) {
    if (!recorder_.is_recording()) {
      changed_.wait(lock);
      continue;
    }
    changed_.wait_for(lock, kBetween, [this] { return is_closed_; });
    const Moment now = std::chrono::steady_clock::now();
    if (!held_.empty()) last_look_ = now;
    if (now - last_look_ > records_on_) {
      recorder_.stop();
      continue;
    }
    std::list<Held> ready = take_ready(now);
    lock.unlock();
    answer(std::move(ready));
    lock.lock();
  }
}

void RequestViewers::close() {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  std::list<Held> rest;
  {
    const std::scoped_lock lock(mutex_);
    rest.swap(held_);
  }
  for (Held& one : rest) one.reply(event_stream({}));
  recorder_.stop();
}

}  // namespace tavola::server
