#include "http/pages/event_room.h"

#include <charconv>

#include "http/pages/page_answers.h"

namespace tavola::http {
namespace {

Response event_stream(std::string events) {
  // The page waits a second before it asks again.
  Response response{.status = 200, .content_type = "text/event-stream", .body = "retry: 1000\n\n" + events};
  response.add_header("Cache-Control", "no-store");
  protect(response);
  return response;
}

}  // namespace

// Ids begin with the time, so that a page that outlives the program does not take new events for ones it has seen.
EventRoom::EventRoom()
    : first_id_(static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                           std::chrono::microseconds(1))),
      last_id_(first_id_),
      sweeper_([this] { answer_old(); }) {}

std::string EventRoom::since(std::uint64_t seen) const {
  std::string text;
  for (const Event& event : events_) {
    if (event.id > seen) text += event.text;
  }
  return text;
}

void EventRoom::publish(std::string_view kind, std::string data) {
  std::list<Held> ready;
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t id = ++last_id_;
    text = "id: " + std::to_string(id) + "\nevent: " + std::string(kind) + "\ndata: " + data + "\n\n";
    events_.push_back({id, text});
    if (events_.size() > kKeptMax) events_.pop_front();
    ready.swap(held_);
  }
  for (Held& one : ready) one.reply(event_stream(text));
}

void EventRoom::wait(std::string_view last_event_id, Reply reply) {
  std::uint64_t seen = 0;
  std::from_chars(last_event_id.data(), last_event_id.data() + last_event_id.size(), seen);
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    // A page that has seen nothing begins now: it has just loaded everything.
    if (seen < first_id_) {
      text = "id: " + std::to_string(last_id_) + "\n\n";
    } else {
      text = since(seen);
    }
    if (text.empty() && !is_closed_ && held_.size() < kHeldMax) {
      held_.push_back({seen, std::chrono::steady_clock::now() + kHeldFor, std::move(reply)});
      changed_.notify_one();
      return;
    }
  }
  reply(event_stream(text));
}

void EventRoom::answer_old() {
  std::unique_lock lock(mutex_);
  while (!is_closed_) {
    if (held_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, held_.front().until);
    }
    std::list<Held> ready;
    const auto now = std::chrono::steady_clock::now();
    while (!held_.empty() && (is_closed_ || held_.front().until <= now))
      ready.splice(ready.end(), held_, held_.begin());
    lock.unlock();
    for (Held& one : ready) one.reply(event_stream({}));
    lock.lock();
  }
}

void EventRoom::close() {
  {
    const std::scoped_lock lock(mutex_);
    if (is_closed_) return;
    is_closed_ = true;
  }
  changed_.notify_one();
  sweeper_.join();
  std::list<Held> rest;
  {
    const std::scoped_lock lock(mutex_);
    rest.swap(held_);
  }
  for (Held& one : rest) one.reply(event_stream({}));
}

}  // namespace tavola::http
