#include "http/connection.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "base/assert.h"
#include "http/refusals.h"

namespace tavola::http {
namespace {

// The slowest accepted client: received bytes extend the deadline at this rate.
constexpr std::size_t kSlowestBytesPerSecond = std::size_t{32} * 1024;
// Initial memory for a body that has not arrived yet.
constexpr std::size_t kFirstBodyBytes = std::size_t{16} * 1024;
// Maximum bytes of a body per read.
constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
// A stopping server does not wait longer for clients to see the end.
constexpr std::chrono::milliseconds kLingerWhenStopping = std::chrono::seconds(1);
// Bytes that a refused client may send before it is cut off: DynamoDB's clients send a too large request completely
// before they read the response.
constexpr std::size_t kDrainedBytesMax = std::size_t{64} << 20U;
constexpr std::size_t kPiecesMax = 96;
// A client that takes a streamed answer as fast as it is read lets the thread's other clients have their turn after so
// many pieces.
constexpr unsigned kPiecesPerTurn = 8;
// Smaller responses are not worth closing a connection for.
constexpr std::size_t kLittleAnswerBytes = std::size_t{16} * 1024;

std::chrono::milliseconds won_by(std::size_t bytes) {
  return std::chrono::milliseconds(bytes * 1000 / kSlowestBytesPerSecond);
}

}  // namespace

// Everything on a connection happens within an Event; when the outermost ends, the connection may end.
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
    : worker_(std::move(worker)),
      peer_(std::move(peer)),
      client_(worker_->shared().clients.at(address_of(peer_))),
      in_(std::max(limits().head_bytes + 4096, kReadBytes)),
      parser_(limits()) {
  pieces_.reserve(4);
}

Connection::~Connection() { TAVOLA_ASSERT(unanswered_ == 0 && !is_reading_ && !is_writing_); }

const Limits& Connection::limits() const { return worker_->shared().options.limits; }
const Timeouts& Connection::timeouts() const { return worker_->shared().options.timeouts; }
bool Connection::is_stopping() const { return worker_->shared().is_stopping.load(std::memory_order_relaxed); }
Response Connection::refusal(const Exchange& of, Refusal why) const {
  why.path = of.request.path;
  return worker_->shared().refuse(why);
}

// ---- Life ----

void Connection::start(std::unique_ptr<Transport> transport) {
  const Event event(*this);
  transport_ = std::move(transport);
  guarded([this] { read_more(); });
}

// Running out of memory ends the connection that asked for it, not the server.
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

// The last call of every event: the connection may not be touched afterwards.
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
  // Finishes a request that is being read; starts none.
  if (reading_ == Reading::Head || reading_ == Reading::Paused) {
    reading_ = Reading::Ended;
    read_deadline_ = Worker::Time::max();  // the head that had begun no longer matters
  }
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
  --unanswered_;
  if (exchange.is_refused) worker_->tally().refused_requests.add();
  if (is_closed_) return exchange.reset();
  guarded([&] {
    settle(exchange, exchange.response ? *std::move(exchange.response) : refusal(exchange, kNoAnswer));
    // Within an event, its end writes the response, perhaps with others.
    if (depth_ == 1) pump();
  });
}

void Connection::tick(Worker::Time now) {
  const Event event(*this);
  if (is_closed_) return;
  if (now >= write_deadline_ || must_give_way(now)) {
    worker_->tally().timed_out.add();
    return close();
  }
  if (now >= read_deadline_) guarded([this] { read_timed_out(); });
}

// Returns whether a response that has been written for a while holds memory while it is used up, or while others were
// refused since the last tick.
bool Connection::must_give_way(Worker::Time now) const {
  if (!is_writing_ || now < gives_way_after_ || unsent_bytes_ <= kLittleAnswerBytes) return false;
  if (memory_is_used_up()) return true;
  const Worker::Time short_at = std::max(worker_->shared().budget.short_at(), client_->budget.short_at());
  return short_at >= now - 2 * worker_->tick_interval();
}

// Writing makes room for requests, and reading them makes responses to write.
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

// Expects unfinished responses to be as large as the latest. While the memory is used up, a client that does not take
// its response gets no other.
bool Connection::may_read_ahead() const {
  if (first_ != nullptr && memory_is_used_up()) return false;
  return pipelined_ < limits().pipelined_requests &&
         unsent_bytes_ + unanswered_ * expected_answer_bytes_ <= limits().unsent_bytes && !is_stopping();
}

bool Connection::memory_is_used_up() const {
  return worker_->shared().budget.is_used_up() || client_->budget.is_used_up();
}

