#include "http/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/assert.h"

namespace tavola::http {
namespace {

constexpr Refusal kTooLarge = {413, "RequestEntityTooLargeException", "The request is larger than 16 MB."};
constexpr Refusal kOverloaded = {503, "ServiceUnavailableException",
                                 "The server holds too many requests; try again."};
constexpr Refusal kTimedOut = {408, "RequestTimeoutException", "Reading the request timed out."};
constexpr Refusal kBadChunks = {400, "MalformedHttpRequestException",
                                "The chunks of the body are not valid HTTP."};

// A slow client must bring as much of a body within its timeout.
constexpr std::size_t kProgressBytes = std::size_t{16} * 1024;
// A client that is being refused may send as much before it is cut off: DynamoDB's clients send the whole of a too
// large request before they read the answer.
constexpr std::size_t kDrainedBytesMax = std::size_t{64} << 20U;
constexpr std::size_t kPiecesMax = 96;

}  // namespace

// What happens on a connection happens within an Event; when the outermost ends, the connection may be over.
class Connection::Event {
 public:
  explicit Event(Connection& connection) : connection_(connection) { ++connection_.depth_; }
  ~Event() { connection_.leave(); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

 private:
  Connection& connection_;
};

Connection::Connection(std::shared_ptr<Worker> worker, std::string peer)
    : worker_(std::move(worker)), peer_(std::move(peer)), in_(limits().head_bytes + 4096), parser_(limits()) {
  pieces_.reserve(4);
}

Connection::~Connection() { TAVOLA_ASSERT(unanswered_ == 0 && !is_reading_ && !is_writing_); }

const Limits& Connection::limits() const { return worker_->shared().options.limits; }
const Timeouts& Connection::timeouts() const { return worker_->shared().options.timeouts; }
bool Connection::is_stopping() const { return worker_->shared().is_stopping.load(std::memory_order_relaxed); }
Response Connection::refusal(const Refusal& refusal) const {
  return worker_->shared().options.refuse(refusal);
}

// ---- Life ----

void Connection::start(std::unique_ptr<Transport> transport) {
  const Event event(*this);
  transport_ = std::move(transport);
  guarded([this] { read_more(); });
}

// Memory that runs out costs the connection that asked for it, not the server.
template <class Work>
void Connection::guarded(Work work) {
  try {
    work();
  } catch (const std::exception&) {
    close();
  }
}

void Connection::close() {
  const Event event(*this);
  if (is_closed_) return;
  is_closed_ = true;
  reading_ = Reading::Ended;
  transport_->close();
}

// The last line of every event: nothing may touch the connection behind it.
void Connection::leave() {
  if (--depth_ > 0) return;
  if (is_retired_) {
    if (unanswered_ == 0) std::exchange(self_, nullptr).reset();
    return;
  }
  if (!is_closed_ || is_reading_ || is_writing_) return;
  is_retired_ = true;
  transport_.reset();
  if (unanswered_ > 0) self_ = shared_from_this();
  const std::shared_ptr<Worker> worker = worker_;
  worker->release(*this);
}

void Connection::finish() {
  const Event event(*this);
  if (first_ == nullptr) return close();
  // A request that is being read is read to its end; none is begun.
  if (reading_ == Reading::Head || reading_ == Reading::Paused) reading_ = Reading::Ended;
}

// ---- Events ----

void Connection::on_read(std::size_t bytes) {
  const Event event(*this);
  is_reading_ = false;
  if (is_closed_) return;
  guarded([&] {
    if (bytes == 0) return end_of_input();
    has_received_ = true;
    worker_->tally().received_bytes.add(bytes);
    progress_bytes_ += bytes;
    if (reading_ == Reading::Draining) {
      drained_bytes_ += bytes;
      if (drained_bytes_ > kDrainedBytesMax) return close();
    } else if (reading_ == Reading::Body) {
      body_filled_ += bytes;
    } else {
      in_.grew(bytes);
    }
    pump();
  });
}

void Connection::on_read_failed() {
  const Event event(*this);
  is_reading_ = false;
  close();
}

void Connection::on_written(bool ok) {
  const Event event(*this);
  is_writing_ = false;
  write_deadline_ = Worker::Time::max();
  if (is_closed_) return;
  if (!ok) return close();
  guarded([this] {
    sent();
    pump();
  });
}

void Connection::hand_over(Exchange& exchange) {
  if (worker_->is_current()) {
    answered(exchange);
  } else {
    worker_->hand_over(exchange);
  }
}

void Connection::answered(Exchange& exchange) {
  const Event event(*this);
  exchange.state = Exchange::State::Answered;
  --unanswered_;
  if (is_closed_) return;
  unsent_bytes_ += exchange.answer_bytes();
  // Within an event its end writes the answer, perhaps with others.
  if (depth_ == 1) guarded([this] { pump(); });
}

void Connection::tick(Worker::Time now) {
  const Event event(*this);
  if (is_closed_) return;
  if (now >= write_deadline_) {
    worker_->tally().timed_out.add();
    return close();
  }
  if (now >= read_deadline_) guarded([this] { read_timed_out(); });
}

// Writing makes room for requests, and reading them makes answers to write.
void Connection::pump() {
  do {
    process();
  } while (flush());
  read_more();
}

// ---- Reading ----

void Connection::process() {
  while (!is_closed_) {
    if (reading_ == Reading::Head && !read_head()) return;
    if (reading_ == Reading::Body && !read_body()) return;
    if (reading_ == Reading::Chunks && !read_chunks()) return;
    if (reading_ != Reading::Complete) return;
    dispatch();
    if (reading_ == Reading::Complete) reading_ = may_read_ahead() ? Reading::Head : Reading::Paused;
  }
}

bool Connection::may_read_ahead() const {
  return pipelined_ < limits().pipelined_requests && unsent_bytes_ <= limits().unsent_bytes && !is_stopping();
}

bool Connection::read_head() {
  // Some clients end a body with an empty line too many (RFC 9112 2.2).
  while (in_.bytes().starts_with("\r\n")) in_.consume(2);
  if (in_.empty() || in_.bytes() == "\r") return false;
  switch (parser_.parse_head(in_.bytes())) {
    case Parsed::NeedMore:
      return false;
    case Parsed::Refused:
      refuse(parser_.refusal());
      return false;
    case Parsed::Done:
      break;
  }
  current_ = &begin_exchange();
  current_->take_head(in_.bytes(), parser_.head(), peer_);
  current_->form.cross_origin &= worker_->shared().options.cors;
  in_.consume(parser_.head().size_bytes);
  return prepare_body();
}

// Decides, before a byte of the body is read, whether there is room for it.
bool Connection::prepare_body() {
  const RequestHead& head = parser_.head();
  head_has_begun_ = false;
  progress_bytes_ = kProgressBytes;  // the deadline of the body begins now
  if (head.content_length > limits().body_bytes) {
    refuse(kTooLarge);
    return false;
  }
  if (head.chunked) {
    reading_ = Reading::Chunks;
  } else if (head.content_length == 0) {
    reading_ = Reading::Complete;
  } else {
    const auto size = static_cast<std::size_t>(head.content_length);
    if (!current_->share.grow_to(size)) {
      refuse(kOverloaded);
      return false;
    }
    // Not the second argument: g++ 12 passes the capacity it grew to, which may be more than was asked for.
    current_->body.resize_and_overwrite(size, [size](char*, std::size_t) { return size; });
    body_filled_ = 0;
    reading_ = Reading::Body;
  }
  current_->owes_continue = head.expects_continue && reading_ != Reading::Complete && in_.empty();
  return true;
}

bool Connection::read_body() {
  std::string& body = current_->body;
  const std::size_t count = std::min(in_.bytes().size(), body.size() - body_filled_);
  std::ranges::copy(in_.bytes().substr(0, count), body.begin() + static_cast<std::ptrdiff_t>(body_filled_));
  in_.consume(count);
  body_filled_ += count;
  if (body_filled_ < body.size()) return false;
  reading_ = Reading::Complete;
  return true;
}

bool Connection::read_chunks() {
  if (in_.empty()) return false;
  std::string& body = current_->body;
  if (const std::size_t size = body.size() + in_.bytes().size(); size > body.capacity()) {
    const std::size_t capacity = std::max(size, std::min(2 * body.capacity(), limits().body_bytes));
    if (!current_->share.grow_to(capacity)) {
      refuse(kOverloaded);
      return false;
    }
    body.reserve(capacity);
  }
  std::size_t consumed = 0;
  const Parsed parsed = parser_.parse_chunks(in_.bytes(), body, consumed);
  in_.consume(consumed);
  if (body.size() > limits().body_bytes) {
    refuse(kTooLarge);
  } else if (parsed == Parsed::Refused) {
    refuse(kBadChunks);
  } else if (parsed == Parsed::Done) {
    reading_ = Reading::Complete;
    return true;
  }
  return false;
}

void Connection::dispatch() {
  Exchange& exchange = *std::exchange(current_, nullptr);
  parser_.reset();
  worker_->tally().requests.add();
  if (!exchange.keep_alive) reading_ = Reading::Ended;
  exchange.owes_continue = false;
  ++unanswered_;
  if (const Refusal* wrong = exchange.decode_body(limits().body_bytes); wrong != nullptr) {
    worker_->tally().refused_requests.add();
    exchange.reply(refusal(*wrong));
  } else if (exchange.form.cross_origin && exchange.request.method == "OPTIONS") {
    exchange.reply(preflight_response(exchange.request));
  } else {
    exchange.state = Exchange::State::Handling;
    try {
      worker_->shared().handler(exchange.request, Reply(exchange));
    } catch (const std::exception&) {
      return;  // it dropped its Reply: the client has its 500
    }
  }
}

// Answers instead of the handler, and reads no further request.
void Connection::refuse(const Refusal& why) {
  worker_->tally().refused_requests.add();
  Exchange& exchange = current_ == nullptr ? begin_exchange() : *std::exchange(current_, nullptr);
  exchange.keep_alive = false;
  exchange.owes_continue = false;
  exchange.seal_answer(refusal(why));
  exchange.state = Exchange::State::Answered;
  unsent_bytes_ += exchange.answer_bytes();
  reading_ = Reading::Draining;
  in_.clear();
  progress_bytes_ = kProgressBytes;
}

// The client sends no more, but may still want its answers.
void Connection::end_of_input() {
  if (reading_ == Reading::Draining && first_ == nullptr) return close();
  if (current_ != nullptr) remove_last();
  reading_ = Reading::Ended;
  in_.clear();
  if (first_ == nullptr) return close();
  pump();
}

void Connection::read_more() {
  if (is_closed_) return;
  set_read_deadline();
  if (is_reading_ || reading_ == Reading::Paused || reading_ == Reading::Ended) return;
  std::span<char> into;
  if (reading_ == Reading::Body) {
    into = std::span(current_->body).subspan(body_filled_);
  } else {
    if (reading_ == Reading::Draining) in_.clear();
    into = in_.room();
    if (into.empty()) {  // a line between chunks that does not end
      refuse(kBadChunks);
      return pump();
    }
  }
  is_reading_ = true;
  transport_->read(into);
}

void Connection::set_read_deadline() {
  switch (reading_) {
    case Reading::Head:
      if (!in_.empty()) {
        if (!head_has_begun_) read_deadline_ = worker_->deadline_after(timeouts().head);
        head_has_begun_ = true;
      } else if (first_ != nullptr) {
        read_deadline_ = Worker::Time::max();  // the client waits for us
      } else {
        read_deadline_ = worker_->deadline_after(has_received_ ? timeouts().idle : timeouts().head);
      }
      break;
    case Reading::Body:
    case Reading::Chunks:
    case Reading::Draining:
      if (progress_bytes_ >= kProgressBytes) {
        const bool is_body = reading_ != Reading::Draining;
        read_deadline_ = worker_->deadline_after(is_body ? timeouts().body : timeouts().linger);
        progress_bytes_ = 0;
      }
      break;
    case Reading::Complete:
    case Reading::Paused:
    case Reading::Ended:
      read_deadline_ = Worker::Time::max();
      break;
  }
}

void Connection::read_timed_out() {
  read_deadline_ = Worker::Time::max();
  const bool is_idle = reading_ == Reading::Head && in_.empty();
  if (!is_idle) worker_->tally().timed_out.add();
  // A body is read straight into its exchange, which cannot be answered while that goes on.
  const bool can_answer = (reading_ == Reading::Head && !is_idle) || reading_ == Reading::Chunks;
  if (!can_answer) return close();
  refuse(kTimedOut);
  pump();
}

// ---- Writing ----

// True when requests can be read again that had to wait.
bool Connection::flush() {
  while (!is_closed_ && !is_writing_ && gather()) {
    switch (transport_->write(pieces_)) {
      case Transport::Written::Done:
        sent();
        break;
      case Transport::Written::Later:
        is_writing_ = true;
        write_deadline_ = worker_->deadline_after(timeouts().write);
        break;
      case Transport::Written::Failed:
        close();
        break;
    }
  }
  if (is_closed_ || reading_ != Reading::Paused || !may_read_ahead()) return false;
  reading_ = Reading::Head;
  return true;
}

// Collects what can be written now: all answers up to the first that is missing.
bool Connection::gather() {
  pieces_.clear();
  leaving_ = 0;
  closes_ = false;
  for (Exchange* exchange = first_; exchange != nullptr && exchange->state == Exchange::State::Answered &&
                                    !closes_ && pieces_.size() + 3 <= kPiecesMax;
       exchange = exchange->next) {
    if (exchange->answer_head.empty()) {  // there was no memory for it
      close();
      return false;
    }
    const bool is_last_of_all = exchange == last_ && (is_stopping() || reading_ == Reading::Ended);
    closes_ = !exchange->keep_alive || is_last_of_all;
    pieces_.push_back(exchange->answer_head);
    pieces_.push_back(closes_ ? kClose : kKeepAlive);
    if (!exchange->answer_body.empty()) pieces_.push_back(exchange->answer_body);
    ++leaving_;
  }
  if (leaving_ == 0 && first_ != nullptr && first_->owes_continue) {
    first_->owes_continue = false;
    pieces_.push_back(kContinue);
  }
  return !pieces_.empty();
}

void Connection::sent() {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces_) bytes += piece.size();
  worker_->tally().sent_bytes.add(bytes);
  for (; leaving_ > 0; --leaving_) {
    Exchange* exchange = first_;
    unsent_bytes_ -= exchange->answer_bytes();
    first_ = exchange->next;
    if (first_ == nullptr) last_ = nullptr;
    --pipelined_;
    exchange->reset();
    exchange->next = std::exchange(unused_, exchange);
  }
  if (closes_ || (first_ == nullptr && is_stopping())) end_writing();
}

// The last answer is out. Closing while the client still sends would make its system throw our answer away.
void Connection::end_writing() {
  transport_->end_writing();
  if (reading_ != Reading::Draining && in_.empty()) return close();
  reading_ = Reading::Draining;
  progress_bytes_ = kProgressBytes;
}

// ---- Exchanges ----

Exchange& Connection::begin_exchange() {
  if (unused_ == nullptr) {
    exchanges_.push_back(std::make_unique<Exchange>(*this, worker_->shared().budget));
    unused_ = exchanges_.back().get();
  }
  Exchange& exchange = *unused_;
  unused_ = std::exchange(exchange.next, nullptr);
  (last_ == nullptr ? first_ : last_->next) = &exchange;
  last_ = &exchange;
  ++pipelined_;
  return exchange;
}

// Forgets the request that did not arrive whole.
void Connection::remove_last() {
  Exchange* before = nullptr;
  for (Exchange* exchange = first_; exchange != last_; exchange = exchange->next) before = exchange;
  Exchange* removed = std::exchange(last_, before);
  (before == nullptr ? first_ : before->next) = nullptr;
  current_ = nullptr;
  --pipelined_;
  removed->reset();
  removed->next = std::exchange(unused_, removed);
}

}  // namespace tavola::http
