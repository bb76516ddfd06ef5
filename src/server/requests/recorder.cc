#include "server/requests/recorder.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "http/metrics.h"

namespace tavola::server {
namespace {

// Requests that people look for are shown even when there are too many to show all.
bool is_remarkable(const RecordedRequest& request) {
  return request.facts.is_refused() || request.facts.operation == "Scan";
}

std::size_t bytes_of(const RequestTexts& texts) {
  return texts.target.size() + texts.body.size() + texts.sender.size() + texts.error.size() +
         texts.refusal.size();
}

}  // namespace

RequestTexts RecordedRequest::texts() const {
  const std::string_view all = all_;
  const auto between = [&](std::size_t from, std::size_t to) { return all.substr(from, to - from); };
  return {.target = between(0, ends_[0]),
          .body = between(ends_[0], ends_[1]),
          .sender = between(ends_[1], ends_[2]),
          .error = between(ends_[2], ends_[3]),
          .refusal = all.substr(ends_[3])};
}

void RecordedRequest::set_texts(const RequestTexts& texts) {
  all_.clear();
  all_.reserve(bytes_of(texts));
  std::size_t at = 0;
  for (const std::string_view text : {texts.target, texts.body, texts.sender, texts.error}) {
    all_ += text;
    ends_[at++] = static_cast<std::uint32_t>(all_.size());
  }
  all_ += texts.refusal;
}

// Numbers begin with the time, so that a page that outlives the server does not take new requests for ones that it has.
RequestRecorder::RequestRecorder()
    : first_(static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                        std::chrono::microseconds(1))),
      last_(first_) {}

void RequestRecorder::start() {
  if (is_recording()) return;
  const auto between = std::chrono::system_clock::now().time_since_epoch() -
                       std::chrono::steady_clock::now().time_since_epoch();
  clocks_differ_by_.store(std::chrono::nanoseconds(between).count(), std::memory_order_relaxed);
  is_on_.store(true, std::memory_order_release);
}

void RequestRecorder::stop() {
  is_on_.store(false, std::memory_order_relaxed);
  for (Part& part : parts_) {
    const MutexLock lock(part.mutex);
    part.clear();
  }
}

void RequestRecorder::Part::clear() {
  std::vector<RecordedRequest>().swap(ring_);
  end_ = size_ = text_bytes_ = 0;
}

void RequestRecorder::Part::drop_oldest() {
  RecordedRequest& oldest = ring_[(end_ + ring_.size() - size_) % ring_.size()];
  text_bytes_ -= oldest.text_bytes();
  oldest.release_texts();
  --size_;
}

RecordedRequest& RequestRecorder::Part::make_room(std::size_t text_bytes) {
  if (ring_.empty()) ring_.resize(kRequestsMax / kParts);
  constexpr std::size_t kTextBytesMax = kBytesMax / kParts - kRequestsMax / kParts * sizeof(RecordedRequest);
  while (size_ > 0 && text_bytes_ + text_bytes > kTextBytesMax) drop_oldest();
  RecordedRequest& request = ring_[end_];
  if (size_ < ring_.size()) return request;
  text_bytes_ -= request.text_bytes();
  --size_;
  if (request.text_bytes() > 2 * text_bytes) request.release_texts();
  return request;
}

void RequestRecorder::Part::add(RecordedRequest& request) {
  text_bytes_ += request.text_bytes();
  end_ = (end_ + 1) % ring_.size();
  ++size_;
}

void RequestRecorder::record(const RequestFacts& facts, const RequestTexts& texts) {
  RequestTexts kept = texts;
  const bool has_whole_body = texts.body.size() <= kBodyBytesMax;
  if (!has_whole_body) kept.body = kept.body.substr(0, kBeginningBytes);
  kept.target = kept.target.substr(0, kBodyBytesMax);
  kept.refusal = kept.refusal.substr(0, kRefusalBytesMax);
  const std::size_t bytes =
      kept.target.size() + kept.body.size() + kept.sender.size() + kept.error.size() + kept.refusal.size();
  Part& part = parts_[http::metric_shard() % kParts];
  const MutexLock lock(part.mutex);
  if (!is_recording()) return;  // stop() has released the memory, or will
  RecordedRequest& request = part.make_room(bytes);
  request.facts = facts;
  request.has_whole_body = has_whole_body && kept.target.size() == texts.target.size();
  request.set_texts(kept);
  // A number is taken while its part is locked: a reader that sees the number, and locks the part then, finds the
  // request.
  request.number = last_.fetch_add(1, std::memory_order_acq_rel) + 1;
  part.add(request);
}

// Cuts requests down to this many of the latest ones; half of the room is for remarkable ones first. The newest is the first.
void RequestRecorder::keep_latest(std::vector<Place>& places, std::size_t kept) {
  const auto count = static_cast<std::size_t>(std::ranges::count(places, true, &Place::is_remarkable));
  std::size_t remarkable = std::min(count, kept / 2);
  std::size_t others = kept - remarkable;
  std::erase_if(places, [&](const Place& place) {
    std::size_t& room = place.is_remarkable && remarkable > 0 ? remarkable : others;
    if (room == 0) return true;
    --room;
    return false;
  });
}

std::vector<RequestRecorder::Place> RequestRecorder::places_in(std::size_t part, const Span& span) const {
  std::vector<Place> places;
  const MutexLock lock(parts_[part].mutex);
  for (std::size_t age = 0; age < parts_[part].size(); ++age) {
    const RecordedRequest& one = parts_[part].at(age);
    if (one.number <= span.after) break;
    if (one.number <= span.last) places.push_back({one.number, part, is_remarkable(one)});
  }
  return places;
}

RecordedPage RequestRecorder::read(std::uint64_t after, std::size_t requests_max) const {
  RecordedPage page;
  page.last = last();
  if (after < first_ || after > page.last) after = first_;
  std::vector<Place> places;
  for (std::size_t i = 0; i < kParts; ++i) {
    std::vector<Place> merged;
    std::ranges::merge(places, places_in(i, {after, page.last}), std::back_inserter(merged), std::greater(),
                       &Place::number, &Place::number);
    places = std::move(merged);
  }
  if (places.size() > requests_max) keep_latest(places, requests_max / 4);
  std::ranges::reverse(places);
  page.requests = copies(places);
  page.missed = page.last - after - page.requests.size();
  return page;
}

std::vector<RecordedRequest> RequestRecorder::copies(const std::vector<Place>& places) const {
  std::vector<RecordedRequest> all(places.size());
  for (std::size_t i = 0; i < kParts; ++i) {
    const MutexLock lock(parts_[i].mutex);
    std::size_t age = 0;
    for (std::size_t at = places.size(); at-- > 0;) {
      if (places[at].part != i) continue;
      while (age < parts_[i].size() && parts_[i].at(age).number > places[at].number) ++age;
      if (age < parts_[i].size() && parts_[i].at(age).number == places[at].number)
        all[at] = parts_[i].at(age);
    }
  }
  std::erase_if(all, [](const RecordedRequest& one) { return one.number == 0; });  // overwritten since
  return all;
}

std::optional<RecordedRequest> RequestRecorder::find(std::uint64_t number) const {
  for (const Part& part : parts_) {
    const MutexLock lock(part.mutex);
    for (std::size_t age = 0; age < part.size() && part.at(age).number >= number; ++age) {
      if (part.at(age).number == number) return part.at(age);
    }
  }
  return std::nullopt;
}

}  // namespace tavola::server