bool Connection::read_head() {
  // Some clients send an extra empty line after a body (RFC 9112 2.2).
  while (in_.bytes().starts_with("\r\n")) in_.consume(2);
  if (in_.empty() || in_.bytes() == "\r") return false;
  if (first_ != nullptr && memory_is_used_up()) {
    reading_ = Reading::Paused;
    head_has_begun_ = false;  // its time starts when it is read on
    return false;
  }
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
  if (worker_->shared().options.on_answer) current_->begun_at = std::chrono::steady_clock::now();
  in_.consume(parser_.head().size_bytes);
  return prepare_body();
}

// Decides, before a byte of the body is read, whether there is memory for it. Memory is taken as the bytes arrive: a
// client that only announces a body holds nothing.
bool Connection::prepare_body() {
  const RequestHead& head = parser_.head();
  head_has_begun_ = false;
  begin_deadline(timeouts().body);
  if (!admit() || !knows_sender() || !has_room_for_body()) return false;
  reading_ = head.chunked ? Reading::Chunks : head.content_length > 0 ? Reading::Body : Reading::Complete;
  current_->owes_continue = head.expects_continue && reading_ != Reading::Complete && in_.empty();
  return true;
}

// Chooses what takes the body. Refuses one that is too large for it.
bool Connection::has_room_for_body() {
  const RequestHead& head = parser_.head();
  if (const auto& receive = worker_->shared().options.receive_body)
    current_->sink = receive(current_->request);
  if (head.content_length > body_bytes_max()) {
    refuse(too_large(worker_->shared().too_large));
    return false;
  }
  if (current_->sink == nullptr && !current_->share.could_grow_to(head.content_length)) {
    refuse(kOverloaded);
    return false;
  }
  return true;
}

std::uint64_t Connection::body_bytes_max() const {
  return current_->sink == nullptr ? limits().body_bytes : limits().streamed_bytes;
}

// Refuses a request that uses a wrong name for the server, or comes from a web page that may not use it.
bool Connection::admit() {
  const WebGuard::Verdict verdict = worker_->shared().guard.judge(current_->request);
  current_->form.allow_origin = verdict.allow_origin;
  current_->form.exposed_headers = worker_->shared().options.web.exposed_headers;
  current_->form.depends_on_origin = verdict.depends_on_origin;
  if (verdict.refusal.empty()) return true;
  refuse({.status = 403, .exception = "AccessDeniedException", .message = verdict.refusal});
  return false;
}

// Refuses a request by its head if its body is still to come and its sender is unknown. A body that arrived with the
// head costs nothing more, unless it is stored elsewhere: the handler checks it.
bool Connection::knows_sender() {
  const RequestHead& head = parser_.head();
  const ServerOptions& options = worker_->shared().options;
  const auto& judge = options.refuse_head;
  if (!judge) return true;
  if (!options.receive_body && (!head.chunked && in_.bytes().size() >= head.content_length)) return true;
  std::optional<Response> refused = judge(current_->request);
  if (!refused) return true;
  worker_->tally().refused_requests.add();
  refuse(*std::exchange(current_, nullptr), *std::move(refused));
  return false;
}

// Makes room for `size` bytes of the body, and pays for it first. It grows in doubling steps: a client must send half
// of the bytes that it makes us hold.
bool Connection::grow_body(std::size_t size) {
  const RequestHead& head = parser_.head();
  const std::size_t paid = current_->share.bytes();
  if (size <= paid) return true;
  const std::size_t whole = head.chunked ? limits().body_bytes : head.content_length;
  const std::size_t room = std::max(size, std::min(whole, std::max(2 * paid, kFirstBodyBytes)));
  const bool is_verified = !worker_->shared().options.refuse_head;
  if (!current_->share.grow_to(room) || (!is_verified && !current_->unverified_share.grow_to(room))) {
    refuse(kOverloaded);
    return false;
  }
  current_->body.reserve(room);
  return true;
}

std::uint64_t Connection::missing_bytes() const {
  return parser_.head().content_length - current_->received_bytes;
}

bool Connection::read_body() {
  const std::string_view bytes = in_.bytes().substr(0, missing_bytes());
  if (!keep_body(bytes)) return false;
  in_.consume(bytes.size());
  if (missing_bytes() > 0 && !current_->is_cut) return false;
  reading_ = Reading::Complete;
  return true;
}

// Gives bytes of the body to the sink, or holds them. Returns false if the request was refused.
bool Connection::keep_body(std::string_view bytes) {
  Exchange& exchange = *current_;
  if (exchange.sink == nullptr) {
    if (!grow_body(exchange.body.size() + bytes.size())) return false;
    exchange.body += bytes;
  } else if (!bytes.empty() && !exchange.sink->take(bytes)) {
    exchange.is_cut = true;
    exchange.keep_alive = false;
  }
  exchange.received_bytes += bytes.size();
  return true;
}

bool Connection::read_chunks() {
  if (in_.empty()) return false;
  std::string& body = current_->body;
  const bool is_streamed = current_->sink != nullptr;
  if (!is_streamed && !grow_body(std::min(body.size() + in_.bytes().size(), limits().body_bytes)))
    return false;
  std::size_t consumed = 0;
  const Parsed parsed = parser_.parse_chunks(in_.bytes(), body, consumed);
  in_.consume(consumed);
  if (is_streamed) {
    keep_body(body);
    body.clear();
  }
  if ((is_streamed ? current_->received_bytes : body.size()) > body_bytes_max()) {
    refuse(too_large(worker_->shared().too_large));
  } else if (parsed == Parsed::Refused) {
    refuse(kBadChunks);
  } else if (parsed == Parsed::Done || current_->is_cut) {
    reading_ = Reading::Complete;
    return true;
  }
  return false;
}

void Connection::dispatch() {
  Exchange& exchange = *std::exchange(current_, nullptr);
  parser_.reset();
  worker_->tally().requests.add();
  if (!exchange.keep_alive) reading_ = exchange.is_cut ? Reading::Draining : Reading::Ended;
  exchange.owes_continue = false;
  exchange.take_body();
  if (!exchange.form.allow_origin.empty() && exchange.request.method == "OPTIONS")
    return settle(exchange, preflight_response(exchange.request));
  exchange.state = Exchange::State::Handling;
  ++unanswered_;
  Shared& shared = worker_->shared();
  if (!may_take_long(exchange)) return shared.handle(exchange);
  if (shared.pool.give(exchange)) return;
  exchange.is_refused = true;
  exchange.reply(refusal(exchange, kOverloaded));
}

// Returns whether a request goes to the pool, so that this thread can serve others.
bool Connection::may_take_long(const Exchange& exchange) const {
  const auto& answer = worker_->shared().options.may_take_long;
  return answer && (exchange.is_compressed() || answer(exchange.request));
}

// Responds instead of the handler, and reads no further request.
void Connection::refuse(const Refusal& why) {
  worker_->tally().refused_requests.add();
  Exchange& exchange = current_ == nullptr ? begin_exchange() : *std::exchange(current_, nullptr);
  refuse(exchange, refusal(exchange, why));
}

void Connection::refuse(Exchange& exchange, Response response) {
  exchange.keep_alive = false;
  exchange.owes_continue = false;
  settle(exchange, std::move(response));
  reading_ = Reading::Draining;
  in_.clear();
}

// Makes the text of a response. A large one without memory for it is refused like a request.
void Connection::settle(Exchange& exchange, Response response) {
  if (const auto& on_answer = worker_->shared().options.on_answer) {
    const auto now = std::chrono::steady_clock::now();
    const auto begun = exchange.begun_at == Worker::Time() ? now : exchange.begun_at;
    on_answer({exchange.request, response, now - begun});
  }
  exchange.seal_answer(std::move(response));
  if (!exchange.pay_for_answer()) {
    worker_->tally().refused_requests.add();
    exchange.seal_answer(refusal(exchange, kOverloaded));
  }
  exchange.state = Exchange::State::Answered;
  unsent_bytes_ += exchange.answer_bytes();
  expected_answer_bytes_ = std::max(exchange.answer_bytes(), expected_answer_bytes_ / 2);
}

// The client sends no more, but may still read its responses.
void Connection::end_of_input() {
  input_has_ended_ = true;
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
  if (reading_ == Reading::Draining) in_.clear();
  const std::span<char> into =
      in_.room(reading_ == Reading::Body
                   ? static_cast<std::size_t>(std::min<std::uint64_t>(missing_bytes(), kReadBytes))
                   : 0);
  if (into.empty()) {  // an unterminated line between chunks
    refuse(kBadChunks);
    return pump();
  }
  transport_->read(into);
  is_reading_ = true;
}

// For a body, or for bytes that are dropped.
void Connection::begin_deadline(std::chrono::milliseconds timeout) {
  first_deadline_ = worker_->deadline_after(timeout);
  progress_bytes_ = 0;
}

void Connection::set_read_deadline() {
  switch (reading_) {
    case Reading::Head:
      head_has_begun_ = head_has_begun_ && !in_.empty();
      if (head_has_begun_) break;  // and its deadline stays
      if (!in_.empty()) {
        head_has_begun_ = true;
        read_deadline_ = worker_->deadline_after(timeouts().head);
      } else if (first_ != nullptr) {
        read_deadline_ = Worker::Time::max();  // the client waits for us
      } else {
        read_deadline_ = worker_->deadline_after(has_received_ ? timeouts().idle : timeouts().head);
      }
      break;
    case Reading::Body:
    case Reading::Chunks:
      read_deadline_ = first_deadline_ + won_by(progress_bytes_);
      break;
    case Reading::Draining:
      // Until the refusal is written, earlier requests may be running.
      read_deadline_ = writing_has_ended_ ? first_deadline_ + won_by(progress_bytes_) : Worker::Time::max();
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
  if (is_idle || reading_ == Reading::Draining) return close();
  worker_->tally().timed_out.add();
  refuse(kTimedOut);
  pump();
}

// ---- Writing ----

// Returns true if requests that had to wait can be read again.
bool Connection::flush() {
  for (unsigned pieces = 0; !is_closed_ && !is_writing_ && gather(); ++pieces) {
    switch (transport_->write(pieces_)) {
      case Transport::Written::Done:
        sent();
        break;
      case Transport::Written::Later:
        is_writing_ = true;
        write_deadline_ = worker_->deadline_after(timeouts().to_take(gathered_bytes()));
        gives_way_after_ = worker_->deadline_after(timeouts().give_way);
        break;
      case Transport::Written::Failed:
        close();
        break;
    }
    if (pieces == kPiecesPerTurn && !is_writing_ && first_ != nullptr && first_->head_is_sent) {
      flush_later();
      return false;
    }
  }
  if (is_closed_ || reading_ != Reading::Paused || !may_read_ahead()) return false;
  reading_ = Reading::Head;
  return true;
}

// Lets the loop of the thread turn before more is written.
void Connection::flush_later() {
  worker_->post([weak = weak_from_this()] {
    const std::shared_ptr<Connection> connection = weak.lock();
    if (connection == nullptr) return;
    const Event event(*connection);
    if (!connection->is_closed_) connection->guarded([&] { connection->pump(); });
  });
}

// Collects what can be written now: all responses up to the first missing one, or to the next piece of one that is
// streamed.
bool Connection::gather() {
  pieces_.clear();
  leaving_ = 0;
  closes_ = false;
  for (Exchange* exchange = first_; exchange != nullptr && exchange->state == Exchange::State::Answered &&
                                    !closes_ && pieces_.size() + 3 <= kPiecesMax;
       exchange = exchange->next) {
    const bool is_last_of_all = exchange == last_ && (is_stopping() || reading_ == Reading::Ended);
    closes_ = !exchange->keep_alive || is_last_of_all;
    if (!exchange->fill_answer()) {
      close();
      pieces_.clear();
      return false;
    }
    if (!exchange->head_is_sent) {
      pieces_.push_back(exchange->answer_head);
      pieces_.push_back(closes_ ? kClose : kKeepAlive);
      exchange->head_is_sent = true;
    }
    if (!exchange->answer_body.empty()) pieces_.push_back(exchange->answer_body);
    if (exchange->has_more()) {
      closes_ = false;
      break;
    }
    ++leaving_;
  }
  if (leaving_ == 0 && first_ != nullptr && first_->owes_continue) {
    first_->owes_continue = false;
    pieces_.push_back(kContinue);
  }
  return !pieces_.empty();
}

std::size_t Connection::gathered_bytes() const {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces_) bytes += piece.size();
  return bytes;
}

void Connection::sent() {
  worker_->tally().sent_bytes.add(gathered_bytes());
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

// The last response is written. Closing while the client still sends would make its system discard the response, so we
// wait until it has seen the end (RFC 9112 9.6).
void Connection::end_writing() {
  transport_->end_writing();
  if (input_has_ended_) return close();
  reading_ = Reading::Draining;
  writing_has_ended_ = true;
  begin_deadline(is_stopping() ? std::min(timeouts().linger, kLingerWhenStopping) : timeouts().linger);
}

// ---- Exchanges ----

Exchange& Connection::begin_exchange() {
  if (unused_ == nullptr) {
    exchanges_.push_back(
        std::make_unique<Exchange>(*this, *client_, worker_->shared().budget, worker_->shared().unverified));
    unused_ = exchanges_.back().get();
  }
  Exchange& exchange = *unused_;
  unused_ = std::exchange(exchange.next, nullptr);
  (last_ == nullptr ? first_ : last_->next) = &exchange;
  last_ = &exchange;
  ++pipelined_;
  return exchange;
}

// Drops the request that did not arrive completely.
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
